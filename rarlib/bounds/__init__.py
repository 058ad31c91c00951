"""Proven lower bounds, which no schedule that the simulator can produce will beat."""
