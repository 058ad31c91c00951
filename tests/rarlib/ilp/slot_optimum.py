"""True optima of tiny instances without contention, preemption allowed, by trying every choice of every slot.

Nothing of the package is used: rates are worked out here from a plain reading of the price table.
"""

from functools import cache
from itertools import product

import numpy as np


def feasible_rates(gangs, servers, speed, tau):
    """Progress per slot of all jobs that one choice of placements gives, for all choices, shape (choices, jobs).

    `gangs` are the sizes a job may have, `tau(g, S)` is the iteration time of g GPUs on S servers; a gang runs at the
    speed of its slowest server.
    """
    options = [[None, *(p for g in sizes for p in _placements(g, servers))] for sizes in gangs]
    found = set()
    for choice in product(*options):
        held = sum((np.array(p) for p in choice if p is not None), np.zeros(len(servers)))
        if (held <= servers).all():
            found.add(tuple(0.0 if p is None else _rate(p, speed, tau) for p in choice))
    return np.array(sorted(found))


def _placements(gang, servers):
    return [p for p in product(*(range(s + 1) for s in servers)) if sum(p) == gang]


def _rate(placement, speed, tau):
    used = [s for s, count in enumerate(placement) if count]
    return min(speed[s] for s in used) / tau(sum(placement), len(used))


def optima(work, release, rates, whole_slots):
    """Least makespan and least sum of completions; jobs start and stop at whole slots only.

    `work` in iterations, `release` in whole slots, `rates` as above.
    """
    n = len(work)

    @cache
    def choices(active):
        usable = rates[(rates[:, [j for j in range(n) if j not in active]] == 0).all(axis=1)]
        return [row for row in usable if not ((usable >= row).all(axis=1) & (usable > row).any(axis=1)).any()]

    @cache
    def best(t, left):
        if not any(left):
            return 0.0, 0.0
        active = frozenset(j for j in range(n) if left[j] > 0 and release[j] <= t)
        if not active:
            return best(t + 1, left)
        least = (np.inf, np.inf)
        for row in choices(active):
            rest, ends = list(left), []
            for j in active:
                rest[j] = max(round(left[j] - row[j], 9), 0.0)
                if rest[j] == 0.0:
                    ends.append(t + (1.0 if whole_slots else left[j] / row[j]))
            if row.any():
                makespan, total = best(t + 1, tuple(rest))
                least = min(least[0], max([makespan, *ends])), min(least[1], total + sum(ends))
        return least

    return best(0, tuple(float(w) for w in work))
