"""Parameters that a paper does not state, and draws of them: the first half of an inference.

A paper's unknowns and their ranges are listed in `config/readings/PAPER.yaml`, or in its `inference.py`, which runs
a cheap experiment for every draw; `artifact.ledger.inference` says which draws bring out which published numbers. Draws
fill the ranges evenly (Latin hypercube), so that few of them cover many parameters.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from rarlib.model.errors import InputError, require_keys
from rarlib.model.later import Later
from rarlib.model.plain_yaml import yaml_file
from rarlib.model.project import ROOT
from rarlib.model.seeds import stream

_qmc = Later("scipy.stats.qmc")

READINGS_FOLDER = ROOT / "config/readings"
"""One file for each paper that is read by a fit: what it leaves open, and the reading that was chosen."""

PARAMETER_PREFIX = "param:"
"""Before the name of a parameter in the column `metric` of a table of draws."""
PRIOR = "prior"
"""The reading of all rows of a table of draws."""
FITTED_READING, STATED_READING = "fitted", "stated"
"""Readings that are run for a paper: the one chosen by its fitted numbers, and the one in which nothing is fitted."""
_SCALES = ("linear", "log", "integer", "choice")


@dataclass(frozen=True)
class Unknown:
    """A parameter that a paper does not state.

    Attributes:
        name: of the parameter.
        low, high: ends of the prior range; a choice has none.
        scale: `linear` and `log` are uniform on that scale, `integer` includes both ends, `choice` is one of `choices`.
        choices: what may be chosen, all equally likely.
        says: what the paper says about it, and why the range is the one given.
    """

    name: str
    low: float = 0.0
    high: float = 1.0
    scale: str = "linear"
    choices: tuple[Any, ...] = ()
    says: str = ""

    def __post_init__(self) -> None:
        """Refuse a range that cannot be drawn from.

        Raises:
            InputError: for an unknown scale, an empty range, a log range that is not positive, or no choices.
        """
        if self.scale not in _SCALES:
            raise InputError(f"unknown scale {self.scale!r}; known: {', '.join(_SCALES)}", field=self.name)
        if self.scale == "choice" and not self.choices:
            raise InputError("a choice needs something to choose from", field=self.name)
        if self.scale != "choice" and not self.low < self.high:
            raise InputError(f"range {self.low} to {self.high} is empty", field=self.name)
        if self.scale == "log" and self.low <= 0:
            raise InputError("a log range must be positive", field=self.name)

    def at(self, share: "np.ndarray[Any, np.dtype[np.float64]]") -> list[Any]:
        """RunValues at shares (between 0 and 1) of the prior."""
        if self.scale == "choice":
            return [self.choices[min(int(u * len(self.choices)), len(self.choices) - 1)] for u in share]
        if self.scale == "integer":
            return [int(min(np.floor(self.low + u * (self.high - self.low + 1)), self.high)) for u in share]
        if self.scale == "log":
            return [float(self.low * (self.high / self.low) ** u) for u in share]
        return [float(self.low + u * (self.high - self.low)) for u in share]

    def holds(self, value: Any) -> bool:
        """Whether a value is one of the choices, or within the range."""
        if self.scale == "choice":
            return value in self.choices
        return isinstance(value, int | float) and not isinstance(value, bool) and self.low <= value <= self.high

    def number(self, value: Any) -> float:
        """A value as a number: the position of a choice, the value itself otherwise."""
        return float(self.choices.index(value)) if self.scale == "choice" else float(value)


def read_unknowns(paper: str, folder: Path = READINGS_FOLDER) -> tuple[tuple[Unknown, ...], dict[str, Any]]:
    """The unknowns of a paper, and for each the value that is nearest to its text.

    Args:
        paper: key of the paper, as `sjf-bco`.
        folder: with `PAPER.yaml`.

    Raises:
        InputError: for an unknown key, or a text's value that is not among the choices.
    """
    path = folder / f"{paper}.yaml"
    content = yaml_file(path)
    given = content.get("unknowns") if isinstance(content, dict) else None
    if not isinstance(given, dict) or not given:
        raise InputError("must be a mapping from names to unknowns", file=path, field="unknowns")
    return tuple(_stated(name, each, path) for name, each in given.items()), {
        name: each["text"] for name, each in given.items()
    }


def chosen_reading(paper: str, folder: Path = READINGS_FOLDER) -> dict[str, Any]:
    """The reading that the paper's fitted numbers chose: a value for each unknown.

    Raises:
        InputError: the file has none.
    """
    path = folder / f"{paper}.yaml"
    chosen = yaml_file(path).get("chosen")
    if not isinstance(chosen, dict):
        raise InputError("no reading was chosen; `python -m tools.readings PAPER` does", file=path, field="chosen")
    return chosen


def _stated(name: str, given: Any, path: Path) -> Unknown:
    """An unknown; the text's value is a choice, or lies in the range, or is null where a range says what null means."""
    field, needed = f"unknowns.{name}", ("symbol", "where", "why", "text")
    require_keys(given, (*needed, "range", "scale", "choices"), path, field)
    for key in needed:
        if key not in given:
            raise InputError(f"{key} is missing", file=path, field=field)
    if ("range" in given) == ("choices" in given):
        raise InputError("needs a range or choices, and not both", file=path, field=field)
    says = f"{given['where']}: {given['why']}"
    try:
        if "range" in given:
            low, high = given["range"]
            found = Unknown(name, low, high, given.get("scale", "linear"), says=says)
        else:
            found = Unknown(name, scale="choice", choices=tuple(given["choices"]), says=says)
    except (InputError, TypeError, ValueError) as error:
        raise InputError(str(error), file=path, field=field) from error
    if not found.holds(given["text"]) and not (given["text"] is None and "range" in given):
        raise InputError("the text's value is not open", file=path, field=field)
    return found


def draw_parameters(unknowns: Sequence[Unknown], draws: int, seed: int = 0) -> pd.DataFrame:
    """Draw parameter sets from their priors, independent of one another.

    Args:
        unknowns: one column each.
        draws: number of parameter sets.
        seed: of the draws; the instances that are run have seeds of their own.

    Returns:
        One row per draw, columns named as the unknowns.
    """
    shares = _qmc.LatinHypercube(len(unknowns), rng=stream(seed, "inference")).random(draws)
    return pd.DataFrame({unknown.name: unknown.at(shares[:, k]) for k, unknown in enumerate(unknowns)}, dtype=object)


def draw_rows(
    unknowns: Sequence[Unknown], number: int, parameters: Mapping[str, Any], values: Mapping[str, float]
) -> Iterable[tuple[Any, ...]]:
    """Rows of one draw for `rarlib.records.tidy.tidy`: its parameters, and what the run gave for each published id.

    Args:
        unknowns: of the paper.
        number: of the draw; it becomes the row's seed.
        parameters: by name.
        values: by published id; NaN where the run gave none.
    """
    named = {f"{PARAMETER_PREFIX}{unknown.name}": unknown.number(parameters[unknown.name]) for unknown in unknowns}
    return [("", PRIOR, "draw", number, number, metric, value, "1") for metric, value in {**named, **values}.items()]
