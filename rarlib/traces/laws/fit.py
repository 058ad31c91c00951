"""Fits the laws of a workload to a trace, and says how near a drawn trace comes to the recorded one.

Sizes: shares of the GPU counts. Durations: `fit_durations`, for each class of GPU counts with enough jobs. Arrivals:

1. jobs of the same instant are a batch;
2. weights of hours (from two days on) and weekdays (from two weeks on) are batches per observed hour;
3. on the scale W of these weights, the index of dispersion of counts in several windows gives q and the variance of the
   rate, and the third factorial cumulant of counts the share of bursts (`rarlib.traces.laws.arrivals` has the formula).

What is lost: trends over weeks, and any link between the time of a submission and its size, length or user.
"""

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rarlib.model import limits
from rarlib.model.errors import InputError
from rarlib.traces.describe import SIZE_FLOORS, covered_s, week_s, window_counts
from rarlib.traces.laws.arrivals import Arrivals, Bursts
from rarlib.traces.laws.fit_durations import fit_durations, largest_difference
from rarlib.traces.laws.spec import WorkloadSpec
from rarlib.traces.load import Trace

_Array = NDArray[np.float64]
_HOUR_S, _DAY_S = 3600.0, 86_400.0
_FEWEST_JOBS = 50
"""Classes of GPU counts with fewer jobs follow the law of the class below."""
_WINDOWS_S = (60.0, 300.0, 600.0, 1800.0, 3600.0, 14_400.0, 43_200.0, 86_400.0)
_FEWEST_WINDOWS = 30
_EVEN = 1.25
"""Up to this index of dispersion, arrivals count as free of bursts."""
_LEVELS = (0.1, 0.25, 0.5, 0.75, 0.9, 0.99)


@dataclass(frozen=True)
class WorkloadFit:
    """A fitted workload.

    Attributes:
        spec: the laws.
        classes: GPUs from which on a law holds, jobs, distance: the largest difference between the distribution
            functions (Kolmogorov and Smirnov), ratio of the means.
        checks: quantity, recorded, drawn, ratio: of the trace and of as many jobs drawn from the laws.
    """

    spec: WorkloadSpec
    classes: pd.DataFrame
    checks: pd.DataFrame


def fit_workload(trace: Trace, seed: int = 0) -> WorkloadFit:
    """Fit the laws of a workload to a trace.

    Args:
        trace: the trace; jobs on CPU task slots only are left out.
        seed: of the trace that is drawn for comparison.
    """
    jobs = trace.jobs
    here = jobs.gpus > 0
    gpus, durations = jobs.gpus[here], jobs.duration_s[here]
    counts, many = np.unique(gpus, return_counts=True)
    sizes = {int(count): float(jobs) / len(gpus) for count, jobs in zip(counts, many, strict=True)}
    laws, rows = {}, []
    for low, high in _classes(gpus):
        mine = durations[(gpus >= low) & (gpus < high)]
        laws[low] = fit_durations(mine)
        rows.append((low, len(mine), largest_difference(laws[low], mine), laws[low].mean_s / max(mine.mean(), 1e-9)))
    times = week_s(trace)[here]
    spec = WorkloadSpec(fit_arrivals(times), sizes, laws)
    drawn = spec.draw(len(gpus), seed)
    checks = _compared((times, gpus, durations), (drawn.submit_s, drawn.gpus, drawn.duration_s))
    return WorkloadFit(spec, pd.DataFrame(rows, columns=["gpus_from", "jobs", "distance", "mean_ratio"]), checks)


def fit_arrivals(times: _Array) -> Arrivals:
    """The law of submissions, seconds since a Monday, 0:00, ascending, shape (jobs,).

    Jobs that all arrive at once get one hour.

    Raises:
        InputError: jobs arrive faster than a law may say.
    """
    begins = np.unique(times)
    span = float(times[-1] - times[0])
    if not span > 0:
        return Arrivals(float(len(times)))
    per_hour = len(times) / span * _HOUR_S
    if per_hour > limits.SECONDS.most:
        rule = f"{per_hour:.3g} jobs arrive in an hour; a law may have at most {limits.SECONDS.most:.0e}"
        raise InputError(rule, field="submit_s")
    rate = Arrivals(per_hour, batch_mean=len(times) / len(begins))
    if span >= 2 * _DAY_S:
        rate = replace(rate, by_hour=_weights(begins, _HOUR_S, 24))
    if span >= 14 * _DAY_S:
        rate = replace(rate, by_weekday=_weights(begins, _DAY_S, 7))
    scaled = rate.on_scale(begins)
    return replace(rate, bursts=_bursts(scaled - scaled[0]))


def _classes(gpus: NDArray[np.int64]) -> list[tuple[int, float]]:
    """Classes of GPU counts from SIZE_FLOORS on that have enough jobs: (from, below)."""
    above = [*SIZE_FLOORS[1:], np.inf]
    enough = [((gpus >= low) & (gpus < high)).sum() >= _FEWEST_JOBS for low, high in pairwise(above)]
    floors = [1, *(floor for floor, is_many in zip(SIZE_FLOORS[1:], enough, strict=True) if is_many)]
    if (gpus < (floors[1] if len(floors) > 1 else np.inf)).sum() < _FEWEST_JOBS and len(floors) > 1:
        floors.pop(1)
    return list(zip(floors, [*floors[1:], np.inf], strict=True))


def _weights(begins: _Array, width: float, positions: int) -> tuple[float, ...]:
    counts = np.bincount((begins // width).astype(np.int64) % positions, minlength=positions)
    observed = covered_s(float(begins[0]), float(begins[-1]), width, positions)
    mean = counts.sum() / observed.sum()
    weights = np.divide(counts, observed * mean, out=np.ones(positions), where=observed > 0)
    return tuple(round(float(weight), 4) for weight in weights)


def _bursts(scaled: _Array) -> Bursts | None:
    windows = [
        (width, counts) for width in _WINDOWS_S if len(counts := window_counts(scaled, width)) >= _FEWEST_WINDOWS
    ]
    if not windows:
        return None
    widths = np.array([width for width, _ in windows])
    excess = np.array([counts.var() / counts.mean() for _, counts in windows]) - 1
    if excess.max() < _EVEN - 1:
        return None
    size, q = _dispersion(widths, np.maximum(excess, 0.0))
    rate = len(scaled) / scaled[-1]
    variance = size * q * rate / 2  # of the rate
    share = 0.95 / (1 + variance / rate**2)  # the most at which the calm rate stays above 0
    short = [(width, counts) for width, counts in windows if width * q <= 0.5]
    if short:
        width, counts = short[-1]
        skew = _third(counts) / (width**3 * variance**1.5)
        share = min(share, 0.5 * (1 - skew / np.sqrt(4 + skew**2)))
    share = float(max(share, 1e-3))
    step = np.sqrt(variance / (share * (1 - share)))
    ratio = 1 + step / max(rate - share * step, 1e-3 * rate)
    return Bursts(float(1 / (q * share)), float(1 / (q * (1 - share))), float(ratio))


def _dispersion(widths: _Array, excess: _Array) -> tuple[float, float]:
    """A and q of A (1 - (1 - e^(-q t)) / (q t)) nearest to what exceeds an index of 1, in ratio."""
    best = (np.inf, 1.0, 1.0)
    weight = 1 / (excess + _EVEN - 1)
    for q in np.geomspace(1 / (10 * widths[-1]), 3 / widths[0], 200):
        form = (1 + np.expm1(-q * widths) / (q * widths)) * weight
        size = float((form * excess * weight).sum() / (form**2).sum())
        best = min(best, (float(((size * form - excess * weight) ** 2).sum()), size, float(q)))
    return best[1:]


def _third(counts: NDArray[np.int64]) -> float:
    """Third factorial cumulant of counts; 0 for a Poisson law."""
    n = counts.astype(np.float64)
    first, second, third = n.mean(), (n * (n - 1)).mean(), (n * (n - 1) * (n - 2)).mean()
    return float(third - 3 * second * first + 2 * first**3)


def _compared(recorded: tuple[NDArray[Any], ...], drawn: tuple[NDArray[Any], ...]) -> pd.DataFrame:
    ours, theirs = (dict(_quantities(*each)) for each in (drawn, recorded))
    rows = [
        (name, theirs[name], ours[name], ours[name] / theirs[name]) for name in theirs if theirs[name] and name in ours
    ]
    return pd.DataFrame(rows, columns=["quantity", "recorded", "drawn", "ratio"])


def _quantities(times: _Array, gpus: NDArray[np.int64], durations: _Array) -> list[tuple[str, float]]:
    span = float(times[-1] - times[0])
    rows = [("mean GPUs", float(gpus.mean())), ("mean duration (s)", float(durations.mean()))]
    rows += [(f"{level:.0%} quantile of durations (s)", float(np.quantile(durations, level))) for level in _LEVELS]
    if span > 0:
        rows += [
            ("jobs per hour", len(times) / span * _HOUR_S),
            ("GPUs requested on average", float((gpus * durations).sum()) / span),
        ]
    for name, width in (("10 minutes", 600.0), ("an hour", _HOUR_S), ("a day", _DAY_S)):
        counts = window_counts(times - times[0], width)
        if len(counts) >= _FEWEST_WINDOWS:
            rows.append((f"index of dispersion of counts in {name}", float(counts.var() / counts.mean())))
    return rows
