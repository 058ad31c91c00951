"""How far from optimal: distances to proven bounds at the paper's scale, and to optima on small instances."""

import matplotlib.pyplot as plt
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from artifact.plot.strips import strips
from rarlib.plot.axes import key, name_rows, plain_ticks
from rarlib.plot.frames import pick
from rarlib.plot.style import INK, MUTED, look

_ORDER = ("best-known", "sjf-bco", "list-scheduling", "first-fit", "random")
METHODS = {
    "longest-job": "longest job",
    "area": "area",
    "gang-packing": "gang packing (LP)",
    "server-classes": "server classes (LP)",
    "gangs-that-stay": "gangs that stay",
}
"""Bounds on the makespan, weakest first."""

_STATEMENTS = {
    "lemma2": "Lemma 2: busiest GPU = limit",
    "lemma3": "Lemma 3: makespan <= n_g x busiest GPU",
    "lemma3_printed": "Lemma 3 in the units of eq. 15",
    "lemma4": "Lemma 4: limit <= phi u/l x smallest",
    "lemma4_tight": "Lemma 4 for the busiest GPU",
    "theorem5": "Theorem 5: makespan <= n_g phi u/l x optimum",
}

_KEYS = ["x", "seed"]


def tightest_bound(frame: pd.DataFrame) -> "pd.Series[float]":
    """The largest proven bound on the makespan, by x and seed."""
    rows = frame[(frame["scheduler"] == "bounds") & (frame["metric"] == "makespan")]
    return rows.groupby(_KEYS)["value"].max()


def optimum(frame: pd.DataFrame) -> "pd.Series[float]":
    """Makespan of the best schedule of the exact program, by x and seed."""
    rows = frame[(frame["scheduler"] == "exact") & (frame["metric"] == "makespan")]
    return rows.set_index(_KEYS)["value"]


def makespan_gaps(frame: pd.DataFrame, floor: "pd.Series[float]") -> pd.DataFrame:
    """Percentage by which the makespan of each scheduler exceeds `floor`: columns x, seed, scheduler, gap."""
    rows = frame[(frame["metric"] == "makespan") & (frame["scheduler"] != "bounds")]
    rows = rows.join(floor.rename("floor"), on=_KEYS)
    return rows.assign(gap=100 * (rows["value"] / rows["floor"] - 1))[[*_KEYS, "scheduler", "gap"]].dropna()


def overview(scale: pd.DataFrame, theta: pd.DataFrame, small: pd.DataFrame, size: str = "") -> Figure:
    """Distances to proven bounds at the paper's scale, to the smallest feasible theta, and to small instances' optima.

    `size`: jobs and servers of `scale`, in words.
    """
    figure, axes = plt.subplots(2, 2, figsize=(11.5, 8.2), width_ratios=[3, 2], height_ratios=[4, 5])
    _certificates(axes[0, 0], scale, size)
    _methods(axes[0, 1], scale)
    _optima(axes[1, 0], small)
    _limits(axes[1, 1], theta)
    seeds = int(scale["seed"].nunique())
    handles = [
        key("an instance", ms=3.5, alpha=0.5),
        key(f"mean and standard deviation of {seeds}", ms=7, lw=1.6),
        key("mean, busiest GPU", ms=5.5, mfc="white", mec=look("sjf-bco").colour),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles))
    return figure


def _certificates(ax: Axes, scale: pd.DataFrame, size: str) -> None:
    gaps = makespan_gaps(scale, tightest_bound(scale))
    names = [name for name in _ORDER if name in set(gaps["scheduler"])]
    strips(ax, gaps, "gap", {name: look(name).colour for name in names})
    ax.axvline(0, color=INK, lw=1.2)
    ax.annotate("proven bound", (0, len(names) - 0.45), (4, 0), textcoords="offset points", color=INK, fontsize=8.5)
    ax.set_xscale("symlog", linthresh=10)
    plain_ticks(ax.xaxis, (0, 2, 5, 10, 20, 50, 100, 200))
    ax.set(xlabel="makespan above the best proven bound (%)", xlim=(-0.6, None), title=size)
    name_rows(ax, [look(name).label for name in names], fontweight="bold")


def _methods(ax: Axes, scale: pd.DataFrame) -> None:
    """Every bound relative to the best-known makespan."""
    rows = scale[scale["metric"] == "makespan"]
    bounds = rows[rows["scheduler"] == "bounds"]
    known = rows[rows["scheduler"] == "best-known"].set_index(_KEYS)["value"].rename("known")
    share = bounds.join(known, on=_KEYS).assign(share=lambda frame: 100 * frame["value"] / frame["known"])
    means = share.groupby("reading")["share"].mean()
    present = [name for name in METHODS if name in means.index]
    for row, name in enumerate(present):
        ax.plot(means[name], row, "o", ms=7, color=MUTED, mew=0)
        ax.annotate(f"{means[name]:.1f} %", (44.5, row), va="center", color=INK, fontsize=9)
    ax.axvline(100, color=look("best-known").colour, lw=1.2)
    ax.annotate("best known", (100, -0.5), (-3, 0), textcoords="offset points", ha="right", va="bottom", fontsize=8.5)
    ax.set(xlabel="bound over best-known makespan (%)", title="What each bound proves", xlim=(43, 102))
    name_rows(ax, [METHODS[name] for name in present], margin=0.7)


def _optima(ax: Axes, small: pd.DataFrame) -> None:
    exact = optimum(small)
    gaps = makespan_gaps(small[small["scheduler"] != "exact"], exact)
    bound = (100 * (tightest_bound(small) / exact - 1)).reset_index(name="gap").assign(scheduler="bounds")
    everything = pd.concat([gaps, bound]).astype({"x": float})
    drawn = [name for name in (*_ORDER, "bounds") if name in set(everything["scheduler"])]
    proven = drawn[-1] == "bounds"
    sns.pointplot(
        everything, x="x", y="gap", hue="scheduler", hue_order=drawn, native_scale=True, dodge=0.045 * len(drawn),
        palette=[MUTED if name == "bounds" else look(name).colour for name in drawn],
        markers=["_" if name == "bounds" else look(name).marker for name in drawn],
        linestyles=["-"] * (len(drawn) - proven) + [(0, (4, 1.5, 1, 1.5))] * proven,
        errorbar=("pi", 80), capsize=0.04, ms=6, lw=1.8, mew=1, ax=ax,
    )  # fmt: skip
    ax.axhline(0, color=INK, lw=1.2)
    ax.set(xlabel="jobs", ylabel="makespan above the optimum (%)", xticks=sorted(set(small["x"])))
    seeds = int(small["seed"].nunique())
    ax.set_title(f"Small instances, solved exactly ({seeds} per size; bars: 10th to 90th percentile)", fontsize=9.5)
    labels = ["best proven bound" if name == "bounds" else look(name).label for name in drawn]
    ax.legend(ax.get_legend_handles_labels()[0], labels, ncols=2, loc="upper left")


def _limits(ax: Axes, theta: pd.DataFrame) -> None:
    """Distance of Algorithm 1's theta from the smallest feasible one; hollow: busiest GPU of a schedule."""
    least = theta[(theta["scheduler"] == "exact") & (theta["metric"] == "theta")].set_index("seed")["value"]
    wide = theta[theta["scheduler"] == "sjf-bco"].pivot_table(index="seed", columns="metric", values="value")
    over = (100 * (wide.div(least, axis=0) - 1)).assign(scheduler="sjf-bco")
    colour = look("sjf-bco").colour
    strips(ax, over, "theta", {"sjf-bco": colour})
    ax.plot(over["busiest"].mean(), 0.3, "o", mfc="white", mec=colour, ms=5.5)
    ax.axvline(0, color=INK, lw=1.2)
    ax.set(xlabel="θ of Algorithm 1 above the smallest feasible θ (%)", title="The limit θ (eq. 14-16)")
    ax.set_xlim(left=-2)
    name_rows(ax, [look("sjf-bco").label])


def statements(theory: pd.DataFrame) -> pd.DataFrame:
    """Percentage of small instances in which each statement holds, by kind of instance and reading."""
    rows = theory[theory["x"].isin(("parts", "tight")) & theory["metric"].isin(_STATEMENTS)]
    share = 100 * rows.groupby(["metric", "x", "reading"])["value"].mean().unstack(["x", "reading"])
    return share.loc[[name for name in _STATEMENTS if name in share.index]].rename(index=_STATEMENTS)


def gap_table(scale: pd.DataFrame) -> pd.DataFrame:
    """Makespan above the best proven bound in percent: mean, standard deviation and most, by scheduler."""
    gaps = makespan_gaps(scale, tightest_bound(scale))
    return gaps.groupby("scheduler")["gap"].agg(["mean", "std", "max"]).round(2)


def small_table(small: pd.DataFrame) -> pd.DataFrame:
    """Small instances by number of jobs: share solved, spanning gangs, percentage in which each finds the optimum."""
    exact = pick(small, scheduler="exact").pivot_table(index="x", columns="metric", values="value")
    found = makespan_gaps(small, optimum(small))
    share = 100 * (found["gap"] <= 1e-9).groupby([found["x"], found["scheduler"]]).mean().unstack()
    solved = exact.rename(columns={"optimal": "solved"})[["solved", "spanning"]]
    return solved.join(share.add_suffix(": optimal (%)")).round(2)
