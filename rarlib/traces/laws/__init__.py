"""Workloads with stated laws: arrivals, sizes and durations, drawn, written down and fitted."""
