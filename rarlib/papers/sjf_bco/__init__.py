"""The evaluation of SJF-BCO (MobiHoc 2022): instances, runs, calibration, theory."""
