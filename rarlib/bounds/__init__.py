"""Proven lower bounds: what no schedule that the simulator can produce will beat."""
