"""What AITurbo's notebooks draw live: one instance, one draw of the unknown, one loss curve."""

from collections.abc import Mapping
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray

from artifact.papers.aiturbo.figures.evaluation import ABLATIONS, BASELINES, look_of, ratio_axis, series_of
from artifact.papers.aiturbo.figures.evaluation import printed as printed_ratio
from artifact.plot.published import draw_published, published_key
from rarlib.plot.axes import name_columns, name_rows, plain_ticks
from rarlib.plot.style import ALARM, INK, MUTED, Look

_CLAIMED = 3.0
_VARIANTS = ("#d55e00", "#0072b2", "#009e73", "#cc79a7", "#56b4e9", "#999933")


def printed_ratios(published: pd.DataFrame, unpredictable: int) -> dict[str, float]:
    """Published ratios of the mean JCT to AITurbo's with a share of unpredictable jobs (percent), by scheduler."""
    found = {name: printed_ratio(published, series_of(f"{unpredictable}"), name) for name in BASELINES}
    return {name: ratio for name, ratio in found.items() if np.isfinite(ratio)}


def instance(runs: pd.DataFrame, theirs: Mapping[str, float], *, claimed: bool) -> Figure:
    """Share of jobs over their completion time, and the mean completion times relative to AITurbo's.

    Args:
        runs: a row per job: `member`, `jct_h`.
        theirs: published ratios by scheduler.
        claimed: whether to draw the factor of the abstract.
    """
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 3.6), width_ratios=[1.4, 1])
    means = runs.groupby("member", sort=False)["jct_h"].mean()
    ratios = means / means["aiturbo"]
    for at, (name, rows) in enumerate(runs.groupby("member", sort=False)):
        style = _look(str(name), at)
        jct = np.sort(rows["jct_h"])
        share = 100 * np.arange(1, len(jct) + 1) / len(jct)
        left.step(jct, share, where="post", color=style.colour, label=f"{style.label}: {means[name]:.2f}")
        right.plot(at, ratios[name], style.marker, color=style.colour, ms=8)
        if name in theirs:
            draw_published(right, at + 0.15, theirs[str(name)], style.colour)
    left.set(xscale="log", xlabel="JCT (h, log scale)", ylabel="jobs (%)", ylim=(0, 102), title="One instance")
    left.legend(title="mean JCT, h")
    if claimed:
        right.axhline(_CLAIMED, color=INK, lw=1, ls="--")
    name_columns(right, [_look(str(name), at).label.replace(" ", "\n") for at, name in enumerate(means.index)])
    ratio_axis(right, "Mean JCT relative to AITurbo's", "dashed: factor of the abstract" if claimed else "")
    right.set_ylabel("ratio (log scale)")
    highest = max([float(ratios.max()), *theirs.values(), _CLAIMED if claimed else 0.0])
    right.set_ylim(min(float(ratios.min()), 0.8) / 1.1, max(highest, 1.25) * 1.15)
    if theirs:
        right.legend(handles=[published_key("later plots", MUTED)])
    return figure


def _look(name: str, at: int) -> Look:
    if name in ABLATIONS:
        return Look(ABLATIONS[name].replace("\n", " "), _VARIANTS[at], "s")
    return look_of(name)


def ratios(values: "pd.Series[float]", published: pd.DataFrame, within: "pd.Series[float]") -> Figure:
    """Published ratios to AITurbo and ours, a row per number; those within the tolerance are filled.

    Args:
        values: ours, by id.
        published: the published numbers, by id.
        within: how far ours may lie from the published one, by id.
    """
    ids = [name for name in values.index if name in within.index]
    theirs = published.loc[ids, "value"].astype(float)
    met = (values[ids] - theirs).abs() <= within[ids]
    figure, ax = plt.subplots(figsize=(8, 1.2 + 0.21 * len(ids)))
    for y, name in enumerate(ids):
        ax.plot([theirs[name], values[name]], [y, y], color=MUTED, lw=0.8, zorder=1)
        dot: dict[str, Any] = {"color": "#0072b2" if met[name] else ALARM, "mfc": None if met[name] else "white"}
        ax.plot(values[name], y, "o", **dot)
        draw_published(ax, theirs[name], y)
    rows = published.loc[ids]
    name_rows(ax, [f"{series}: {x}" if x else series for series, x in zip(rows["series"], rows["x"], strict=True)])
    ax.axvline(1, color=MUTED, lw=0.8)
    ax.set(xscale="log", xlabel="relative to AITurbo (log scale)")
    plain_ticks(ax.xaxis, (0.25, 0.5, 1, 2, 5, 10, 20, 50))
    ax.set_title(f"{int(met.sum())} of {len(ids)} published ratios come out")
    ours = [plt.Line2D([], [], marker="o", ls="none", color="#0072b2", label="ours, within the tolerance")]
    ours.append(plt.Line2D([], [], marker="o", ls="none", color=ALARM, mfc="white", label="ours, outside it"))
    figure.legend(handles=[*ours, published_key("published")], loc="outside lower center", ncols=3)
    return figure


def foretold(true: Any, fitted: Any, epochs: NDArray[np.int64], observed: NDArray[np.float64]) -> Figure:
    """A loss curve, the observed part of it, the fitted curve, and where either says that training ends.

    Args:
        true: the curve, with `at` (loss by epoch) and `converged` (epoch).
        fitted: the same, of the fit.
        epochs: when the loss was observed.
        observed: the loss then.
    """
    figure, ax = plt.subplots(figsize=(8, 3.4))
    ends, found = max(true.converged(), 1), fitted.converged()
    span = np.linspace(1, 1.2 * max(ends, found, epochs[-1]), 200)
    ax.plot(span, true.at(span), color=INK, label="true")
    ax.plot(span, fitted.at(span), color="#d55e00", ls="--", label="fitted to what was seen")
    ax.plot(epochs, observed, "o", color="#0072b2", ms=4, label="seen")
    for end, colour, style in ((ends, INK, "-"), (found, "#d55e00", "--")):
        ax.axvline(end, color=colour, lw=1, ls=style)
    wrong = 100 * abs(found / ends - 1)
    ax.set(xlabel="epoch", ylabel="loss", title=f"Converged after epoch {ends}; foretold: {found} ({wrong:.0f} % off)")
    ax.set_ylim(0, 1.1 * max(float(observed.max()), float(true.at(1))))
    ax.legend()
    return figure
