"""Whose value was computed from whom: lists of jobs that watch a job, so that a change renews these only."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.fabric.chain import CHAIN_JOBS
from rarlib.model.jit import hot_kernel

WATCHED = CHAIN_JOBS - 1
"""Jobs that a job watches at most: those in its chain besides itself."""


class Watchers(NamedTuple):
    """Places job * `WATCHED` + i stand for the i-th job that a job watches; -1 ends a list."""

    watched: NDArray[np.int64]  # the job watched at a place, -1 for none, shape (jobs * WATCHED,)
    first: NDArray[np.int64]  # first place of those who watch a job, shape (jobs,)
    after: NDArray[np.int64]  # next place in the same list, shape (jobs * WATCHED,)
    before: NDArray[np.int64]  # the one before, shape (jobs * WATCHED,)


def no_watchers(jobs: int) -> Watchers:
    """Nobody watches anybody."""
    places = jobs * WATCHED
    return Watchers(np.full(places, -1), np.full(jobs, -1), np.full(places, -1), np.full(places, -1))


@hot_kernel
def watch_nobody(watchers: Watchers, job: int) -> None:
    """A job watches nobody any more."""
    for place in range(job * WATCHED, (job + 1) * WATCHED):
        other = watchers.watched[place]
        if other < 0:
            continue
        before, after = watchers.before[place], watchers.after[place]
        if before < 0:
            watchers.first[other] = after
        else:
            watchers.after[before] = after
        if after >= 0:
            watchers.before[after] = before
        watchers.watched[place] = -1


@hot_kernel
def watch(watchers: Watchers, job: int, nth: int, other: int) -> None:
    """The `nth` job that a job watches is `other`."""
    place = job * WATCHED + nth
    first = watchers.first[other]
    watchers.watched[place] = other
    watchers.before[place], watchers.after[place] = -1, first
    if first >= 0:
        watchers.before[first] = place
    watchers.first[other] = place
