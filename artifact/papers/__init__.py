"""The evaluation of each paper: instances, cells, theory, calibration, figures."""
