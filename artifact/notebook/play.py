"""Controls below a figure: each change draws it again; where controls cannot work, the figure is drawn once."""

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from artifact.notebook.job import FIGURE_FILES
from artifact.notebook.picture import display_picture
from artifact.plot.learn.slider import is_watched
from rarlib.model.errors import DecisionError, InputError

if TYPE_CHECKING:  # an extra brings Matplotlib
    from matplotlib.figure import Figure

STATIC_PAGE = "On this page the picture is still; in the notebook its controls redraw it."
NO_CONTROLS = "No controls here: they need ipywidgets. Call the function of this cell with other values instead."


def play(draw: Callable[..., "Figure"], alt: str = "", **values: Sequence[Any]) -> object:
    """Controls for the arguments of `draw`: a slider for numbers, buttons for names. Moving one redraws the figure.

    Args:
        draw: draws one figure; takes the values by keyword, and must answer within a second. A control says an
            `InputError` or `DecisionError` in a sentence.
        alt: what the figure shows, for readers who cannot see it; the values are added. Empty: the first line of what
            `draw` says of itself.
        values: values that each control offers; the first one is selected at the start.

    Returns:
        What the cell shows: the controls, or one sentence if the notebook becomes a page or ipywidgets is missing.
    """
    drawing = draw.func if isinstance(draw, partial) else draw
    alt = alt or (drawing.__doc__ or "").strip().split("\n")[0]
    first = {name: offered[0] for name, offered in values.items()}
    if os.environ.get(FIGURE_FILES) or not is_watched():
        _draw(draw, alt, first)
        return STATIC_PAGE
    try:
        import ipywidgets  # noqa: PLC0415 - optional: kernels without it still work
    except ImportError:
        _draw(draw, alt, first)
        return NO_CONTROLS
    controls = {name: _control(ipywidgets, name, list(offered)) for name, offered in values.items()}

    def answer(**chosen: Any) -> None:
        try:
            _draw(draw, alt, chosen)
        except (InputError, DecisionError) as error:  # such values have no answer
            print(f"No picture for these values: {error}")  # noqa: T201

    return ipywidgets.interactive(answer, **controls)


def _control(ipywidgets: Any, name: str, offered: list[Any]) -> Any:
    """A control with its label in full; all of them can be moved with the keyboard.

    Not a menu: JupyterLab takes the arrow keys away from it.
    """
    numbers = all(isinstance(value, int | float) and not isinstance(value, bool) for value in offered)
    kind = ipywidgets.SelectionSlider if numbers else ipywidgets.ToggleButtons
    options = sorted(offered) if numbers else offered
    more = {"continuous_update": False} if numbers else {}
    wide = {} if numbers else {"button_width": "auto"}
    return kind(
        options=options,
        value=offered[0],
        description=name.rstrip("_"),
        style={"description_width": "initial", **wide},
        **more,
    )


def _draw(draw: Callable[..., "Figure"], alt: str, values: Mapping[str, Any]) -> None:
    chosen = ", ".join(f"{name.rstrip('_')} {value}" for name, value in values.items())
    display_picture(draw(**values), f"{alt} Here: {chosen}.")
