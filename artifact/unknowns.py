"""Parameters that a paper does not state, and draws of them: the first half of an inference.

A paper's unknowns and their ranges are listed in `config/readings/PAPER.yaml`; its `inference.py` runs a cheap
experiment for every draw; `artifact.ledger.inference` says which draws bring out which published numbers. Draws
fill the ranges evenly (Latin hypercube), so that few of them cover many parameters.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from rarlib.model.errors import InputError
from rarlib.model.later import Later
from rarlib.model.plain_yaml import yaml_file
from rarlib.model.project import ROOT
from rarlib.model.seeds import stream
from rarlib.records.tidy import tidy

_qmc = Later("scipy.stats.qmc")

READINGS_FOLDER = ROOT / "config/readings"
"""One file for each paper: what it leaves open, and the reading that was chosen, if one is fitted."""

PARAMETER_PREFIX = "param:"
"""Before the name of a parameter in the column `metric` of a table of draws."""
PRIOR = "prior"
"""The reading of all rows of a table of draws."""
FITTED_READING, STATED_READING = "fitted", "stated"
"""Readings that are run for a paper: the one chosen by its fitted numbers, and the one in which nothing is fitted."""


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

    def at(self, share: "np.ndarray[Any, np.dtype[np.float64]]") -> list[Any]:
        """Values at shares (between 0 and 1) of the prior."""
        if self.scale == "choice":
            return [self.choices[min(int(u * len(self.choices)), len(self.choices) - 1)] for u in share]
        if self.scale == "integer":
            return [int(min(np.floor(self.low + u * (self.high - self.low + 1)), self.high)) for u in share]
        if self.scale == "log":
            return [float(self.low * (self.high / self.low) ** u) for u in share]
        return [float(self.low + u * (self.high - self.low)) for u in share]

    def number(self, value: Any) -> float:
        """A value as a number: the position of a choice, the value itself otherwise."""
        return float(self.choices.index(value)) if self.scale == "choice" else float(value)


def read_unknowns(paper: str, folder: Path = READINGS_FOLDER) -> tuple[tuple[Unknown, ...], dict[str, Any]]:
    """The unknowns of a paper, and for each the value that is nearest to its text."""
    given = yaml_file(folder / f"{paper}.yaml")["unknowns"]
    unknowns = tuple(_stated(name, each) for name, each in given.items())
    return unknowns, {name: each["text"] for name, each in given.items()}


PaperReadings = Mapping[str, Mapping[str, Any]]
"""A value for each unknown, by name of the reading."""


def readings_of(paper: str) -> tuple[tuple[Unknown, ...], PaperReadings]:
    """The unknowns of a paper and its readings: the one that its fitted numbers chose, and the text's values."""
    unknowns, text = read_unknowns(paper)
    return unknowns, {FITTED_READING: yaml_file(READINGS_FOLDER / f"{paper}.yaml")["chosen"], STATED_READING: text}


def value_of_each(readings: PaperReadings, name: str, own: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """A value for each unknown: those of a reading, replaced by the others that are not None.

    Raises:
        InputError: for an unknown reading.
    """
    if name not in readings:
        raise InputError(f"unknown reading {name!r}; known: {', '.join(readings)}", field="readings")
    return {**readings[name], **{each: value for each, value in (own or {}).items() if value is not None}}


def _stated(name: str, given: Mapping[str, Any]) -> Unknown:
    """An unknown; the text's value is a choice, or lies in the range, or is null where a range says what null means."""
    says = f"{given['where']}: {given['why']}"
    if "range" in given:
        low, high = given["range"]
        return Unknown(name, low, high, given.get("scale", "linear"), says=says)
    return Unknown(name, scale="choice", choices=tuple(given["choices"]), says=says)


def draw_parameters(unknowns: Sequence[Unknown], draws: int) -> pd.DataFrame:
    """Draw parameter sets from their priors, independent of one another.

    Returns:
        One row per draw, columns named as the unknowns.
    """
    shares = _qmc.LatinHypercube(len(unknowns), rng=stream(0, "inference")).random(draws)
    return pd.DataFrame({unknown.name: unknown.at(shares[:, k]) for k, unknown in enumerate(unknowns)}, dtype=object)


def table_of_draws(
    unknowns: Sequence[Unknown],
    draws: int,
    outcomes: Callable[[Mapping[str, Any]], Mapping[str, float]],
    *,
    experiment: str,
    member: str,
) -> pd.DataFrame:
    """The parameters of every draw and what its run gives, as a tidy table; the number of the draw is the seed.

    `outcomes`: a value for each unknown -> value by published id; `alive` is left out.
    """
    sets: Any = draw_parameters(unknowns, draws).to_dict("records")
    rows: list[tuple[Any, ...]] = []
    for number, parameters in enumerate(sets):
        found = {f"{PARAMETER_PREFIX}{each.name}": each.number(parameters[each.name]) for each in unknowns}
        found |= {name: value for name, value in outcomes(parameters).items() if name != "alive"}
        rows += [("", PRIOR, "draw", number, number, metric, value, "1") for metric, value in found.items()]
    return tidy(rows, experiment, member)
