"""Evaluation of a scheduler in a file: scored, compared with baselines and bounds."""
