"""AITurbo (HPDC 2021) against other schedulers and against variants of itself; ratios are computed seed by seed."""

from collections.abc import Iterable
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from rarlib.plot.axes import dodges, key, name_columns, plain_ticks
from rarlib.plot.frames import pick
from rarlib.plot.published import draw_published, published_key, published_points
from rarlib.plot.strips import over
from rarlib.plot.style import INK, MUTED, Look, look, note

BASELINES = {"optimus": "Optimus", "tiresias": "Tiresias", "srtf": "SRTF", "fcfs": "FCFS"}
"""Schedulers and their names in the published numbers."""

EVALUATION_METRICS = {
    "jct_all_s": "average JCT",
    "makespan_s": "makespan",
    "jct_short_s": "short jobs JCT",
    "jct_long_s": "long jobs JCT",
}
"""Metrics and their names in the published numbers."""

ABLATIONS = {
    "strict": "nothing\nleft over\nhanded out",
    "time": "moves that\nsave time",
    "no-borda": "no second\nballot",
    "arrival": "queues first\ncome, first\nserved",
    "hybrid": "both kinds\nof worker\nin a job",
    "gpu-only": "no workers\non CPUs",
}
"""Ablations and their labels."""

GROUPS = {
    "jct_all_s": ("all jobs", INK, "o"),
    "jct_short_s": ("short", "#56b4e9", "^"),
    "jct_long_s": ("long", "#0072b2", "s"),
    "jct_unpredictable_s": ("unpredictable", "#d55e00", "D"),
}
"""Groups of jobs: label, colour and marker."""


def _look(name: str) -> Look:
    if name == "tiresias-lab":
        return Look("Tiresias, its servers on GPUs", look("tiresias").colour, "+")
    return Look("FCFS", *look("fifo")[1:]) if name == "fcfs" else look(name)


def relative_to(frame: pd.DataFrame, metric: str, base: str = "aiturbo", along: str = "x") -> pd.DataFrame:
    """A metric of each scheduler divided by that of `base` on the same instance.

    Args:
        frame: tidy rows.
        metric: the metric.
        base: scheduler to divide by.
        along: column that identifies the points.

    Returns:
        A row per point and seed, a column per scheduler.
    """
    rows = pick(frame, metric=metric)
    wide = rows.pivot_table(index=[along, "seed"], columns="scheduler", values="value", sort=False)
    return wide.div(wide[base], axis=0)


def scenarios(main: pd.DataFrame, mixes: pd.DataFrame, published: pd.DataFrame) -> Figure:
    """Ratios to AITurbo: by metric, over the share of unpredictable jobs, and with jobs on CPUs.

    Args:
        main: tidy rows of the table `main`.
        mixes: tidy rows of the table `mixes`.
        published: the published numbers.
    """
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(13.2, 5.0), width_ratios=[1.5, 1.15, 0.6], sharey=True)
    _by_metric(left, main, published)
    shares = {"0": "0:100", "25": "25:75", "50": "50:50", "75": "75:25", "100": "100:0"}
    names = {x: f"unpredictable:predictable {pair}" for x, pair in shares.items()}
    _over_shares(middle, pick(mixes, setup="class"), published, names)
    middle.set_xlabel("unpredictable jobs (%)")
    names = {"0": "GPU:CPU 100:0", "25": "GPU:CPU 75:25"}
    _over_shares(right, pick(mixes, setup="kind"), published, names)
    right.set_xlabel("jobs on CPUs only (%)")
    for ax, title, remark in (
        (left, "Jobs as in the study", f"{main['seed'].nunique()} instances: dots; mean of ratios: marks"),
        (middle, "Class of jobs", "average JCT"),
        (right, "Kind of jobs", "average JCT"),
    ):
        _ratio_axis(ax, title, remark)
    left.set_ylabel("relative to AITurbo (log scale)")
    shown = [*BASELINES, *({"tiresias-lab"} & set(mixes["scheduler"]))]
    handles = [
        *(key(_look(name).label, _look(name).marker, color=_look(name).colour) for name in shown),
        published_key("later plots of the laboratory (hollow)", MUTED),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles))
    return figure


def _ratio_axis(ax: Axes, title: str, remark: str) -> None:
    ax.axhline(1, color=MUTED, lw=0.8)
    ax.set_yscale("log")
    plain_ticks(ax.yaxis, (0.25, 0.5, 1, 2, 5, 10, 20, 50, 100))
    ax.set_title(title, pad=19)
    note(ax, remark)


def _series(ax: Axes, values: "pd.Series[float]", style: Look, shift: float = 0.0, **line: Any) -> None:
    """A dot for each instance and a mark for their mean; values are indexed by x and seed."""
    dots = {"s": 9, "linewidth": 0.8} if style.marker == "+" else {"s": 12, "alpha": 0.3}
    line = {"ms": 7, "label": style.label, **line}
    over(ax, values.rename("value").reset_index(), style.colour, style.marker, shift=shift, dots=dots, **line)


def _beside(frame: pd.DataFrame, metrics: Iterable[str], scheduler: str) -> "pd.Series[float]":
    """Ratios of a scheduler to AITurbo, metric by metric: x is the position of the metric."""
    grids = {float(at): relative_to(frame, metric, along="setup")[scheduler] for at, metric in enumerate(metrics)}
    return pd.concat(grids, names=["x"])


def _by_metric(ax: Axes, main: pd.DataFrame, published: pd.DataFrame) -> None:
    for scheduler, shift in dodges(list(BASELINES), 0.21).items():
        _series(ax, _beside(main, EVALUATION_METRICS, scheduler), _look(scheduler), shift - 0.03, ls="none")
        theirs = [_printed(published, name, scheduler) for name in EVALUATION_METRICS.values()]
        draw_published(
            ax, [at + shift + 0.05 for at in range(len(EVALUATION_METRICS))], theirs, _look(scheduler).colour
        )
    name_columns(ax, [name.replace(" JCT", "\nJCT") for name in EVALUATION_METRICS.values()])


def _printed(published: pd.DataFrame, series: str, scheduler: str) -> float:
    """Published ratio to AITurbo; `series` is a metric or a point of a mix."""
    return float(published_points(published, "aiturbo", "later plots", series)[BASELINES[scheduler]])


def _over_shares(ax: Axes, mixes: pd.DataFrame, published: pd.DataFrame, names: dict[str, str]) -> None:
    if mixes.empty:  # left out by the configuration
        return
    own = relative_to(mixes, "jct_all_s")
    shown = [x for x in names if x in own.index.get_level_values("x")]
    own = own.loc[shown]
    at = [float(x) for x in shown]
    for scheduler, shift in dodges(("optimus", "tiresias"), 3.0).items():
        _series(ax, own[scheduler], _look(scheduler), shift)
        theirs = [_printed(published, names[x], scheduler) for x in shown]
        draw_published(ax, [x + shift for x in at], theirs, _look(scheduler).colour, ls="--", lw=1)
    if "tiresias-lab" in own:
        _series(ax, own["tiresias-lab"], _look("tiresias-lab"), ls=":", lw=1.2, mew=1.8)
    ax.set_xticks(at)
    ax.margins(x=0.12)


def ablation(variants: pd.DataFrame, error: pd.DataFrame, load: pd.DataFrame) -> Figure:
    """AITurbo with one thing changed, with worse predictions, and under less and more load.

    Args:
        variants: tidy rows of the table `ablation`.
        error: tidy rows of the table `error`.
        load: tidy rows of the table `load`.
    """
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(13.2, 5.0), width_ratios=[1.7, 1, 1])
    shown = [name for name in ABLATIONS if name in set(variants["scheduler"])]
    shifts = dodges(list(GROUPS), 0.18)
    for metric, group in GROUPS.items():
        own = relative_to(variants, metric, along="setup")[shown].melt(ignore_index=False, var_name="x")
        places = own.assign(x=own["x"].map(shown.index)).set_index("x", append=True)["value"]
        _series(left, places, Look(*group), shifts[metric], ls="none")
    name_columns(left, [ABLATIONS[name] for name in shown])
    left.legend(ncols=2)
    _ratio_axis(left, "One thing changed", f"{variants['seed'].nunique()} instances: dots; mean of ratios: marks")
    left.set_ylabel("JCT relative to AITurbo (log scale)")
    exact = error["x"] == min(error["x"], key=float)
    _over(middle, error, error[exact & (error["scheduler"] == "aiturbo")])
    middle.set(xlabel="error of predictions (σ of the logarithm)", ylabel="average JCT / AITurbo's, least error")
    middle.set_title("Worse predictions", pad=19)
    right.set_xscale("log", base=2)
    _over(right, load, pick(load, scheduler="aiturbo"))
    right.set(xlabel="offered load", ylabel="average JCT / AITurbo's")
    right.set_title("Load", pad=19)
    return figure


def _over(ax: Axes, frame: pd.DataFrame, base: pd.DataFrame) -> None:
    """Average JCT over the varied parameter, divided by that of `base` for the same seed (and x, if several)."""
    below = pick(base, metric="jct_all_s").set_index(["x", "seed"])["value"]
    if below.index.get_level_values("x").nunique() == 1:
        below = below.droplevel("x")
    for scheduler in dict.fromkeys(frame["scheduler"]):
        own = pick(frame, metric="jct_all_s", scheduler=scheduler).set_index(["x", "seed"])["value"]
        _series(ax, own / below, _look(scheduler))
    xs = sorted(set(frame["x"].astype(float)))
    ax.set_xticks(xs, [f"{x:g}" for x in xs])
    ax.minorticks_off()
    ax.axhline(1, color=MUTED, lw=0.8)
    ax.legend()
