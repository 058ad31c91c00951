"""Evaluation of a scheduler in a file that is not trusted: confined, scored, compared with baselines and bounds."""
