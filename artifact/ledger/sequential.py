"""Statements that are looked at more than once: the formula `below`, and when further seeds are not needed.

    below    the mean over seeds of a paired ratio is below `than`

After n_1 < n_2 < ... < n_K seeds the interval of the mean (Student's t) is compared with `than`. The statement holds at
the first look whose interval lies below it, does not hold at the first whose interval lies above it, and is open
otherwise. Each look has the confidence 1 - 0.05 / K, so that the chance that any of the K intervals misses the true
mean is at most 5 % (Bonferroni), however often one looks; no later look changes a decision.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from artifact.ledger.lookup import Outcome
from artifact.ledger.settled import half_width

ALPHA = 0.05
"""Largest chance that a statement is decided wrongly at any of its looks."""


class SequentialDecision(NamedTuple):
    """What the looks say.

    Attributes:
        holds: None while it is open.
        seeds: seeds of the look that decided, or of the last one.
        mean, spread: of the ratios of these seeds (sample standard deviation; NaN for one seed).
        low, high: ends of that look's interval; NaN for one seed.
    """

    holds: bool | None
    seeds: int
    mean: float
    spread: float
    low: float
    high: float


def confidence_of(looks: int) -> float:
    """Confidence of the interval of each look."""
    return 1 - ALPHA / looks


def decide_statement(ratios: NDArray[np.float64], than: float, looks: Sequence[int]) -> SequentialDecision:
    """The first decision, or what the last look with so many seeds says.

    `ratios`: by seed, in their order, shape (seeds,); looks beyond the seeds at hand are not taken.
    """
    taken = [look for look in looks if look <= len(ratios)] or [len(ratios)]
    for look in taken:
        values = ratios[:look]
        mean = float(values.mean())
        spread = float(values.std(ddof=1)) if look > 1 else math.nan
        half = half_width(spread, look, confidence_of(len(looks)))
        holds = True if mean + half < than else False if mean - half > than else None
        found = SequentialDecision(holds, look, mean, spread, mean - half, mean + half)
        if holds is not None:
            break
    return found


def evaluate_below(ratios: NDArray[np.float64], than: float, looks: Sequence[int]) -> Outcome:
    """A decision as the outcome of a formula; an open statement does not hold, and says that it is open."""
    found = decide_statement(ratios, than, looks)
    interval = f"[{found.low:.3f}, {found.high:.3f}]" if found.seeds > 1 else "(one seed: no interval)"
    said = f"mean ratio {found.mean:.3f} {interval} over {found.seeds} seeds, compared with {than:g}"
    said += f"; confidence {confidence_of(len(looks)):.1%} at each of {len(looks)} looks" if len(looks) > 1 else ""
    said += "" if found.holds is not None else "; open: the interval contains it, more seeds might decide"
    return Outcome(found.mean, found.spread, found.seeds, holds=bool(found.holds), summary=said)
