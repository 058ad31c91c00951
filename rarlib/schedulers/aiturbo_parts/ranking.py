"""Borda count and feedback queues (AITurbo, HPDC 2021).

That rankings are merged by a Borda count into a multi-level feedback queue is the abstract's statement [ABS]. Which
rankings, that one ballot counts double where a job has no second one, and the thresholds are those of later code of
the same laboratory [LAB]. There ranks degenerate to counters of rounds, and the smallest gain ranks first; both are
mended here [RECON]. Equal values share the mean of their places [RECON], as is usual in a Borda count with ties: any
other rule would either order equal jobs by a ballot they do not have, or favour one class of jobs when many have just
come.

    r_srv   ranks(attained service)          1 = least attained service, over all jobs
    r_gain  ranks(-gain) inside a list       1 = largest gain, over the jobs that would grow, or that would shrink
    score   2 r_srv | r_srv + r_gain         smaller = more urgent
"""

import numpy as np
from numpy.typing import NDArray

INCREASE, DECREASE, KEEP = 1, -1, 0
"""What a predictable job would do with its allocation."""


def ranks(keys: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ranks from 1 on, smallest key first, equal keys at the mean of their places; shape (jobs,)."""
    ordered = np.sort(keys)
    before = np.searchsorted(ordered, keys, side="left")
    return np.asarray((before + np.searchsorted(ordered, keys, side="right") + 1) / 2)


def gain_ranks(gain: NDArray[np.float64], wish: NDArray[np.int64]) -> NDArray[np.float64]:
    """Ranks by gain, largest first, of the jobs that would grow and, separately, of those that would shrink.

    Args:
        gain: what the best move saves, shape (jobs,).
        wish: INCREASE, DECREASE or KEEP, shape (jobs,).

    Returns:
        Ranks from 1 on; a job that keeps its allocation ranks last, at the number of jobs.
    """
    found = np.full(len(gain), float(len(gain)))
    for which in (INCREASE, DECREASE):
        listed = np.flatnonzero(wish == which)
        found[listed] = ranks(-gain[listed])
    return found


def borda_scores(
    service: NDArray[np.float64], predictable: NDArray[np.bool_], gain: NDArray[np.float64], wish: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Scores of all jobs, smaller is more urgent (AITurbo note, section 4.6).

    Args:
        service: attained service, shape (jobs,).
        predictable: whether a job has a second ballot, shape (jobs,).
        gain: what its best move saves, shape (jobs,); read for predictable jobs only.
        wish: INCREASE, DECREASE or KEEP, shape (jobs,); read for predictable jobs only.
    """
    by_service = ranks(service)
    scores = 2 * by_service
    second = np.flatnonzero(predictable)
    scores[second] = by_service[second] + gain_ranks(gain[second], wish[second])
    return scores


def levels(values: NDArray[np.float64], thresholds: tuple[float, ...]) -> NDArray[np.int64]:
    """Queue of each job: how many of the ascending thresholds its value has reached, shape (jobs,)."""
    return np.searchsorted(np.asarray(thresholds, dtype=np.float64), values, side="right").astype(np.int64)
