"""AITurbo's lead (HPDC 2021) on larger clusters, with other arrivals and jobs that turn predictable; and its parts."""

from collections.abc import Iterable, Mapping
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from artifact.papers.aiturbo.figures.evaluation import (
    BASELINES,
    draw_ablation,
    draw_series,
    look_of,
    ratio_axis,
    relative_to,
)
from artifact.unknowns import STATED_READING
from rarlib.plot.axes import dodges, key, name_columns
from rarlib.plot.frames import pick
from rarlib.plot.style import INK, MUTED, note

PHILLY = "philly-pollux"
TRACES = {PHILLY: "Philly", "sia-saturn": "Helios", "pai-sample": "PAI"}
"""Traces whose arrivals are replayed, and their names; the table `main` has the first."""

_CLAIMED = 3.0

TESTBED_GPUS = "4"
"""GPUs of the cluster of the table `main`."""


def as_stated(main: pd.DataFrame) -> pd.DataFrame:
    """Rows of the table `main` as stated, with which larger clusters and other arrivals are compared."""
    return pick(main, reading=STATED_READING)


def by_size(main: pd.DataFrame, size: pd.DataFrame, setup: str = "tasks") -> pd.DataFrame:
    """Average JCT of each scheduler divided by AITurbo's, by GPUs of the cluster and seed.

    `setup`: `tasks`: at most 4 workers per job, with the testbed of 4 GPUs; `gpus`: as many GPUs as in the data set.
    """
    rows = pick(size, setup=setup)
    if setup == "tasks":
        rows = pd.concat([as_stated(main).assign(x=TESTBED_GPUS), rows])
    return relative_to(rows, "jct_all_s")


def mean_by_size(main: pd.DataFrame, size: pd.DataFrame) -> pd.DataFrame:
    """Means of `by_size` over instances, by what jobs request and GPUs of the cluster."""
    of = {"at most 4 GPUs a job": "tasks", "as recorded, up to 8": "gpus"}
    ratios = {name: by_size(main, size, setup).drop(columns="aiturbo") for name, setup in of.items()}
    found = {name: rows.groupby("x", sort=False).mean() for name, rows in ratios.items()}
    return pd.concat(found, names=["requests"]).rename_axis(["requests", "GPUs"])


def lead(tables: Mapping[str, pd.DataFrame]) -> Figure:
    """Where AITurbo's lead ends (above: cluster size, traces, jobs that turn), and where it comes from (below).

    `tables`: tidy rows by table.
    """
    main, size, arrivals, turning, *parts = tables.values()
    figure, (above, below) = plt.subplots(2, 3, figsize=(13.2, 9.6), width_ratios=[1.9, 1.1, 1])
    _sizes(above[0], main, size)
    _traces(above[1], main, arrivals)
    _turns(above[2], turning)
    draw_ablation(below, *parts)
    return figure


def _sizes(ax: Axes, main: pd.DataFrame, size: pd.DataFrame) -> None:
    recorded = by_size(main, size, "gpus")
    own = by_size(main, size)
    xs = sorted({*own.index.get_level_values("x"), *recorded.index.get_level_values("x")}, key=float)
    place = {x: float(at) for at, x in enumerate(xs)}
    for scheduler, shift in dodges(list(BASELINES), 0.16).items():
        for frame, line in ((own, {"ls": "-", "lw": 1}), (recorded, {"ls": ":", "lw": 1, "mfc": "white"})):
            values = frame[scheduler].dropna().rename(index=place, level="x")
            draw_series(ax, values, look_of(scheduler), shift, **line)
    name_columns(ax, [f"{float(x):g}" for x in xs])
    ax.set(xlabel="GPUs of the cluster", ylabel="average JCT relative to AITurbo (log scale)")
    ratio_axis(ax, "Cluster size, same load", "filled: at most 4 GPUs a job; hollow: as recorded, up to 8")
    _claimed(ax, pd.concat([own, recorded]))
    ax.legend(handles=_keys(BASELINES), ncols=2, loc="lower left")


def _claimed(ax: Axes, ratios: pd.DataFrame) -> None:
    """A line at the factor of the abstract, and an axis as long as the data need."""
    ax.axhline(_CLAIMED, color=INK, lw=1, ls="--")
    ax.set_ylim(float(ratios.min().min()) / 1.5, max(float(ratios.max().max()), _CLAIMED) * 1.15)


def _keys(names: Iterable[str]) -> list[Line2D]:
    return [key(look_of(name).label, look_of(name).marker, color=look_of(name).colour) for name in names]


def by_trace(main: pd.DataFrame, arrivals: pd.DataFrame) -> pd.DataFrame:
    """Average JCT of each scheduler divided by AITurbo's, by trace whose arrivals are replayed and seed."""
    return relative_to(pd.concat([as_stated(main).assign(x=PHILLY), arrivals]), "jct_all_s")


def _traces(ax: Axes, main: pd.DataFrame, arrivals: pd.DataFrame) -> None:
    own = by_trace(main, arrivals)
    shown = [name for name in TRACES if name in own.index.get_level_values("x")]
    place = {name: float(at) for at, name in enumerate(shown)}
    for scheduler, shift in dodges(list(BASELINES), 0.16).items():
        draw_series(ax, own[scheduler].rename(index=place, level="x"), look_of(scheduler), shift, ls="none")
    name_columns(ax, [TRACES[name] for name in shown])
    ax.set(xlabel="arrivals")
    ratio_axis(ax, "Arrivals of three traces", "instances: dots; mean of ratios: marks")
    _claimed(ax, own)


def _turns(ax: Axes, turning: pd.DataFrame) -> None:
    """Average JCT over the share of jobs that turn predictable, relative to none that does."""
    shifts = {("study", "aiturbo"): -3.0, ("all unknown", "aiturbo"): -1.0, ("study", "optimus"): 1.0}
    shifts[("all unknown", "optimus")] = 3.0
    for (setup, scheduler), shift in shifts.items():
        rows = pick(turning, setup=setup, scheduler=scheduler)
        if rows.empty:
            continue
        filled: dict[str, Any] = {} if setup == "study" else {"mfc": "white", "ls": ":"}
        draw_series(ax, turned(rows), look_of(scheduler), shift, lw=1, **filled)
    xs = sorted({float(x) for x in turning["x"]})
    ax.set_xticks(xs, [f"{x:g}" for x in xs])
    ax.axhline(1, color=MUTED, lw=0.8)
    ax.set(xlabel="unpredictable jobs that turn predictable (%)", ylabel="average JCT / with none that turns")
    ax.set_title("Jobs that turn predictable", pad=19)
    note(ax, "filled: unpredictable in the study; hollow: all jobs")
    ax.legend(handles=_keys(("aiturbo", "optimus")))


def turned(rows: pd.DataFrame) -> "pd.Series[float]":
    """Average JCT of one scheduler relative to the same instance without jobs that turn, by share and seed."""
    own = pick(rows, metric="jct_all_s").set_index(["x", "seed"])["value"]
    none = own.xs("0", level="x")
    return own.div(none, level="seed").rename(index=float, level="x")


def by_turning(turning: pd.DataFrame) -> pd.DataFrame:
    """Means of `turned` over instances: a row per setup and scheduler, a column per share that turns."""
    groups = turning.groupby(["setup", "scheduler"], sort=False)
    found = pd.concat({key: turned(rows).groupby("x").mean() for key, rows in groups}).unstack()
    return found.rename_axis(["unpredictable at first", "scheduler"]).rename_axis(columns="turn predictable (%)")


def factor_of_three(main: pd.DataFrame, size: pd.DataFrame, arrivals: pd.DataFrame) -> list[str]:
    """Whether the factor of the abstract is met: a sentence per scheduler and trace, and the answer."""
    ratios = by_trace(main, arrivals)[["optimus", "tiresias"]].groupby("x", sort=False).mean()
    small = mean_by_size(main, size).loc["at most 4 GPUs a job"]
    lines = []
    for name in ("optimus", "tiresias"):
        sizes = ", ".join(f"{ratio:.2f} on {gpus} GPUs" for gpus, ratio in small[name].items())
        traces = ", ".join(f"{ratio:.2f} with {TRACES[str(trace)]}'s arrivals" for trace, ratio in ratios[name].items())
        lines.append(f"Average JCT of {look_of(name).label} over AITurbo's: {sizes}; {traces}.")
    met = bool((ratios >= _CLAIMED).all(axis=None))
    return [*lines, f"A factor of 3 against both on all traces: {'yes' if met else 'no'}."]
