"""Sliders below a figure, wherever the reader's notebook can show them."""

import os
from collections.abc import Callable, Sequence
from typing import Any

PAGE = "RARLIB_PAGE"
"""Environment variable that is set while a notebook is executed to become a page, where sliders cannot redraw."""

ON_PAGE = "Sliders are in the notebook itself, where somebody can move them; here are the pictures alone."
WITHOUT = "No sliders here: they need ipywidgets. Call the function of this cell with other values instead."


def slider(draw: Callable[..., object], **values: Sequence[Any]) -> object:
    """A slider for each argument of `draw`; moving one redraws the figure.

    Sliders are optional: a notebook must draw every figure that its text needs without them.

    `values`: values that each slider offers; the middle one is selected first.

    Returns:
        What the cell shows: the sliders, or one sentence if nobody can move them or ipywidgets is missing.
    """
    if not is_watched():
        return ON_PAGE
    try:
        import ipywidgets  # noqa: PLC0415 - optional: kernels without it still work
    except ImportError:
        return WITHOUT
    sliders = {
        name: ipywidgets.SelectionSlider(
            options=list(offered), value=offered[len(offered) // 2], description=name, continuous_update=False
        )
        for name, offered in values.items()
    }
    return ipywidgets.interactive(draw, **sliders)


def is_watched() -> bool:
    """Whether somebody has opened the notebook: Jupyter Server and Visual Studio Code tell the kernel.

    A run by papermill or `jupyter execute` has nobody to move
    controls, and now and then it waits for them forever.
    """
    if os.environ.get(PAGE):
        return False
    if os.environ.get("JPY_SESSION_NAME"):
        return True
    try:
        from IPython import get_ipython  # noqa: PLC0415 - a script has no IPython
    except ImportError:
        return False
    shell = get_ipython()
    return shell is not None and "__vsc_ipynb_file__" in shell.user_ns
