"""Tables of a configuration, and the members of a table: the names of its cells."""

from collections.abc import Iterator, Mapping
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


def wanted_tables(config: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Experiment, as written in paths, and part of every table that a configuration makes, see the key `only`."""
    only = config["only"]
    for key, section in config["experiments"].items():
        name = key.replace("_", "-")
        yield from ((name, part) for part in section["cells"] if not only or {key, f"{name}-{part}"} & set(only))
