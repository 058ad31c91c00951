"""Goodput of data-parallel training with adaptive batches: measured truth, and what jobs learn of themselves."""
