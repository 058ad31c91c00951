"""Bounds for jobs whose batch and GPUs may change while they run."""
