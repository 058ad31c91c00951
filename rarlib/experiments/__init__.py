"""Where rooms meet: grids of runs and their records on disk; one folder per paper."""
