"""PipeDream (SOSP 2019): speed-ups over data parallelism for every row of Table 1, and the schedules of section 5."""

from itertools import groupby
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from rarlib.plot.axes import key, name_columns, name_rows, plain_ticks
from rarlib.plot.frames import pick
from rarlib.plot.published import draw_published, published_key
from rarlib.plot.style import GRID, INK, MUTED, note

_READINGS: dict[str, tuple[str, str, str]] = {
    "printed": ("printed configuration", "#cc6677", "*"),
    "default": ("planner as coded, one level", "#e69f00", "^"),
    "default-levels": ("planner as coded, two levels", "#56b4e9", "v"),
    "flat": ("planner as published, one level", "#0072b2", "o"),
    "levels": ("planner as published, two levels", "#009e73", "s"),
}
"""Reading -> label, colour, marker."""

SCHEDULE_STYLES: dict[str, tuple[str, str, str]] = {
    "model-parallel": ("model parallelism", "#5c6b73", ""),
    "gpipe-noam": ("GPipe, flush after NOAM", "#e69f00", "//"),
    "gpipe-largest": ("GPipe, longest flush that fits", "#56b4e9", "\\\\"),
    "1f1b": ("1F1B, straight", "#0072b2", ""),
    "printed": ("1F1B, printed configuration", "#cc6677", ""),
}
"""Schedule -> label, colour, hatch."""


def configuration_table(table: pd.DataFrame) -> pd.DataFrame:
    """Replicas of the stages as text, a row per set-up, a column per reading.

    Consecutive stages with equally many replicas are written once, as in `1x6`; a straight pipeline is `straight`.
    """
    rows = table[table["metric"] == "replicas"]
    grouped = rows.groupby(["setup", "reading"], sort=False)["value"]
    return grouped.apply(lambda replicas: _configuration([int(r) for r in replicas])).unstack("reading", sort=False)


def _configuration(replicas: list[int]) -> str:
    if len(replicas) > 1 and set(replicas) == {1}:
        return "straight"
    runs = [(r, len(list(same))) for r, same in groupby(replicas)]
    return "-".join(str(r) if n == 1 else f"{r}-{r}" if n == 2 else f"{r}x{n}" for r, n in runs)


def speedup_table(table: pd.DataFrame, published: pd.DataFrame) -> pd.DataFrame:
    """Table 1 beside our results: chosen configurations, and published, simulated and predicted speed-ups."""
    chosen, usual = configuration_table(table), nominal(table)
    values = usual.pivot_table(index="setup", columns=["metric", "reading"], values="value", sort=False)
    return pd.DataFrame(
        {
            "profile": np.where(values["measured", "printed"] > 0, "measured", "analytic"),
            "printed": published_configurations(published),
            "as coded": chosen["default"],
            "as coded, two levels": chosen["default-levels"],
            "as published": chosen["flat"],
            "as published, two levels": chosen["levels"],
            "published": published_speedups(published),
            "simulated": values["simulated_speedup", "printed"],
            "simulated, no overlap": values["exposed_speedup", "printed"],
            "predicted": values["predicted_speedup", "printed"],
            "best of ours": usual[usual["metric"] == "simulated_speedup"].groupby("setup")["value"].max(),
        },
        index=values.index,
    )


def nominal(table: pd.DataFrame) -> pd.DataFrame:
    """The rows at the headline's rates, without those of other systems and those by stage."""
    return table[table["x_name"].fillna("") == ""]


def published_speedups(published: pd.DataFrame) -> "pd.Series[float]":
    """Printed epoch-time speed-ups over data parallelism, by row."""
    return _printed(published, "epoch-time speed-up over DP").astype(float)


def published_configurations(published: pd.DataFrame) -> "pd.Series[str]":
    """Printed configurations, by row."""
    return _printed(published, "configuration")


def _printed(published: pd.DataFrame, x: str) -> "pd.Series[Any]":
    rows = pick(published, paper="pipedream", where="Table 1", x=x)
    return rows.set_index("series")["value"]


def chosen_as_printed(table: pd.DataFrame) -> str:
    """In words: how many of the printed configurations the planner chooses, by reading."""
    rows = table[table["metric"].isin(["as_printed", "tied"])].pivot_table(
        index="setup", columns=["metric", "reading"], values="value", sort=False
    )
    chosen = rows["as_printed"].drop(columns=["printed", "printed-default"])
    some = chosen.join(rows["tied"].add_suffix(", or as fast")).fillna(0.0).astype(bool)
    return (
        f"Of {len(some)} configurations the planner chooses, by reading: "
        + "; ".join(f"{name} {count}" for name, count in some.sum().items())
        + f". Chosen or as fast in some reading: {int(some.any(axis=1).sum())}; in none: "
        + (", ".join(some.index[~some.any(axis=1)]) or "none")
        + "."
    )


def speedup_bars(table: pd.DataFrame, published: pd.DataFrame) -> Figure:
    """Speed-up over data parallelism of every row of Table 1, and the configurations behind it.

    Args:
        table: tidy rows of table1.
        published: the published numbers.
    """
    setups, printed = list(dict.fromkeys(table["setup"])), published_speedups(published)
    figure, (ax, names) = plt.subplots(1, 2, figsize=(13.5, 0.42 * len(setups) + 1.7), width_ratios=[5, 6], sharey=True)
    values = nominal(table).pivot_table(index=["setup", "reading"], columns="metric", values="value")
    for at, setup in enumerate(setups):
        ax.axhline(at + 0.5, color=GRID, lw=0.8)
        ours = values.loc[(setup, "printed")]
        ax.plot([ours["simulated_speedup"], ours["exposed_speedup"]], [at, at], color=_READINGS["printed"][1], lw=2)
        for row, (reading, (_, colour, marker)) in enumerate(_READINGS.items()):
            x = values.loc[(setup, reading), "simulated_speedup"]
            size = 10 if reading == "printed" else 5.5
            ax.plot(x, at + 0.09 * row, marker, color=colour, ms=size, mec="white", mew=0.5, zorder=3)
        if setup in printed.index:
            draw_published(ax, printed[setup], at - 0.22)
    ax.axvline(1.0, color=MUTED, lw=1, ls=":")
    ax.set(xscale="log", xlabel="speed-up over data parallelism (logarithmic)", title="Simulated and published")
    plain_ticks(ax.xaxis, (0.3, 0.5, 1, 2, 3, 5, 10))
    measured = values["measured"].groupby(level="setup").max() > 0
    name_rows(ax, [f"{s}{'' if measured[s] else '  (analytic)'}" for s in setups])
    _write_configurations(names, table, published_configurations(published), setups)
    _readings_legend(figure)
    return figure


def _write_configurations(ax: Axes, table: pd.DataFrame, printed: "pd.Series[str]", setups: list[str]) -> None:
    chosen = configuration_table(table)
    columns = {"printed": printed, "as coded": chosen["default"], "two levels": chosen["default-levels"]}
    columns |= {"as published": chosen["flat"], "two levels ": chosen["levels"]}
    places = (0.0, 0.12, 0.34, 0.58, 0.81)
    for (title, column), x in zip(columns.items(), places, strict=True):
        ax.text(x, -0.75, title, fontweight="bold", va="bottom", fontsize=9)
        for at, setup in enumerate(setups):
            text = str(column.get(setup, ""))
            same = text == str(printed.get(setup, ""))
            ax.text(x, at, text, va="center", fontsize=7 if len(text) > 12 else 8.5, color=INK if same else MUTED)
    ax.set_xlim(0, 1)
    ax.set_axis_off()


def _readings_legend(figure: Figure) -> None:
    handles = [
        published_key(),
        *(
            key(label, marker, color=colour, ms=10 if name == "printed" else 6)
            for name, (label, colour, marker) in _READINGS.items()
        ),
        Line2D([], [], color=_READINGS["printed"][1], lw=2, label="up to: no overlap in data parallelism"),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=3)


def schedules(table: pd.DataFrame, published: pd.DataFrame) -> Figure:
    """Throughput of the same model under every schedule, relative to a straight 1F1B pipeline.

    Args:
        table: tidy rows of schedules.
        published: the published numbers; those of GPipe are drawn beside ours.
    """
    times = table[table["metric"] == "simulated_s"].pivot_table(
        index="setup", columns="reading", values="value", sort=False
    )
    figure, ax = plt.subplots(figsize=(11.5, 4.4))
    width = 0.8 / len(SCHEDULE_STYLES)
    for at, (name, (_, colour, hatch)) in enumerate(SCHEDULE_STYLES.items()):
        heights = times["1f1b"] / times[name]
        places = np.arange(len(times)) + (at - 2) * width
        ax.bar(places, heights, width * 0.92, color=colour, hatch=hatch, edgecolor="white", lw=0)
        for x, height, setup in zip(places, heights, times.index, strict=True):
            if name != "1f1b":
                ax.annotate(f"{height:.2g}", (x, height), ha="center", va="bottom", fontsize=6.3, color=MUTED)
            theirs = published_loss(published, str(setup), name)
            if theirs is not None:
                draw_published(ax, x, 1.0 - theirs / 100.0)
    name_columns(ax, [str(s).replace(" ", "\n", 1) for s in times.index])
    ax.set(ylabel="throughput relative to straight 1F1B", ylim=(0, None))
    note(ax, "model parallelism and GPipe cut the model as the straight pipeline does; diamonds: published")
    handles = [Patch(color=c, hatch=h, ec="white", label=label) for label, c, h in SCHEDULE_STYLES.values()]
    figure.legend(handles=handles, loc="outside lower center", ncols=3)
    return figure


def published_loss(published: pd.DataFrame, setup: str, schedule: str) -> float | None:
    """Printed share of throughput lost to flushes, in percent."""
    depth = {"gpipe-noam": "at depth NOAM", "gpipe-largest": "at the largest depth"}.get(schedule)
    cluster = {"GNMT-16 4x4 A": "GNMT-16 on A", "GNMT-16 2x8 B": "GNMT-16 on B"}.get(setup)
    if depth is None or cluster is None:
        return None
    rows = published[(published["series"] == cluster) & published["x"].str.endswith(depth)]
    return float(rows["value"].iloc[0]) if len(rows) else None
