"""Linear and integer programs through OR-Tools, imported here only: exact optima, relaxations, proven bounds."""
