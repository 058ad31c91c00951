"""What an error of a simulator does to a mean and to a comparison of two policies."""

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from rarlib.plot.axes import name_rows, plain_ticks
from rarlib.plot.style import INK, MUTED

_COLOURS = ("#767676", "#0072b2", "#d55e00")


def errors_of_quantities(rows: pd.DataFrame, quantities: Sequence[str]) -> Figure:
    """A row per way to be wrong: a thin mark for each case, a thick one for the mean absolute error of each quantity.

    `rows`: columns wrong, quantity, error (relative); `quantities`: in the order of their colours, three at most.
    """
    ways = list(dict.fromkeys(rows["wrong"]))
    figure, ax = plt.subplots(figsize=(9.0, 0.75 * len(ways) + 1.1))
    for at, way in enumerate(ways):
        for place, (quantity, colour) in enumerate(zip(quantities, _COLOURS, strict=False)):
            y = at + 0.25 * (place - 1)
            errors = 100 * rows[(rows["wrong"] == way) & (rows["quantity"] == quantity)]["error"]
            ax.plot(errors, [y] * len(errors), "|", color=colour, ms=5, alpha=0.45)
            ax.plot(errors.mean(), y, "o", color=colour, ms=6.5, mec="white", label=quantity if at == 0 else None)
    name_rows(ax, ways)
    ax.axvline(0.0, color=INK, lw=0.8)
    ax.set_xlabel("simulated over true, less 1 (%)")
    ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return figure


def level_picture(ax: Axes, errors: pd.Series, difference: float, level: float) -> None:
    """Measured errors of ratios, and where a difference of two policies lies among them.

    `errors`: of ratios, ascending; `difference`: of two policies, 0.1 for 10 %; `level`: share of the errors below it.
    """
    _error_steps(ax, errors.to_numpy())
    ax.plot([100 * difference] * 2, [0, level], color=_COLOURS[2], lw=1.5)
    ax.plot([1, 100 * difference], [level] * 2, color=_COLOURS[2], lw=1.5)
    text = f"{100 * difference:.0f} % is more than {100 * level:.0f} % of the errors"
    ax.annotate(text, (1.1, level), (0, 4), textcoords="offset points", color=MUTED)


def _error_steps(ax: Axes, errors: NDArray[np.float64]) -> None:
    ax.step(100 * errors, np.arange(1, len(errors) + 1) / len(errors), where="post", color=INK, lw=1.5)
    ax.set(
        xscale="log", xlim=(1, 100), ylim=(0, 1.04), xlabel="difference of two policies, or error of their ratio (%)"
    )
    ax.set(ylabel="share of errors below", title=f"Simulated against measured: {len(errors)} published pairs")
    plain_ticks(ax.xaxis, (1, 2, 5, 10, 20, 50, 100, 200, 500))
