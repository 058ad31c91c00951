"""Whether a verdict could still change with more random instances: the ledger's column `settled`.

A mean is settled when its 99 % interval (Student's t) lies inside the tolerance or outside it; a share of seeds when
its 99 % interval (Clopper and Pearson) does not contain the share from which the statement holds. Instances are added
to a table until its verdicts are settled or it has 30 of them.
"""

import math
from functools import cache

from artifact.ledger.lookup import Outcome
from rarlib.model.later import Later

_stats = Later("scipy.stats")

CONFIDENCE = 0.99
YES, NO, SINGLE = "yes", "no", "single run"


def half_width(spread: float, seeds: int, confidence: float) -> float:
    """Half the width of the interval of a mean (Student's t); NaN if there is no spread to judge by."""
    if seeds < 2:
        return math.nan
    return _student(confidence, seeds - 1) * spread / math.sqrt(seeds)


@cache
def _student(confidence: float, freedom: int) -> float:
    return float(_stats.t.ppf((1 + confidence) / 2, freedom))


def settled_value(outcome: Outcome, published: float, allowed: float) -> str:
    """Whether more seeds could move a mean across the edge of its tolerance.

    Returns:
        `yes`, `no`, or `single run` where there is no spread to judge by.
    """
    if outcome.seeds < 2 or math.isnan(outcome.spread):
        return SINGLE
    half = half_width(outcome.spread, outcome.seeds, CONFIDENCE)
    return YES if abs(abs(outcome.value - published) - allowed) >= half else NO


def settled_share(outcome: Outcome) -> str:
    """Whether more seeds could move a share of seeds across the one from which the statement holds.

    Where a statement has to hold in every seed, one in which it fails settles it, and nothing else does.

    Returns:
        `yes`, `no`, `single run`, or an empty string for formulas with intervals of their own.
    """
    if outcome.at_least is None:
        return ""
    if outcome.seeds < 2:
        return SINGLE
    won, tail = round(outcome.value * outcome.seeds), (1 - CONFIDENCE) / 2
    lost = outcome.seeds - won
    low = float(_stats.beta.ppf(tail, won, lost + 1)) if won else 0.0
    high = float(_stats.beta.ppf(1 - tail, won + 1, lost)) if lost else 1.0
    return YES if low >= outcome.at_least or high < outcome.at_least or (outcome.at_least >= 1 and lost) else NO


def both(first: str, second: str) -> str:
    """Whether a verdict that rests on two of these is settled."""
    found = {first, second} - {""}
    return NO if NO in found else SINGLE if SINGLE in found else YES if found else ""
