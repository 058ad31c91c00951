"""Comparisons of schedulers: paired ratios with intervals, and which differences a simulator can tell apart."""
