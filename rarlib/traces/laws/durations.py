"""Laws of durations: log-normal, Weibull, bounded Pareto, and mixtures of them.

Each is drawn by inversion, so that one uniform number gives one duration (a mixture takes a second one to choose the
part). `most_s` cuts a law off: the law given that a duration is at most so long.
"""

import math
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import gamma, gammainc, ndtr, ndtri

from rarlib.model.errors import InputError, require_numbers

_Array = NDArray[np.float64]


class DurationLaw(Protocol):
    """A distribution of seconds."""

    @property
    def mean_s(self) -> float:
        """Its mean in seconds."""

    def draw(self, choice: _Array, place: _Array) -> _Array:
        """Durations in seconds from two uniform numbers each, same shape."""


@dataclass(frozen=True)
class LogNormal:
    """ln(duration) is normal with mean ln(median_s) and standard deviation sigma."""

    median_s: float
    sigma: float
    most_s: float = math.inf

    def __post_init__(self) -> None:
        require_numbers(self, "median_s", "sigma")
        _require_rest(self.most_s, self._top)

    @property
    def mean_s(self) -> float:
        """E = median e^(sigma^2 / 2), times the share of it below most_s."""
        inside = ndtr(_log(self.most_s / self.median_s) / self.sigma - self.sigma) / self._top
        return float(self.median_s * _power(math.e, _power(self.sigma, 2) / 2) * inside)

    @property
    def _top(self) -> float:
        return float(ndtr(_log(self.most_s / self.median_s) / self.sigma))

    def draw(self, choice: _Array, place: _Array) -> _Array:
        """By inversion of the normal distribution."""
        return self.median_s * np.exp(self.sigma * ndtri(place * self._top))


@dataclass(frozen=True)
class Weibull:
    """P(duration > x) = e^-((x / scale_s)^shape); a shape of 1 is the exponential law, below 1 its tail is heavier."""

    scale_s: float
    shape: float
    most_s: float = math.inf

    def __post_init__(self) -> None:
        require_numbers(self, "scale_s", "shape")
        _require_rest(self.most_s, self._top)

    @property
    def mean_s(self) -> float:
        """E = scale Gamma(1 + 1 / shape), times the share of it below most_s."""
        grown = 1 + 1 / self.shape
        inside = gammainc(grown, _power(self.most_s / self.scale_s, self.shape)) / self._top
        return float(self.scale_s * gamma(grown) * inside)

    @property
    def _top(self) -> float:
        return -math.expm1(-(_power(self.most_s / self.scale_s, self.shape)))

    def draw(self, choice: _Array, place: _Array) -> _Array:
        """By inversion."""
        return self.scale_s * (-np.log1p(-place * self._top)) ** (1 / self.shape)


@dataclass(frozen=True)
class BoundedPareto:
    """P(duration > x) falls as x^-tail between least_s and most_s; see Harchol-Balter and Downey (1997)."""

    least_s: float
    most_s: float
    tail: float

    def __post_init__(self) -> None:
        require_numbers(self, "least_s", "most_s", "tail")
        if not self.most_s > self.least_s:
            raise InputError(f"must be above least_s, found {self.most_s}", field="most_s")

    @property
    def mean_s(self) -> float:
        """Integral of x times the density from least_s to most_s."""
        low, high, a = self.least_s, self.most_s, self.tail
        if a == 1:
            return low / self._top * math.log(high / low)
        return low / self._top * a / (a - 1) * -math.expm1((1 - a) * math.log(high / low))

    @property
    def _top(self) -> float:
        return -math.expm1(-self.tail * math.log(self.most_s / self.least_s))

    def draw(self, choice: _Array, place: _Array) -> _Array:
        """By inversion."""
        return self.least_s * (1 - place * self._top) ** (-1 / self.tail)


@dataclass(frozen=True)
class DurationMixture:
    """A duration follows one of several laws, each with a weight; the weights add up to 1."""

    weights: tuple[float, ...]
    parts: tuple[DurationLaw, ...]

    @property
    def mean_s(self) -> float:
        """Weighted mean of the parts' means."""
        return sum(weight * part.mean_s for weight, part in zip(self.weights, self.parts, strict=True))

    def draw(self, choice: _Array, place: _Array) -> _Array:
        """The first number chooses the part, the second the place in it."""
        part = np.searchsorted(np.cumsum(self.weights)[:-1], choice, side="right")
        drawn = np.stack([each.draw(choice, place) for each in self.parts])
        return np.take_along_axis(drawn, part[None, :], axis=0)[0]


DURATION_LAWS: dict[str, Any] = {"lognormal": LogNormal, "weibull": Weibull, "pareto": BoundedPareto}
"""Laws by the names that a file gives them; `mixture` has them as its parts."""


def _require_rest(most_s: float, share: float) -> None:
    if not (most_s > 0 and share > 1e-9):
        raise InputError(f"leaves nothing of the law, found {most_s}", field="most_s")


def _log(ratio: float) -> float:
    return math.log(ratio) if ratio > 0 else -math.inf


def _power(base: float, exponent: float) -> float:
    """A power that is infinite where Python's would be an error."""
    with np.errstate(over="ignore"):
        return float(np.power(np.float64(base), exponent))
