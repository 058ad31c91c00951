"""Laws of arrivals: a Poisson process whose rate follows hours and weekdays, with bursts and with batches.

    N(t) = M(W(t)),    W(t) = integral of w over [0, t]

w       weight of the hour of the day times that of the weekday, scaled to a mean of 1
M       batches at the rate per_hour / batch_mean; the number of jobs of a batch is geometric on 1, 2, ...
        With bursts the rate switches between a low one and one that is `ratio` times as high; calm times and bursts
        have exponential lengths with means calm_s and burst_s on the scale W, and the mean rate stays the same.

Without weights, bursts and batches this is the Poisson process; with weights alone the nonhomogeneous one; with bursts
alone the Markov-modulated one with two states, whose index of dispersion of counts in a window of length t is

    1 + 2 p (1 - p) (h - l)^2 / (q r) (1 - (1 - e^(-q t)) / (q t)),    q = 1 / calm_s + 1 / burst_s

with rates l and h, mean rate r, and the share p of bursts in time (Heffes and Lucantoni, 1986); with batches alone the
index is 2 batch_mean - 1 in every window.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rarlib.model import limits
from rarlib.model.errors import InputError, require_numbers
from rarlib.model.seeds import stream

_HOUR_S, _WEEK_S = 3600.0, 604_800.0
_AT_ONCE = 4096
"""Pairs of a calm time and a burst that are drawn at once."""


@dataclass(frozen=True)
class Bursts:
    """Times of a higher rate.

    Attributes:
        calm_s, burst_s: mean lengths.
        ratio: rate in a burst over that in a calm time, above 1.
    """

    calm_s: float
    burst_s: float
    ratio: float

    def __post_init__(self) -> None:
        require_numbers(self, "calm_s", "burst_s", "ratio")
        if not self.ratio > 1:
            raise InputError(f"must be above 1, found {self.ratio}", field="ratio")

    @property
    def share(self) -> float:
        """Share of time in bursts."""
        return self.burst_s / (self.calm_s + self.burst_s)

    @property
    def factors(self) -> tuple[float, float]:
        """Rates in calm times and in bursts, over the mean rate."""
        calm = 1.0 / (1.0 - self.share + self.share * self.ratio)
        return calm, calm * self.ratio


@dataclass(frozen=True)
class Arrivals:
    """When jobs are submitted.

    Attributes:
        per_hour: mean number of jobs in an hour.
        by_hour: weight of each hour of the day, 24 numbers; empty: all alike.
        by_weekday: weight of each weekday from Monday on, 7 numbers; empty: all alike.
        bursts: None for none.
        batch_mean: mean number of jobs submitted at once, at least 1.
    """

    per_hour: float
    by_hour: tuple[float, ...] = ()
    by_weekday: tuple[float, ...] = ()
    bursts: Bursts | None = None
    batch_mean: float = 1.0

    def __post_init__(self) -> None:
        require_numbers(self, "per_hour", "batch_mean")
        if self.batch_mean < 1:
            raise InputError(f"must be at least 1, found {self.batch_mean}", field="batch_mean")
        for name, count in (("by_hour", 24), ("by_weekday", 7)):
            weights = getattr(self, name)
            if weights and (len(weights) != count or min(weights) < 0 or not 0 < sum(weights) < math.inf):
                raise InputError(f"must be {count} numbers of at least 0, one of them above", field=name)

    @property
    def week(self) -> NDArray[np.float64]:
        """The weight w of each hour from Monday, 0:00, on, shape (168,); its mean is 1."""
        days, hours = (np.asarray(w or [1.0]) for w in (self.by_weekday, self.by_hour))
        weights = np.outer(np.broadcast_to(days, 7), np.broadcast_to(hours, 24)).ravel()
        return np.asarray(weights / weights.mean(), dtype=np.float64)

    def draw(self, jobs: int, seed: int) -> NDArray[np.float64]:
        """Submissions in seconds since Monday, 0:00, ascending, shape (jobs,).

        More jobs of the same seed begin with the same ones.

        Raises:
            InputError: if the jobs span more time than a trace may, or bursts change too often.
        """
        span_s = jobs / self.per_hour * _HOUR_S
        limits.SECONDS.check(span_s, field="per_hour")
        batch = self._batches(jobs, seed)
        gaps = stream(seed, "workload", "arrivals").exponential(size=int(batch[-1]) + 1)
        scaled = np.cumsum(gaps) * (self.batch_mean / self.per_hour * _HOUR_S)
        if self.bursts is not None:
            scaled = _switched(scaled, self.bursts, seed)
        return self.since_monday(scaled)[batch]

    def _batches(self, jobs: int, seed: int) -> NDArray[np.int64]:
        """The batch of each job, from 0 on, shape (jobs,)."""
        if self.batch_mean == 1:
            return np.arange(jobs)
        sizes = stream(seed, "workload", "batches").geometric(1 / self.batch_mean, size=jobs)
        return np.searchsorted(np.cumsum(sizes), np.arange(jobs), side="right")

    def since_monday(self, scaled: NDArray[np.float64]) -> NDArray[np.float64]:
        """The times at which W reaches these values, same shape."""
        if not (self.by_hour or self.by_weekday):
            return scaled
        grown, edges = self._cumulative()
        weeks = np.floor(scaled / _WEEK_S)
        return weeks * _WEEK_S + np.interp(scaled - weeks * _WEEK_S, grown, edges)

    def _cumulative(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        grown = np.zeros(169)
        grown[1:] = np.cumsum(self.week) * _HOUR_S
        edges: NDArray[np.float64] = np.arange(169.0) * _HOUR_S
        return grown, edges


def _switched(scaled: NDArray[np.float64], bursts: Bursts, seed: int) -> NDArray[np.float64]:
    """The times at which a rate that switches has given as much as a rate of 1 in these times, same shape."""
    pairs = scaled[-1] / (bursts.calm_s + bursts.burst_s)
    if pairs > limits.TABLE_ROWS.most:
        raise InputError(f"more than {limits.TABLE_ROWS.most:,} bursts (see rarlib/model/limits.py)", field="bursts")
    rng, means = stream(seed, "workload", "bursts"), np.array([bursts.calm_s, bursts.burst_s])
    factors = np.array(bursts.factors)
    if rng.random() < bursts.share:  # in the midst of a burst, whose rest has the same law
        means, factors = means[::-1], factors[::-1]
    lengths, given = [np.zeros(1)], 0.0
    while given <= scaled[-1]:
        drawn = rng.exponential(size=(_AT_ONCE, 2)) * means
        given += float((drawn * factors).sum())
        lengths.append(drawn.ravel())
    times = np.concatenate(lengths)
    rates = np.concatenate([[1.0], np.tile(factors, (len(times) - 1) // 2)])
    return np.interp(scaled, np.cumsum(times * rates), np.cumsum(times))
