"""Fig. 7 of GADGET: the value that Alg. 2 reaches in a slot, relative to the optimum of its integer program."""

import numpy as np

from rarlib.ilp.gadget.exact import exact_slot
from rarlib.schedulers.gadget_parts.stated import Solved

_PROVEN = 3e-6
"""Largest relative gap of a proven optimum: bounds are rounded up by the precision of their solver."""

_EFFORT = 0.1
"""Limit of the search for one slot, in deterministic time, very roughly seconds."""

_SLACK, _PRECISION = 1e-6, 2e-6
"""Relative precision of linear programs; precision of a job's gain in the integer program, in units of the largest."""


def approximation_ratio(solved: list[Solved]) -> list[tuple[str, float, str]]:
    """Ratio of rounded to optimal value over the slots of a run, and whether LP >= ILP >= rounded in each.

    If a rounding attains the LP's value, it is optimal and no integer program is solved. If the search reaches its
    limit, the best known value replaces the optimum, so the ratio is an upper bound; `proven` is the share of slots
    whose optimum is proven, `worst_gap` the largest relative distance to the bound.
    """
    ratio, proven, ordered, gap = [], [], [], []
    for problem, result in solved:
        if result.value >= result.lp_value * (1.0 - _SLACK):
            best, bound = result.value, result.lp_value
        else:
            exact = exact_slot(problem, hint=result.workers, effort=_EFFORT)
            best, bound = max(exact.value, result.value), exact.bound
            slack = _PRECISION * len(problem)
            ordered.append(result.lp_value + slack >= exact.value >= result.value - slack)
        ratio.append(result.value / best)
        gap.append(max(0.0, 1.0 - best / bound))
        proven.append(gap[-1] <= _PROVEN or best >= bound - _PRECISION * len(problem))
    mean = float(np.mean(ratio))
    return [
        ("ratio", mean, "1"),
        ("worst_ratio", float(min(ratio)), "1"),
        ("nothing", float(np.mean(np.array(ratio) <= 0.0)), "1"),
        ("at_least_60", float(mean >= 0.6), "1"),
        ("at_most_80", float(mean <= 0.8), "1"),
        ("at_least_third", float(mean >= 1 / 3), "1"),
        ("lp_ilp_rounded", float(all(ordered)), "1"),
        ("proven", float(np.mean(proven)), "1"),
        ("worst_gap", float(max(gap)), "1"),
    ]
