"""Heat maps with text in the cells, some of them hatched. Seaborn's would draw the whole figure for each map."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from rarlib.plot.style import INK


def heat(
    ax: Axes, values: pd.DataFrame, texts: pd.DataFrame, hatched: pd.DataFrame, hatch: str, edge: str,
    words: dict[str, Any], **look: Any,
) -> None:  # fmt: skip
    """Draw a cell for each value, the first row on top; cells without a value stay empty.

    Args:
        ax: axes to draw on; ticks are in the middle of the cells.
        values: values shown as colours.
        texts: text in each cell; same shape.
        hatched: which cells are hatched; same shape.
        hatch: pattern of the hatched cells.
        edge: colour of the pattern.
        words: look of the texts; without a colour they are black or white, whichever can be read.
        look: passed on to `pcolormesh`.
    """
    (down, across), shown, written = values.shape, values.to_numpy(float), texts.to_numpy(str)
    cells = ax.pcolormesh(np.ma.masked_invalid(shown), edgecolors="white", **look)
    cells.update_scalarmappable()
    faces = cells.get_facecolors().reshape(down, across, 4)  # type: ignore[attr-defined]
    ax.set(xlim=(0, across), ylim=(down, 0), xticks=np.arange(across) + 0.5, yticks=np.arange(down) + 0.5)
    for y, x in np.ndindex(down, across):
        if not np.isnan(shown[y, x]):
            colour = "white" if np.dot(faces[y, x, :3], (0.299, 0.587, 0.114)) < 0.5 else INK
            ax.text(x + 0.5, y + 0.5, str(written[y, x]), ha="center", va="center", **{"color": colour, **words})
        if hatched.iat[y, x]:
            ax.add_patch(Rectangle((x, y), 1, 1, fill=False, ec=edge, lw=0, hatch=hatch))
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    ax.grid(visible=False)
