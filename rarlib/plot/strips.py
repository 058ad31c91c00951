"""Instances as dots and what they amount to as marks, a row per scheduler or reading (seaborn)."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes


@contextmanager
def steady() -> Iterator[None]:
    """The same random numbers every time: seaborn scatters dots with NumPy's global generator."""
    state = np.random.get_state()  # noqa: NPY002 - see above
    np.random.seed(0)  # noqa: NPY002
    try:
        yield
    finally:
        np.random.set_state(state)  # noqa: NPY002


def strips(
    ax: Axes, frame: pd.DataFrame, value: str, row: str, colours: Mapping[Any, str], *, mean: bool = True
) -> None:
    """A dot per instance, scattered across its row; over them mean and standard deviation.

    Args:
        ax: where.
        frame: a row per instance.
        value: column along the axis.
        row: column that names the row.
        colours: of the rows, from top to bottom.
        mean: whether to mark mean and standard deviation.
    """
    if frame.empty:
        return
    across: dict[str, Any] = {"x": value, "y": row, "order": list(colours), "ax": ax, "legend": False}
    across |= {"hue": row, "palette": dict(colours), "orient": "h"}
    with steady():
        sns.stripplot(frame, **across, size=3.6, alpha=0.3, linewidth=0, jitter=0.12)
    if mean:
        marks(ax, frame, value, row, colours, errorbar="sd")


def marks(
    ax: Axes,
    frame: pd.DataFrame,
    value: str,
    row: str,
    colours: Mapping[Any, str],
    markers: Sequence[str] | str = "o",
    **look: Any,
) -> None:
    """A mark per row, the mean of its values unless `look` names another estimator; see `strips`."""
    sns.pointplot(
        frame, x=value, y=row, order=list(colours), hue=row, hue_order=list(colours), palette=dict(colours), orient="h",
        markers=markers, linestyle="none", legend=False, ax=ax,
        **{"errorbar": None, "ms": 7, "mew": 1, "capsize": 0.12, "err_kws": {"lw": 1.6}, **look},
    )  # fmt: skip
