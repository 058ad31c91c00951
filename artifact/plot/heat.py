"""Heat maps with text in the cells, some of them hatched (seaborn)."""

from typing import Any

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from rarlib.plot.style import INK


def heat(
    ax: Axes,
    values: pd.DataFrame,
    texts: pd.DataFrame,
    hatched: pd.DataFrame,
    hatch: str,
    edge: str = "white",
    **look: Any,
) -> None:
    """Draw a cell for each value, the first row on top; cells without a value stay empty.

    Args:
        ax: axes to draw on.
        values: values shown as colours; the names of rows and columns label the axes.
        texts: text in each cell; same shape.
        hatched: which cells are hatched; same shape.
        hatch: pattern of the hatched cells.
        edge: colour of the pattern.
        look: passed on to seaborn.
    """
    sns.heatmap(values, annot=texts, fmt="", cbar=False, linecolor="white", ax=ax, **look)
    faces = ax.collections[0].get_facecolors()[values.notna().to_numpy().ravel()]  # type: ignore[attr-defined]
    if "color" not in look.get("annot_kws", {}):  # seaborn writes in white even on rather light colours
        for text, face in zip(ax.texts, faces, strict=True):
            text.set_color("white" if np.dot(face[:3], (0.299, 0.587, 0.114)) < 0.5 else INK)
    for y, x in np.argwhere(hatched.to_numpy(dtype=bool)):
        ax.add_patch(Rectangle((x, y), 1, 1, fill=False, ec=edge, lw=0, hatch=hatch))
    ax.set(xlabel="", ylabel="")
    ax.tick_params(length=0)
    ax.tick_params(axis="y", rotation=0)
    ax.grid(visible=False)
