"""Members of a table: what its cells are called."""

from collections.abc import Mapping
from typing import Any

from rarlib.declared import scheduler_names

EVERY = "schedulers"
"""Stands for every scheduler there is, those of installed packages included."""


def members(section: Mapping[str, Any], part: str) -> list[str]:
    """Members of a table of an experiment's section; `schedulers` leaves out those that the section does `without`."""
    every = [name for name in scheduler_names() if name not in section.get("without", ())]
    return [name for member in section["cells"][part] for name in (every if member == EVERY else [member])]
