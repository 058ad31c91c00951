"""How far from optimal: distances to proven bounds at paper scale, to true optima on small instances."""

from collections.abc import Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from rarlib.figures.style import INK, MUTED, look, note

ORDER = ("best-known", "sjf-bco", "list-scheduling", "first-fit", "random")
METHODS = {
    "longest-job": "longest job",
    "area": "area",
    "gang-packing": "gang packing (LP)",
    "server-classes": "server classes (LP)",
    "gangs-that-stay": "gangs that stay",
}
"""Bounds on the makespan, weakest idea first."""

_KEYS = ["setup", "x", "seed"]


def best_bound(frame: pd.DataFrame) -> "pd.Series[float]":
    """The largest proven bound on the makespan, by set-up, x and seed."""
    rows = frame[(frame["scheduler"] == "bounds") & (frame["metric"] == "makespan")]
    return rows.groupby(_KEYS)["value"].max()


def distances(frame: pd.DataFrame, floor: "pd.Series[float]") -> pd.DataFrame:
    """Makespans of all schedulers above `floor`, in percent of it: columns setup, x, seed, scheduler, gap."""
    rows = frame[(frame["metric"] == "makespan") & (frame["reading"] == "headline")]
    rows = rows.join(floor.rename("floor"), on=_KEYS)
    return rows.assign(gap=100 * (rows["value"] / rows["floor"] - 1))[[*_KEYS, "scheduler", "gap"]].dropna()


def certificates(scale: pd.DataFrame, setup: str, others: Sequence[str] = ()) -> Figure:
    """Distance of every scheduler to the best proven bound at paper scale, and where the bounds come from.

    Args:
        scale: tidy rows of the table `scale`.
        setup: set-up whose instances are drawn one by one.
        others: set-ups of which only the mean is shown.
    """
    figure, (ax, low) = plt.subplots(1, 2, figsize=(10.5, 3.6), width_ratios=[3, 2])
    gaps = distances(scale, best_bound(scale))
    names = [name for name in ORDER if name in set(gaps["scheduler"])]
    for row, name in enumerate(names):
        own = gaps[gaps["scheduler"] == name]
        _strip(ax, row, own[own["setup"] == setup]["gap"].to_numpy(), look(name).colour)
        for other, marker in zip(others, "<>", strict=False):
            ax.plot(own[own["setup"] == other]["gap"].mean(), row + 0.3, marker, ms=5, color=look(name).colour, mew=0)
    ax.axvline(0, color=INK, lw=1.2)
    ax.annotate("proven bound", (0, len(names) - 0.45), (4, 0), textcoords="offset points", color=INK, fontsize=8.5)
    ax.set_xscale("symlog", linthresh=10)
    ax.set_xticks([0, 2, 5, 10, 20, 50, 100, 200], ["0", "2", "5", "10", "20", "50", "100", "200"])
    ax.minorticks_off()
    ax.set(xlabel="makespan above the best proven bound (%)", xlim=(-0.6, None), title="160 jobs, 20 servers")
    ax.set_yticks(range(len(names)), [look(name).label for name in names], fontweight="bold")
    ax.set_ylim(len(names) - 0.35, -0.6)
    ax.grid(axis="y", visible=False)
    _methods(low, scale[scale["setup"] == setup])
    handles = [
        Line2D([], [], marker="o", ms=3.5, color=MUTED, alpha=0.5, lw=0, label=f"an instance ({setup})"),
        Line2D([], [], marker="o", ms=7, color=MUTED, lw=1.6, label=f"mean and standard deviation of {_seeds(scale)}"),
        *(
            Line2D([], [], marker=marker, ms=5, color=MUTED, lw=0, label=f"mean, set-up {other}")
            for other, marker in zip(others, "<>", strict=False)
        ),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles))
    return figure


def _strip(ax: Axes, row: int, values: np.ndarray, colour: str) -> None:
    shift = (np.arange(len(values)) % 7 - 3) * 0.035
    ax.plot(values, row - 0.05 + shift, "o", ms=3.2, color=colour, alpha=0.3, mew=0)
    ax.errorbar(values.mean(), row - 0.05, xerr=values.std(), fmt="o", ms=7, color=colour, capsize=3, lw=1.6)


def _methods(ax: Axes, scale: pd.DataFrame) -> None:
    """Every bound relative to the best-known makespan: how much of it each idea proves."""
    rows = scale[(scale["scheduler"] == "bounds") & (scale["metric"] == "makespan")]
    known = scale[(scale["scheduler"] == "best-known") & (scale["metric"] == "makespan")].set_index("seed")["value"]
    present = [name for name in METHODS if name in set(rows["reading"])]
    for row, name in enumerate(present):
        share = 100 * rows[rows["reading"] == name].set_index("seed")["value"] / known
        ax.barh(
            row, share.mean(), height=0.6, color="#b8c4cc", xerr=share.std(), error_kw={"ecolor": MUTED, "capsize": 3}
        )
        ax.annotate(f"{share.mean():.0f} %", (2, row), va="center", color=INK, fontsize=9)
    ax.axvline(100, color=look("best-known").colour, lw=1.2)
    ax.annotate("best known", (100, -0.5), (-3, 0), textcoords="offset points", ha="right", va="bottom", fontsize=8.5)
    ax.set_yticks(range(len(present)), [METHODS[name] for name in present])
    ax.set(xlabel="bound over best-known makespan (%)", title="What each bound proves", xlim=(0, 106))
    ax.set_ylim(len(present) - 0.5, -0.9)
    ax.grid(axis="y", visible=False)


def _seeds(frame: pd.DataFrame) -> int:
    return int(frame["seed"].nunique())


def optima(small: pd.DataFrame) -> Figure:
    """Small instances: schedulers above, bounds below the true optimum with contention."""
    exact = small[(small["scheduler"] == "exact") & (small["metric"] == "makespan")].set_index(_KEYS)["value"]
    figure, ax = plt.subplots(figsize=(7.2, 4.2))
    gaps = distances(small[small["scheduler"] != "exact"], exact)
    bound = (100 * (best_bound(small) / exact - 1)).reset_index(name="gap").assign(scheduler="bounds")
    series: list[tuple[str, str, dict[str, Any]]] = [(n, look(n).label, _line(n)) for n in ORDER]
    series.append(("bounds", "best proven bound", {"color": MUTED, "marker": "_", "ls": (0, (4, 1.5, 1, 1.5))}))
    everything = pd.concat([gaps, bound])
    drawn = [entry for entry in series if entry[0] in set(everything["scheduler"])]
    for i, (name, label, line) in enumerate(drawn):
        by_size = everything[everything["scheduler"] == name].groupby("x")["gap"].agg(["mean", "std"])
        dodge = (i - (len(drawn) - 1) / 2) * 0.09
        ax.errorbar(by_size.index + dodge, by_size["mean"], by_size["std"].fillna(0), capsize=2.5, label=label, **line)
    ax.axhline(0, color=INK, lw=1.2)
    ax.set(xlabel="jobs", ylabel="makespan above the optimum (%)", xticks=sorted(set(small["x"])))
    note(ax, f"mean and standard deviation of {_seeds(small)} instances per size; the optimum counts contention")
    ax.legend(ncols=2, loc="upper left")
    return figure


def _line(name: str) -> dict[str, Any]:
    style = look(name)
    return {"color": style.colour, "marker": style.marker, "ms": 6}
