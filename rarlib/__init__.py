"""Reproduce and compare schedulers for distributed deep-learning jobs."""

__version__ = "0.1.0"
