"""Borda count and multi-level feedback queues (AITurbo, HPDC 2021).

The abstract states that a Borda count merges rankings into a multi-level feedback queue [ABS]. The choice of rankings,
the double weight of the first ranking for jobs without a second one, and the thresholds come from later code of the
same laboratory [LAB]. In that code ranks degenerate to counters of rounds, and the smallest gain ranks first; both
errors are corrected here [RECON]. Equal values share the mean of their ranks [RECON], as is usual in a Borda count with
ties: any other rule would either order equal jobs by a ranking they do not have, or favour one class of jobs when many
have just arrived.

    r_srv   ranks(attained service)          1 = least attained service, over all jobs
    r_gain  ranks(-gain) inside a list       1 = largest gain, over the jobs that would grow, or that would shrink
    score   2 r_srv | r_srv + r_gain         smaller = more urgent
"""

import numpy as np
from numpy.typing import NDArray

from rarlib.model.jit import kernel

INCREASE, DECREASE, KEEP = 1, -1, 0
"""What a predictable job would do with its allocation."""


@kernel
def ranks(keys: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ranks from 1, smallest key first; equal keys get the mean of their ranks; shape (jobs,)."""
    order, found, first = keys.argsort(), np.empty(len(keys)), 0
    while first < len(order):
        end = first + 1
        while end < len(order) and keys[order[end]] == keys[order[first]]:
            end += 1
        found[order[first:end]] = (first + end + 1) / 2
        first = end
    return found


@kernel
def borda_scores(
    service: NDArray[np.float64], predictable: NDArray[np.bool_], gain: NDArray[np.float64], wish: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Scores of all jobs by attained service and, if they are predictable, by what their best move gains.

    A smaller score is more urgent (AITurbo note, section 4.6). All arguments have shape (jobs,). `wish` is INCREASE,
    DECREASE or KEEP: jobs that would grow and those that would shrink are ranked separately, and a job that keeps its
    allocation ranks last, with the number of predictable jobs.
    """
    first = ranks(service)
    second = first.copy()
    second[predictable] = predictable.sum()
    for which in (INCREASE, DECREASE):
        listed = np.flatnonzero(predictable & (wish == which))
        second[listed] = ranks(-gain[listed])
    return first + second


def levels(values: NDArray[np.float64], thresholds: tuple[float, ...]) -> NDArray[np.int64]:
    """Queue of each job: how many of the ascending thresholds its value has reached, shape (jobs,)."""
    return np.searchsorted(np.asarray(thresholds, dtype=np.float64), values, side="right").astype(np.int64)
