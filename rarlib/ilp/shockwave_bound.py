"""A bound on Shockwave's program (`rarlib.ilp.shockwave`), without the small worth of early rounds.

Let T be the longest time left of a plan, as a cost. Then every job runs in at least the rounds that bring its own cost
down to T, and all jobs together hold at most the GPUs of all rounds. If rounds may be split and gangs too, filling what
is left by largest gain per GPU is best, since a job's gains do not rise. A plan whose T lies between two levels is
worth at most what can be gained with the needs of the upper one, less the lower one.
"""

import numpy as np
from numpy.typing import NDArray

_LEVELS = 300
"""Levels of T that are tried; with more of them the bound is tighter."""


def plan_bound(gain: NDArray[np.float64], gpus: NDArray[np.int64], total: int, tail: NDArray[np.float64]) -> float:
    """No plan's utilities, less its largest tail, are above this.

    Args:
        gain: what each further round adds to a job's utility, not negative and not rising, shape (jobs, rounds).
        gpus: GPUs of each job, shape (jobs,).
        total: GPUs of the cluster.
        tail: what the time that a job has left costs after so many rounds, not rising, shape (jobs, rounds + 1).
    """
    levels = np.linspace(tail[:, -1].max(), tail[:, 0].max(), _LEVELS)
    order = np.argsort(-(gain / gpus[:, None]).ravel(), kind="stable")
    gained = [_gained(gain, gpus, total, _needs(tail, level), order) for level in levels]
    steps = [above - level for above, level in zip(gained[1:], levels, strict=False)]
    return float(max([*steps, gained[0] - levels[0], gained[-1] - levels[-1]]))


def _needs(tail: NDArray[np.float64], level: float) -> NDArray[np.float64]:
    """Rounds, in parts, after which each job's tail is down to a level; between whole rounds it is a straight line."""
    found = np.zeros(len(tail))
    for j in np.flatnonzero(tail[:, 0] > level):
        after = int(np.argmax(tail[j] <= level))
        before = tail[j, after - 1]
        found[j] = after - 1 + (before - level) / (before - tail[j, after])
    return found


def _gained(
    gain: NDArray[np.float64], gpus: NDArray[np.int64], total: int, need: NDArray[np.float64], order: NDArray[np.int64]
) -> float:
    """Most utility if each job runs in the rounds it needs at least; minus infinity if they do not fit."""
    rounds = gain.shape[1]
    spare = rounds * total - float((need * gpus).sum())
    if spare < -1e-9 * rounds * total:
        return -np.inf
    forced = np.clip(need[:, None] - np.arange(rounds), 0.0, 1.0)
    left = (1.0 - forced).ravel()[order]
    amount = left * np.repeat(gpus, rounds)[order]
    before = np.cumsum(amount) - amount
    part = np.clip((spare - before) / np.maximum(amount, 1e-12), 0.0, 1.0)
    return float((forced * gain).sum() + (part * left * gain.ravel()[order]).sum())
