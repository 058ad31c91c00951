"""Linear and integer programs, one folder per paper; OR-Tools is imported here only."""
