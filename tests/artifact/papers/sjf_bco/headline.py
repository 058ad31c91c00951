"""The headline's settings of SJF-BCO's tables, some replaced, for tests."""

from artifact.run.settings import configuration, section_of, settings_of


def headline(part, experiment="sjf-bco", **over):
    """Settings of a table as the default configuration has them; `lambda_` stands for lambda."""
    settings = settings_of(section_of(configuration(), experiment), part)
    return settings | {name.rstrip("_"): value for name, value in over.items()}


SMALL = {"seeds": 2, "readings": ["fitted"]}
"""Two instances in one reading."""
