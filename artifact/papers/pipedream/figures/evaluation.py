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

from artifact.plot.published import draw_published, published_key
from artifact.unknowns import FITTED_READING, STATED_READING
from rarlib.plot.axes import key, name_columns, name_rows, plain_ticks
from rarlib.plot.frames import pick
from rarlib.plot.style import GRID, INK, MUTED, look, note

_COLOUR, _MARKER = look("pipedream").colour, look("pipedream").marker

_STATED: dict[str, Any] = {"color": MUTED, "ms": 5.0, "mew": 0, "ls": "none", "zorder": 4}
"""What comes out with nothing fitted is small and grey."""

SCHEDULE_STYLES: dict[str, tuple[str, str, str]] = {
    "model-parallel": ("model parallelism", "#5c6b73", ""),
    "gpipe-noam": ("GPipe, flush after NOAM", "#e69f00", "//"),
    "gpipe-largest": ("GPipe, longest flush that fits", "#56b4e9", "\\\\"),
    "1f1b": ("1F1B, straight", "#0072b2", ""),
    "printed": ("1F1B, printed configuration", "#cc6677", ""),
}
"""Schedule -> label, colour, hatch."""


def configuration_table(table: pd.DataFrame) -> pd.DataFrame:
    """Replicas of the stages as text, a row per set-up, a column per plan; they are the same in every reading.

    Consecutive stages with equally many replicas are written once, as in `1x6`; a straight pipeline is `straight`.
    """
    rows = _first(table[table["metric"] == "replicas"])
    grouped = rows.assign(plan=rows["x"].str.partition("/")[0]).groupby(["setup", "plan"], sort=False)["value"]
    return grouped.apply(lambda replicas: _configuration([int(r) for r in replicas])).unstack("plan", sort=False)


def _first(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of the reading, or of another one where a run leaves it out."""
    names = list(dict.fromkeys(table["reading"]))
    return pick(table, reading=FITTED_READING if FITTED_READING in names else names[0])


def _configuration(replicas: list[int]) -> str:
    if len(replicas) > 1 and set(replicas) == {1}:
        return "straight"
    runs = [(r, len(list(same))) for r, same in groupby(replicas)]
    return "-".join(str(r) if n == 1 else f"{r}-{r}" if n == 2 else f"{r}x{n}" for r, n in runs)


def by_plan(table: pd.DataFrame) -> pd.DataFrame:
    """Values in the reading: a row per set-up and plan, a column per metric."""
    rows = _first(table[table["x_name"] == "plan"])
    return rows.pivot_table(index=["setup", "x"], columns="metric", values="value", sort=False)


def pipelines_as_stated(table: pd.DataFrame, metric: str, x: str) -> "pd.Series[float]":
    """A metric of a plan or schedule with nothing fitted, by set-up."""
    return pick(table, reading=STATED_READING, metric=metric, x=x).set_index("setup")["value"]


def speedup_table(table: pd.DataFrame, published: pd.DataFrame) -> pd.DataFrame:
    """Table 1 beside our results: chosen configurations, and published, simulated and predicted speed-ups."""
    chosen, values = configuration_table(table), by_plan(table)
    printed = values.xs("printed", level="x")
    return pd.DataFrame(
        {
            "profile": np.where(printed["measured"] > 0, "measured", "analytic"),
            "printed": published_configurations(published),
            "as coded": chosen["default"],
            "as coded, two levels": chosen["default-levels"],
            "as published": chosen["flat"],
            "as published, two levels": chosen["levels"],
            "published": published_speedups(published),
            "simulated": printed["simulated_speedup"],
            "as stated": pipelines_as_stated(table, "simulated_speedup", "printed"),
            "no overlap": printed["exposed_speedup"],
            "predicted": printed["predicted_speedup"],
            "best of ours": values["simulated_speedup"].groupby(level="setup").max(),
        },
        index=printed.index,
    )


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
    """In words: how many of the printed configurations the planner chooses, by plan."""
    values = by_plan(table)
    chosen, tied = (values[metric].dropna().unstack("x", sort=False) for metric in ("as_printed", "tied"))
    some = chosen.drop(columns="printed").join(tied.add_suffix(", or as fast")).fillna(0.0).astype(bool)
    return (
        f"Of {len(some)} configurations the planner chooses, by plan: "
        + "; ".join(f"{name} {count}" for name, count in some.sum().items())
        + f". Chosen or as fast in some plan: {int(some.any(axis=1).sum())}; in none: "
        + (", ".join(some.index[~some.any(axis=1)]) or "none")
        + "."
    )


def speedup_bars(table: pd.DataFrame, published: pd.DataFrame) -> Figure:
    """Speed-up of the printed configuration over data parallelism by row of Table 1, and what the planner chooses."""
    setups, printed = list(dict.fromkeys(table["setup"])), published_speedups(published)
    figure, (ax, names) = plt.subplots(1, 2, figsize=(13.5, 0.42 * len(setups) + 1.7), width_ratios=[5, 6], sharey=True)
    values, stated = by_plan(table), pipelines_as_stated(table, "simulated_speedup", "printed")
    for at, setup in enumerate(setups):
        ax.axhline(at + 0.5, color=GRID, lw=0.8)
        x = values.loc[(setup, "printed"), "simulated_speedup"]
        ax.plot(x, at, _MARKER, color=_COLOUR, ms=10, mec="white", mew=0.5, zorder=3)
        if setup in stated.index:
            ax.plot(stated[setup], at, _MARKER, **_STATED)
        if setup in printed.index:
            draw_published(ax, printed[setup], at - 0.22)
    ax.axvline(1.0, color=MUTED, lw=1, ls=":")
    ax.set(xscale="log", xlabel="speed-up over data parallelism (logarithmic)", title="Simulated and published")
    plain_ticks(ax.xaxis, (0.3, 0.5, 1, 2, 3, 5, 10))
    measured = values["measured"].groupby(level="setup").max() > 0
    name_rows(ax, [f"{s}{'' if measured[s] else '  (analytic)'}" for s in setups])
    _write_configurations(names, table, published_configurations(published), setups)
    handles = [
        published_key(),
        key("printed configuration, in the reading", _MARKER, color=_COLOUR, ms=10),
        Line2D([], [], marker=_MARKER, label="printed configuration, as stated", **_STATED),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=3)
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


def schedules(table: pd.DataFrame, published: pd.DataFrame) -> Figure:
    """Throughput of the same model under every schedule, relative to a straight 1F1B pipeline.

    `published`: the published numbers; those of GPipe are drawn beside ours.
    """
    times = _relative(_first(table))
    stated = _relative(pick(table, reading=STATED_READING))
    figure, ax = plt.subplots(figsize=(11.5, 4.4))
    width = 0.8 / len(SCHEDULE_STYLES)
    for at, (name, (_, colour, hatch)) in enumerate(SCHEDULE_STYLES.items()):
        places = np.arange(len(times)) + (at - 2) * width
        ax.bar(places, times[name], width * 0.92, color=colour, hatch=hatch, edgecolor="white", lw=0)
        if name != "1f1b":
            ax.plot(places, stated[name].reindex(times.index), "o", **_STATED)
        for x, setup, relative in zip(places, times.index, times[name], strict=True):
            if np.isnan(relative):
                ax.text(x, 0.01, "none fits", rotation=90, ha="center", va="bottom", fontsize=7.5, color=MUTED)
            if (theirs := published_loss(published, str(setup), name)) is not None:
                draw_published(ax, x, 1.0 - theirs / 100.0)
    name_columns(ax, [str(s).replace(" ", "\n", 1) for s in times.index])
    ax.set(ylabel="throughput relative to straight 1F1B", ylim=(0, None))
    note(ax, "model parallelism and GPipe cut the model as the straight pipeline does; diamonds: published")
    handles: list[Any] = [Patch(color=c, hatch=h, ec="white", label=label) for label, c, h in SCHEDULE_STYLES.values()]
    handles.append(Line2D([], [], marker="o", label="as stated, nothing fitted", **_STATED))
    figure.legend(handles=handles, loc="outside lower center", ncols=3)
    return figure


def _relative(table: pd.DataFrame) -> pd.DataFrame:
    """Throughput over that of the straight 1F1B pipeline, a row per set-up, a column per schedule; NaN: none fits."""
    times = pick(table, metric="simulated_s").pivot_table(index="setup", columns="x", values="value", sort=False)
    times = times.reindex(columns=list(SCHEDULE_STYLES))
    return times.rdiv(times["1f1b"], axis=0)


_SECTION_5 = {
    ("VGG-16 1x4 A", "printed", "over_model_parallel"): "pipedream-384",
    ("AlexNet 1x4 A", "printed", "over_model_parallel"): "pipedream-385",
    ("VGG-16 1x4 A", "printed", "over_unpipelined"): "pipedream-386",
    ("GNMT-16 4x4 A", "gpipe-noam", "loss_percent"): "pipedream-387",
    ("GNMT-16 2x8 B", "gpipe-noam", "loss_percent"): "pipedream-388",
    ("GNMT-16 4x4 A", "gpipe-largest", "loss_percent"): "pipedream-389",
    ("GNMT-16 2x8 B", "gpipe-largest", "loss_percent"): "pipedream-390",
    ("AWD-LM 1x4 A", "printed", "bytes_saved_percent"): "pipedream-391",
    ("S2VT 4x1 C", "printed", "bytes_saved_percent"): "pipedream-392",
    ("GNMT-16 4x4 A", "data-parallel", "overhead_percent_of_32"): "pipedream-393",
}
"""Set-up, schedule and metric -> id of the printed number."""


def section_5(table: pd.DataFrame, published: pd.DataFrame) -> pd.DataFrame:
    """The numbers of section 5 beside ours: by set-up, schedule and metric; columns published and the readings."""
    ours = table.pivot_table(index=["setup", "x", "metric"], columns="reading", values="value", sort=False)
    ours = ours.reindex(pd.MultiIndex.from_tuples(list(_SECTION_5), names=ours.index.names))
    printed = published.set_index("id")["value"].reindex(list(_SECTION_5.values())).astype(float)
    ours.insert(0, "published", printed.to_numpy())
    return ours.rename(columns={FITTED_READING: "reading", STATED_READING: "as stated"}).rename_axis(columns=None)


def published_loss(published: pd.DataFrame, setup: str, schedule: str) -> float | None:
    """Printed share of throughput lost to flushes, in percent."""
    depth = {"gpipe-noam": "at depth NOAM", "gpipe-largest": "at the largest depth"}.get(schedule)
    cluster = {"GNMT-16 4x4 A": "GNMT-16 on A", "GNMT-16 2x8 B": "GNMT-16 on B"}.get(setup)
    if depth is None or cluster is None:
        return None
    rows = published[(published["series"] == cluster) & published["x"].str.endswith(depth)]
    return float(rows["value"].iloc[0]) if len(rows) else None
