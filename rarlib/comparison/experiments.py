"""Experiments of installed packages: modules that make tidy tables, cell by cell, as those of the papers do.

Such a module has `TABLES`, the members of each table by its name; `SETTINGS`, the values that its cells are made with;
and `run_cell(part, member, settings, data)`, which returns the tidy rows of one member of one table.
"""

from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pandas as pd

from rarlib.declared import scheduler_names
from rarlib.model import plugins
from rarlib.model.errors import InputError, did_you_mean
from rarlib.model.plugins import EntryGroup
from rarlib.records.tidy import TIDY_COLUMNS

ALL_SCHEDULERS = "schedulers"
"""A member that stands for every scheduler, those of installed packages included."""


@cache
def added_experiments() -> dict[str, EntryPoint]:
    """Experiments by name.

    Raises:
        InputError: if two packages offer the same name.
    """
    return plugins.added(EntryGroup.EXPERIMENTS, {})


def make_tables(name: str, settings: Mapping[str, Any] | None = None) -> dict[str, pd.DataFrame]:
    """The tables of an experiment, by name.

    Args:
        name: of the experiment.
        settings: values that replace those of the experiment.

    Raises:
        InputError: for an unknown experiment or setting, or rows that are not tidy.
    """
    if name not in added_experiments():
        known = ", ".join(added_experiments()) or "none; no installed package offers one"
        raise InputError(f"unknown experiment {name!r}{did_you_mean(name, added_experiments())}; known: {known}")
    point = added_experiments()[name]
    module = plugins.loaded(point)
    if missing := [each for each in ("TABLES", "SETTINGS", "run_cell") if not hasattr(module, each)]:
        raise InputError(f"{plugins.whereabouts(point)} must have {', '.join(missing)}")
    for key in settings or {}:
        if key not in module.SETTINGS:
            near = did_you_mean(key, module.SETTINGS)
            raise InputError(f"unknown setting {key!r} of {name}{near}; known: {', '.join(module.SETTINGS)}")
    chosen = {**module.SETTINGS, **(settings or {})}
    return {
        part: pd.concat(
            [_checked(module.run_cell(part, member, chosen, None), point, part) for member in _members(listed)],
            ignore_index=True,
        )
        for part, listed in module.TABLES.items()
    }


def _members(listed: Any) -> list[str]:
    return [name for member in listed for name in (scheduler_names() if member == ALL_SCHEDULERS else [member])]


def _checked(rows: pd.DataFrame, point: EntryPoint, part: str) -> pd.DataFrame:
    if missing := [column for column in TIDY_COLUMNS if column not in rows]:
        raise InputError(
            f"a cell of the table {part} has no column {', '.join(missing)}", file=plugins.whereabouts(point)
        )
    return rows[TIDY_COLUMNS]


def table_file(folder: Path, experiment: str, part: str) -> Path:
    """Where a table of an experiment is written."""
    return folder / f"{experiment}-{part}.csv"
