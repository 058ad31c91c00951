"""Where rooms meet: grids of runs, records on disk, claims."""
