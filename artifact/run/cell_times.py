"""Predicted cost of any configuration, from the measured cost of the default run.

A cell takes `START_S` plus a time for each of its runs. A run is predicted to take as long as a run of the same cell in
the default configuration (else of the same member elsewhere in the experiment, else of the same table). The number of
runs follows from the seeds, readings, mixes or workload files, see `runs`.
"""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

import numpy as np
import pandas as pd

from artifact.arena.settings import chosen
from artifact.arena.settings import settings_of_choice as arena_settings
from artifact.draw_shares import share_of
from artifact.run.members import members, wanted_tables
from artifact.run.settings import settings_of

START_S = 2.0
"""Seconds that a cell takes before its first run."""

_COUNTED: dict[str, dict[str, tuple[str, ...]]] = {
    "sjf_bco": {"": ("seeds", "readings"), "inference": ("draws",), "eq8": ()},
    "optimality": {"": ("seeds",)},
    "gadget": {"": ("seeds", "readings"), "theory": ("seeds",), "inference": ("draws",)},
    "aiturbo": {
        "": ("seeds",),
        "main": ("seeds", "readings"),
        "mixes": ("seeds", "mixes", "readings"),
        "inference": ("draws",),
        "study": (),
    },
}
"""Experiment -> table (`else`: all others) -> settings whose sizes are multiplied to give the number of runs."""

Cell = tuple[str, str, str]
"""Experiment, table, member."""


def cells(config: Mapping[str, Any]) -> Iterator[Cell]:
    """All cells of a configuration."""
    for experiment, part in wanted_tables(config):
        name = experiment.replace("-", "_")
        yield from ((name, part, member) for member in members(config["experiments"][name], part))


def runs(cell: Cell, config: Mapping[str, Any]) -> int:
    """Number of runs of a cell, up to a factor that is the same in every configuration; 1 if nothing is known."""
    name, part, member = cell
    section = config["experiments"][name]
    if name == "sia" and part != "hybrid":
        sia = import_module(section["module"])  # not above: a paper's folder may be missing where nobody runs it
        return sum(
            len(sia.chosen_files(part, member, point.family, section)) * sia.repetitions(member, point.family, section)
            for point in sia.points(part, member, settings_of(section, part))
        )
    if name == "arena" and part == "runs":
        grid = arena_settings(section)
        return len(list(chosen(member, grid, section["windows"], section["few"])))
    if name == "sia_inference":
        return len(share_of(member, int(section["draws"])).draws)
    known = _COUNTED.get(name, {})
    settings = settings_of(section, part)
    sizes = [settings[key] for key in known.get(part, known.get("", ()))]
    return int(np.prod([size if isinstance(size, int) else len(size) for size in sizes], dtype=np.int64))


def cell_seconds(records: pd.DataFrame, default: Mapping[str, Any], wanted: Mapping[str, Any]) -> "pd.Series[float]":
    """Predicted seconds of every cell of a configuration, on the machine that was measured.

    Args:
        records: of the default run, as in `benchmarks/costs.csv`.
        default: the configuration that was measured.
        wanted: the configuration to predict.
    """
    mine = records[(records["command"] == "reproduce") & (records["unit"] == "s")]
    taken = mine[mine["rule"] == "cell"].set_index("job")["value"]
    table = pd.DataFrame(
        [
            (*cell, max(taken[_job(cell)] - START_S, 0.0) / runs(cell, default))
            for cell in cells(default)
            if _job(cell) in taken.index and runs(cell, default)
        ],
        columns=["name", "part", "member", "rate"],
    )
    found = {_job(cell): START_S + _rate(table, cell) * runs(cell, wanted) for cell in cells(wanted)}
    return pd.Series(found, dtype=float)


def _job(cell: Cell) -> str:
    return "-".join(cell).replace("_", "-")


def _rate(table: pd.DataFrame, cell: Cell) -> float:
    name, part, member = cell
    own = table[table["name"] == name]
    same = own[own["member"] == member]
    for rows in (same[same["part"] == part], same, own[own["part"] == part], own):
        if len(rows):
            return float(rows["rate"].mean())
    return 0.0
