"""Fits laws of durations by maximum likelihood and takes the one with the least Bayesian information criterion.

Candidates: log-normal, Weibull, bounded Pareto, and mixtures of two and three log-normal laws (expectation-maximisation
from quantiles, so that no random start decides). Durations below half a second count as half a second. Laws without an
upper bound are cut off at the longest duration, so that a drawn trace has none that is much longer than recorded ones.
"""

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import logsumexp

from rarlib.traces.laws.durations import BoundedPareto, DurationLaw, DurationMixture, LogNormal, Weibull

_Array = NDArray[np.float64]
_SHORTEST_S = 0.5
"""Shorter durations count as so long: recorded ones are whole seconds."""

_STEPS = 200
_NARROWEST = 0.05
"""Least sigma of a part: whole seconds repeat, and a narrower part would grow without bound in likelihood."""


def fit_durations(durations_s: _Array) -> DurationLaw:
    """The law of these durations, shape (jobs,)."""
    seconds = np.maximum(durations_s, _SHORTEST_S)
    logs = np.log(seconds)
    if logs.max() - logs.min() < 1e-6:
        return LogNormal(float(seconds[0]), 1e-3)
    penalty = math.log(len(logs))
    scored = [(count * penalty - 2 * likelihood, law) for law, likelihood, count in _candidates(logs)]
    return min(scored, key=lambda each: each[0])[1]


def largest_difference(law: DurationLaw, durations_s: _Array) -> float:
    """Largest difference between the law and the recorded distribution function (Kolmogorov and Smirnov)."""
    values, counts = np.unique(np.maximum(durations_s, _SHORTEST_S), return_counts=True)
    after = np.cumsum(counts) / counts.sum()
    below = law.cdf(values)
    return float(max(np.abs(below - after).max(), np.abs(below - (after - counts / counts.sum())).max()))


def _candidates(logs: _Array) -> Iterator[tuple[DurationLaw, float, int]]:
    """Laws with their log-likelihood and number of parameters; densities are those of seconds."""
    most = float(np.exp(logs.max())) * (1 + 1e-9)
    for parts in (1, 2, 3):
        weights, means, sigmas = _mixed(logs, parts)
        likelihood = float(logsumexp(_densities(logs, weights, means, sigmas), axis=1).sum() - logs.sum())
        laws = [LogNormal(float(np.exp(m)), float(s), most) for m, s in zip(means, sigmas, strict=True)]
        law = laws[0] if parts == 1 else DurationMixture(tuple(weights.tolist()), tuple(laws))
        yield law, likelihood, 3 * parts - 1
    yield from _weibull(logs, most)
    yield from _pareto(logs, most)


def _mixed(logs: _Array, parts: int) -> tuple[_Array, _Array, _Array]:
    """Weights, means and standard deviations of normal parts of ln(seconds), each shape (parts,)."""
    weights = np.full(parts, 1 / parts)
    means = np.quantile(logs, (np.arange(parts) + 0.5) / parts)
    sigmas = np.full(parts, max(float(logs.std()), _NARROWEST))
    for _ in range(_STEPS if parts > 1 else 1):
        scores = _densities(logs, weights, means, sigmas)
        belongs = np.exp(scores - logsumexp(scores, axis=1, keepdims=True))
        mass = np.maximum(belongs.sum(axis=0), 1e-9)
        weights, means = mass / mass.sum(), belongs.T @ logs / mass
        spread = np.einsum("jk,jk->k", belongs, (logs[:, None] - means) ** 2) / mass
        sigmas = np.maximum(np.sqrt(spread), _NARROWEST)
    return weights, means, sigmas


def _densities(logs: _Array, weights: _Array, means: _Array, sigmas: _Array) -> _Array:
    """ln(weight times density) of each part, shape (jobs, parts)."""
    scaled = (logs[:, None] - means) / sigmas
    return np.asarray(np.log(weights) - np.log(sigmas) - 0.5 * math.log(2 * math.pi) - 0.5 * scaled**2)


def _weibull(logs: _Array, most: float) -> Iterator[tuple[DurationLaw, float, int]]:
    top, mean = logs.max(), logs.mean()

    def slope(shape: float) -> float:
        weights = np.exp(shape * (logs - top))
        return float((weights * logs).sum() / weights.sum() - 1 / shape - mean)

    if slope(1e-3) < 0 < slope(1e3):
        shape = brentq(slope, 1e-3, 1e3)
        scale = top + math.log(np.exp(shape * (logs - top)).mean()) / shape
        powers = np.exp(shape * (logs - scale))
        likelihood = len(logs) * (math.log(shape) - shape * scale) + (shape - 1) * logs.sum() - powers.sum()
        yield Weibull(math.exp(scale), shape, most), float(likelihood), 2


def _pareto(logs: _Array, most: float) -> Iterator[tuple[DurationLaw, float, int]]:
    low, width, mean = logs.min(), math.log(most) - logs.min(), logs.mean()

    def slope(tail: float) -> float:
        return 1 / tail - width / math.expm1(min(tail * width, 700.0)) - float(mean - low)

    if slope(1e-6) > 0 > slope(100.0):
        tail = brentq(slope, 1e-6, 100.0)
        top = -math.expm1(-tail * width)
        likelihood = len(logs) * (math.log(tail / top) + tail * low) - (tail + 1) * logs.sum()
        yield BoundedPareto(math.exp(low), most, tail), float(likelihood), 3
