"""Hypothesis without clocks, files or chance: the same examples on every machine."""

from hypothesis import settings

settings.register_profile("house", derandomize=True, database=None, deadline=None, max_examples=200)
settings.load_profile("house")
