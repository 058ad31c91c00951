"""Members of a table: the names of its cells."""

from collections.abc import Mapping
from typing import Any

from rarlib.declared import scheduler_names

EVERY = "schedulers"
"""Stands for all schedulers, including those of installed packages."""


def members(section: Mapping[str, Any], part: str) -> list[str]:
    """Members of a table; `schedulers` means those that the experiment's section lists, or all.

    All are those of the project and of installed packages, except those that the section lists under `without`.
    """
    every = section.get("schedulers") or [name for name in scheduler_names() if name not in section.get("without", ())]
    return [name for member in section["cells"][part] for name in (every if member == EVERY else [member])]
