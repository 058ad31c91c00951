"""Gavel's allocation programs: time shares of jobs on GPU types."""
