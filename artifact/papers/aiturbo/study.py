"""AITurbo's workload study, from the authors' own data set: all rows behind its notebook.

Source: Zhao et al., HPDC 2021, doi 10.1145/3431379.3460639; the data set [DATA] published with it, 8,692 jobs of 27
types. The shares of predictable and unpredictable jobs are the authors'; all other numbers come from their data.

The column `scheduler` holds the aspect: `shares`, `durations`, `resources`, `correlations` and `generator` (do
generated jobs resemble the recorded ones). All together take a second, so one cell, `all`, computes them.
"""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from rarlib.cost.parameter_server.dataset import read_frame, read_statistics
from rarlib.cost.parameter_server.generator import PREDICTABILITY, sample_study
from rarlib.model.errors import InputError
from rarlib.model.seeds import stream
from rarlib.records.tidy import TIDY_COLUMNS

ALL = "all"
_HOUR = 3600.0
_HOURS = np.geomspace(1e-3, 25.0, 60)
_VALUES = ("gpus", "workers", "servers")


class _Fact(NamedTuple):
    """A row of the table, without the columns that are the same in all rows of a cell."""

    metric: str
    value: float
    unit: str = "1"
    reading: str = "all"
    x_name: str = ""
    x: str = ""
    seed: int = 0
    setup: str = "study"


def run_study(member: str, settings: Mapping[str, Any], data: Path | None) -> pd.DataFrame:
    """Compute one aspect of the study, or all.

    `member`: a key of `ASPECTS`, or `all`; `settings`: `seeds` (bootstrap samples, generated sets of jobs); `data`:
    file of the study, made by `rarlib.cost.parameter_server.dataset`.

    Returns:
        Tidy rows of the table `study`.

    Raises:
        InputError: an unknown aspect, or no data.
    """
    if member not in (*ASPECTS, ALL):
        raise InputError(f"unknown aspect {member!r}; known: {', '.join((ALL, *ASPECTS))}", field="cells")
    frame = read_frame(data)
    aspects = ASPECTS if member == ALL else {member: ASPECTS[member]}
    rows = [(*fact, aspect) for aspect, facts in aspects.items() for fact in facts(frame, settings)]
    table = pd.DataFrame(rows, columns=[*_Fact._fields, "scheduler"])
    return table.assign(experiment="aiturbo-study")[TIDY_COLUMNS]


def _by_class(frame: pd.DataFrame) -> dict[str, pd.DataFrame]:
    return {
        "all": frame,
        **{name: frame[frame["unpredictable"] == label] for label, name in enumerate(PREDICTABILITY)},
    }


def _headline(frame: pd.DataFrame, seed: int = 0) -> Iterator[_Fact]:
    """The quantities that `data/published.csv` lists."""
    hours, bad = frame["running_s"] / _HOUR, 100.0 * frame["unpredictable"].mean()
    for metric, value, unit in (
        ("jobs", len(frame), "job"),
        ("types", frame["type"].nunique(), "type"),
        ("predictable", 100.0 - bad, "%"),
        ("unpredictable", bad, "%"),
        ("mean", hours.mean(), "h"),
        ("median", hours.median(), "h"),
        ("p90", hours.quantile(0.9), "h"),
        ("max", hours.max(), "h"),
    ):
        yield _Fact(metric, float(value), unit, seed=seed)


def _shares(frame: pd.DataFrame, settings: Mapping[str, Any]) -> Iterator[_Fact]:
    yield from _headline(frame)
    for name, rows in _by_class(frame).items():
        yield _Fact("gpu_hours", float((rows["running_s"] * rows["gpus"]).sum() / _HOUR), "GPU h", name)
    for label, name in enumerate(("repeated", "first")):
        rows = frame[frame["first"] == label]
        yield _Fact("jobs", len(rows), "job", name)
        yield _Fact("unpredictable", 100.0 * rows["unpredictable"].mean(), "%", name)
    for kind, rows in frame.groupby("type"):
        yield _Fact("jobs", len(rows), "job", "all", "type", f"{kind:g}")
        yield _Fact("unpredictable", 100.0 * rows["unpredictable"].mean(), "%", "all", "type", f"{kind:g}")


def _durations(frame: pd.DataFrame, settings: Mapping[str, Any]) -> Iterator[_Fact]:
    for name, rows in _by_class(frame).items():
        hours = rows["running_s"] / _HOUR
        yield _Fact("mean", float(hours.mean()), "h", name)
        for level in (0.5, 0.9, 0.95, 0.99, 1.0):
            yield _Fact("quantile", float(hours.quantile(level)), "h", name, "level", f"{level:g}")
        yield from _distribution(rows, name, 0)


def _distribution(rows: pd.DataFrame, reading: str, seed: int) -> Iterator[_Fact]:
    lasted = np.sort(rows["running_s"].to_numpy()) / _HOUR
    ended = np.searchsorted(lasted, _HOURS, side="right") / len(lasted)
    for hours, share in zip(_HOURS, ended, strict=True):
        yield _Fact("ended", 100.0 * float(share), "%", reading, "hours", f"{hours:.4g}", seed)


def _resources(frame: pd.DataFrame, settings: Mapping[str, Any]) -> Iterator[_Fact]:
    for column in _VALUES:
        for name, rows in _by_class(frame).items():
            for value in np.unique(frame[column]):
                share = 100.0 * float((rows[column] == value).mean())
                yield _Fact("share", share, "%", name, column, f"{value:g}")
    for column, unit in (("cpus", "core"), ("memory_gb", "GB")):
        yield _Fact(f"median_{column}", float(frame[column].median()), unit)


def _correlations(frame: pd.DataFrame, settings: Mapping[str, Any]) -> Iterator[_Fact]:
    """Pearson's and Spearman's coefficients with "unpredictable"; seed 0 is the data, others are bootstrap samples."""
    factors = [column for column in frame if column not in ("unpredictable", "type")]
    ranks = frame.rank()
    for seed in range(int(settings["seeds"]) + 1):
        rng = stream(seed, "aiturbo", "bootstrap")
        index = rng.integers(0, len(frame), len(frame)) if seed else np.arange(len(frame))
        # Ranks are those in the whole data: exact for seed 0, close enough for the spread of the others.
        for metric, table in (("pearson", frame), ("spearman", ranks)):
            drawn = table.iloc[index]
            for factor, value in drawn[factors].corrwith(drawn["unpredictable"]).items():
                yield _Fact(metric, float(value), "1", "bootstrap" if seed else "all", "factor", str(factor), seed)


def _generator(frame: pd.DataFrame, settings: Mapping[str, Any]) -> Iterator[_Fact]:
    """Facts of generated jobs, as many as the study has, for each seed."""
    found = read_statistics()
    for seed in range(int(settings["seeds"])):
        drawn = sample_study(found, len(frame), stream(seed, "aiturbo", "generator"))
        yield from _headline(drawn, seed)
        for name, rows in _by_class(drawn).items():
            yield from _distribution(rows, name, seed)


ASPECTS: dict[str, Callable[[pd.DataFrame, Mapping[str, Any]], Iterator[_Fact]]] = {
    "shares": _shares,
    "durations": _durations,
    "resources": _resources,
    "correlations": _correlations,
    "generator": _generator,
}
