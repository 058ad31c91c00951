"""Linear and integer programs through OR-Tools, which is imported here and nowhere else."""
