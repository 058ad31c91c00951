"""SJF-BCO (MobiHoc 2022): Figures 4 to 7, calibration, theory, distance to the optimum."""
