"""Sliders under a picture, wherever the reader's notebook can show them."""

import os
from collections.abc import Callable, Sequence
from typing import Any

PAGE = "RARLIB_PAGE"
"""Environment variable: set while a notebook is run to be read as a page, on which no slider could draw again."""

ON_PAGE = "Sliders are in the notebook itself; a page has the pictures alone."
WITHOUT = "No sliders here: they need ipywidgets. Call the function of this cell with other values instead."


def slider(draw: Callable[..., object], **values: Sequence[Any]) -> object:
    """A slider for each argument of `draw`; moving one draws again.

    A notebook has to say what it says without them: they are an addition to pictures that are drawn anyway.

    Args:
        draw: draws one picture; takes the sliders' values by keyword.
        values: what each slider offers; the middle comes first.

    Returns:
        What the cell shows: the sliders, or a sentence on a page and where ipywidgets is missing.
    """
    if os.environ.get(PAGE):
        return ON_PAGE
    try:
        import ipywidgets  # noqa: PLC0415 - optional: plain kernels do without
    except ImportError:
        return WITHOUT
    sliders = {
        name: ipywidgets.SelectionSlider(
            options=list(offered), value=offered[len(offered) // 2], description=name, continuous_update=False
        )
        for name, offered in values.items()
    }
    return ipywidgets.interactive(draw, **sliders)
