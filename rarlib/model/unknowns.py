"""Parameters that a paper does not state, and draws of them: the first half of an inference.

A paper's `inference.py` lists its unknowns with prior ranges and runs a cheap experiment for every draw;
`rarlib.evidence.inference` says which draws bring out which published numbers. Draws fill the ranges evenly (Latin
hypercube), so that few of them cover many parameters.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from rarlib.model.errors import InputError
from rarlib.model.later import Later
from rarlib.model.seeds import stream

_qmc = Later("scipy.stats.qmc")

PARAMETER_PREFIX = "param:"
"""Before the name of a parameter in the column `metric` of a table of draws."""
PRIOR = "prior"
"""The reading of all rows of a table of draws."""
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
