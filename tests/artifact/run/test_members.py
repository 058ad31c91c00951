"""Members of tables: a special word for every scheduler, names for the rest."""

from artifact.run.members import members
from rarlib.declared import scheduler_names


def test_every_scheduler_takes_part_but_those_left_out():
    """In alphabetical order, where the word stands; other members stay as they are, whatever they are called."""
    section = {"cells": {"runs": ["schedulers", "bounds"], "study": ["all"]}, "without": ["best-known"]}
    every = scheduler_names()
    assert "best-known" in every
    assert members(section, "runs") == [*(name for name in every if name != "best-known"), "bounds"]
    assert members(section, "study") == ["all"]
    assert "schedulers" not in every
