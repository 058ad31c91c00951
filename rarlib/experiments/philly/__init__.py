"""Simple schedulers on a recorded trace."""
