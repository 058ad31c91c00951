"""The evaluations of the papers, one folder each: instances, cells, theory, calibration, figures."""
