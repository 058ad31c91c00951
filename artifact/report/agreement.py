"""Published numbers against ours, one picture for each paper, from the ledger alone."""

import io

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from artifact.ledger.claims import FITTED, TESTED
from rarlib.plot.style import GRID, INK, MUTED, use_style

_BAND = 0.1
"""Usual tolerance of a claim, relative."""


def published_against_ours(rows: pd.DataFrame) -> Figure | None:
    """Ours over published, both logarithmic, each number in its own unit; None without a number to show.

    `rows`: of one paper, columns as in the ledger; statements and what has no positive value are left out.
    """
    shown = rows[rows["role"].isin((FITTED, TESTED)) & (rows["same_as"] == "")]
    table = shown[["value", "ours", "as_stated"]].apply(pd.to_numeric, errors="coerce")
    known = (table["value"] > 0) & (table["ours"] > 0)
    if not known.any():
        return None
    table, fitted = table[known], (shown["role"] == FITTED)[known]
    figure = Figure(figsize=(3.4, 3.6), layout="constrained")
    ax = figure.add_subplot()
    ends = np.array([table.min().min() / 1.5, table.max().max() * 1.5])
    ax.fill_between(ends, ends * (1 - _BAND), ends * (1 + _BAND), color=GRID, lw=0, label=f"within {_BAND:.0%}")
    ax.plot(ends, ends, color=MUTED, lw=0.8)
    literal = table[(table["as_stated"] > 0) & (table["as_stated"] != table["ours"])]
    if len(literal):
        ax.plot(
            literal["value"], literal["as_stated"], "o", ms=3, mew=0, color=MUTED, label="as stated, nothing fitted"
        )
    for chosen, face, name in ((fitted, "white", "fitted"), (~fitted, INK, "tested")):
        if chosen.any():
            part = table[chosen]
            ax.plot(part["value"], part["ours"], "o", ms=5, mfc=face, mec=INK, mew=1.0, label=f"{name}: {len(part)}")
    ax.set(xscale="log", yscale="log", xlim=ends, ylim=ends, aspect="equal", xlabel="published", ylabel="ours")
    figure.legend(loc="outside lower center", ncols=2)
    return figure


def agreement_svg(rows: pd.DataFrame) -> bytes:
    """The picture as SVG, the same bytes for the same rows; empty without a number to show."""
    with mpl.rc_context():
        use_style()
        figure, file = published_against_ours(rows), io.BytesIO()
        if figure is None:
            return b""
        figure.savefig(file, format="svg", metadata={"Date": None, "Creator": None})
    return file.getvalue()
