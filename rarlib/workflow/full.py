"""What everything costs (`snakemake full`), predicted from what the default run has cost.

Rule: a cell takes `START_S` and a time for each of its runs, and a run takes as long as one of the same cell in
the default (else as one of the same member elsewhere in the experiment, else of the same table). The number of runs is
that of seeds, set-ups, mixes or workload files, see `runs`. All other jobs cost what they cost in the default.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import yaml

from rarlib.arena.settings import chosen, settings_of_grid
from rarlib.papers.sia.cells import chosen_files, points
from rarlib.workflow.costs import scale
from rarlib.workflow.members import members

START_S = 2.0
"""Seconds that a cell takes before its first run."""

_COUNTED: dict[str, dict[str, tuple[str, ...]]] = {
    "sjf_bco": {"": ("seeds", "setups"), "theory": ("seeds",)},
    "optimality": {"": ("seeds",), "scale": ("seeds", "setups")},
    "gadget": {"": ("seeds",)},
    "aiturbo": {"": ("few",), "main": ("seeds",), "mixes": ("seeds", "mixes"), "study": ()},
}
"""Experiment -> table (else: all others) -> settings whose sizes multiply to the number of runs."""

Cell = tuple[str, str, str]
"""Experiment, table, member."""


def merged(path: Path, over: Path) -> dict[str, Any]:
    """The configuration of a file with the differences of another one: mappings merge, all else is replaced."""
    first, second = (yaml.safe_load(p.read_text(encoding="utf-8")) for p in (path, over))
    return _merge(first, second or {})


def _merge(first: dict[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    for key, value in second.items():
        both = isinstance(value, Mapping) and isinstance(first.get(key), dict)
        first[key] = _merge(first[key], value) if both else value
    return first


def cells(config: Mapping[str, Any]) -> Iterator[Cell]:
    """All cells of a configuration."""
    for name, section in config["experiments"].items():
        if not config["only"] or name in config["only"]:
            yield from ((name, part, member) for part in section["cells"] for member in members(section, part))


def runs(cell: Cell, config: Mapping[str, Any]) -> int:
    """How many runs a cell has, up to a factor that is the same in every configuration; 1 where nothing is known."""
    name, part, member = cell
    section = config["experiments"][name]
    if name == "sia" and part != "hybrid":
        return sum(len(chosen_files(part, member, point.family, section)) for point in points(part))
    if name == "arena" and part == "runs":
        grid = settings_of_grid(section["grid"])
        return len(list(chosen(member, grid, section["windows"], section["few"])))
    known = _COUNTED.get(name, {})
    sizes = [section[key] for key in known.get(part, known.get("", ()))]
    return int(np.prod([size if isinstance(size, int) else len(size) for size in sizes], dtype=np.int64))


def seconds_by_job(records: pd.DataFrame, default: Mapping[str, Any], wanted: Mapping[str, Any]) -> "pd.Series[float]":
    """Predicted seconds of every job of a configuration, on the machine that was measured.

    Args:
        records: of the default run, as in `benchmarks/costs.csv`.
        default: the configuration that was measured.
        wanted: the configuration to predict.
    """
    mine = _measured(records)
    others = mine[mine["rule"] != "cell"]
    return pd.concat([cell_seconds(records, default, wanted), others.set_index("job")["value"]])


def cell_seconds(records: pd.DataFrame, default: Mapping[str, Any], wanted: Mapping[str, Any]) -> "pd.Series[float]":
    """Those of its cells; arguments as of `seconds_by_job`."""
    mine = _measured(records)
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


def _measured(records: pd.DataFrame) -> pd.DataFrame:
    return records[(records["command"] == "reproduce") & (records["unit"] == "s")]


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


def predict_s(
    records: pd.DataFrame, default: Mapping[str, Any], wanted: Mapping[str, Any], cores: int, probe: float
) -> float:
    """Predicted wall time of a configuration, seconds: the least that any order of its jobs can take on so many cores.

    Args:
        records: of the default run, as in `benchmarks/costs.csv`.
        default: the configuration that was measured.
        wanted: the configuration to predict.
        cores: cores to use.
        probe: `rarlib.workflow.costs.probe_s()` of the machine.
    """
    jobs = seconds_by_job(records, default, wanted)
    return float(max(jobs.sum() / cores, jobs.max())) * scale(records, probe)
