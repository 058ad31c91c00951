"""Figures of tidy tables by name: ours, and functions of installed packages that take a frame and return a figure."""

from collections.abc import Callable
from functools import cache
from importlib.metadata import EntryPoint
from typing import TYPE_CHECKING, cast

import pandas as pd

from rarlib.discovery import scheduler_labels
from rarlib.model import plugins
from rarlib.model.errors import InputError, did_you_mean
from rarlib.model.plugins import EntryGroup

if TYPE_CHECKING:  # an extra brings Matplotlib
    from matplotlib.figure import Figure

_OWN = ("jct",)


@cache
def added_figures() -> dict[str, EntryPoint]:
    """Figures of installed packages by name.

    Raises:
        InputError: if two packages offer the same name, or a package offers one of ours.
    """
    return plugins.added(EntryGroup.FIGURES, dict.fromkeys(_OWN, "rarlib itself"))


def figure_names() -> list[str]:
    """Names that `drawn_figure` knows, ours first."""
    return [*_OWN, *added_figures()]


def drawn_figure(name: str, frame: pd.DataFrame) -> "Figure":
    """Draw a figure in the style of all figures; every scheduler has a colour and a marker of its own.

    Args:
        name: of the figure.
        frame: tidy rows.

    Raises:
        InputError: for an unknown figure, or a function that returns something else.
    """
    from matplotlib.figure import Figure  # noqa: PLC0415 - an extra brings Matplotlib

    from rarlib.plot import style  # noqa: PLC0415

    style.use_style()
    style.introduce(scheduler_labels())
    figure = _function(name)(frame)
    if not isinstance(figure, Figure):
        raise InputError(f"figure {name!r} must return a Matplotlib figure, found {type(figure).__name__}")
    return figure


def _function(name: str) -> Callable[[pd.DataFrame], "Figure"]:
    if name in added_figures():
        return cast("Callable[[pd.DataFrame], Figure]", plugins.loaded(added_figures()[name]))
    if name not in _OWN:
        known = figure_names()
        raise InputError(f"unknown figure {name!r}{did_you_mean(name, known)}; known: {', '.join(known)}")
    from rarlib.plot.side_by_side import completion_times  # noqa: PLC0415

    return completion_times
