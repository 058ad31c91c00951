"""One machine as fast as all GPUs together: the relaxation behind the mean-JCT bounds.

It works on one job at a time, finishes an area of `capacity` per second, and may interrupt. Any schedule of the cluster
becomes a schedule of this machine: let it divide each instant among jobs as they are charged there, and idle for the
rest. Every job then starts no earlier than its release and finishes its area no later than on the cluster.
(Dividing an instant changes neither result below: both are proven for machines that may.)
"""

from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.bounds.processing import Demand
from rarlib.model.jit import kernel

_NOBODY = -1


class MachineSchedule(NamedTuple):
    """A schedule of the machine."""

    finish: NDArray[np.float64]  # completion of each job, s, shape (jobs,)
    # mean busy time of each job: the time at which it was worked on, averaged over its area, shape (jobs,)
    middle: NDArray[np.float64]
    # the job that comes next among those released before this one completes, or -1, shape (jobs,)
    heir: NDArray[np.int64]
    # instants at which the machine turns to a job or away from it, s, in order of time, shape (points,)
    at: NDArray[np.float64]
    who: NDArray[np.int64]  # that job, -1: none


def serve(
    release: NDArray[np.float64], area: NDArray[np.float64], capacity: float, by_remaining: bool
) -> MachineSchedule:
    """Serve the smallest area first at `capacity` per second, interrupting for smaller ones; O(n log n).

    By the area left the sum of completions is least (Schrage 1968), by the whole area the sum of mean busy times
    (Goemans 1997, weights over areas being 1/area). Releases must ascend.
    """
    n = len(release)
    served = MachineSchedule(np.zeros(n), np.zeros(n), np.full(n, _NOBODY), np.zeros(6 * n), np.full(6 * n, _NOBODY))
    points = _serve(release, area, capacity, by_remaining, served)
    return served._replace(at=served.at[:points], who=served.who[:points])


@kernel
def _serve(
    release: NDArray[np.float64], area: NDArray[np.float64], capacity: float, by_remaining: bool, out: MachineSchedule
) -> int:
    left = area.copy()
    heap = [(0.0, 0)]
    heap.pop()
    now, arrived, points, n = 0.0, 0, 0, len(release)
    while arrived < n or len(heap) > 0:
        if len(heap) == 0 and release[arrived] > now:
            now = release[arrived]
            out.at[points] = now
            points += 1
        while arrived < n and release[arrived] <= now:
            heappush(heap, (area[arrived], arrived))
            arrived += 1
        _, job = heappop(heap)
        until, part = now + left[job] / capacity, left[job]
        if arrived < n and until > release[arrived]:
            until = release[arrived]
            part = (until - now) * capacity
            heappush(heap, (left[job] - part if by_remaining else area[job], job))
        else:
            out.finish[job] = until
            if len(heap) > 0:
                out.heir[job] = heap[0][1]
        if area[job] > 0.0:
            out.middle[job] += part / area[job] * (now + until) / 2.0
            out.at[points], out.at[points + 1] = now, until
            out.who[points] = out.who[points + 1] = job
            points += 2
        else:
            out.middle[job] = now
        left[job] -= part
        now = until
    return points


def longest_job(demand: Demand) -> tuple[float, float]:
    """Latest end of a job alone: it starts at its release at the earliest and holds GPUs for `time` before it ends.

    Returns:
        The largest bound, and the release of its job.
    """
    ends = demand.release + demand.time - demand.slack
    last = int(np.argmax(ends))
    return float(ends[last]), float(demand.release[last])


def released_area(demand: Demand) -> tuple[float, float]:
    """A release r plus the area of jobs released at r or later, divided by the capacity, less their largest slack.

    Jobs are added one by one, the last released first, and the largest bound is kept. They are charged nothing before
    r and their whole area by the time the last of them ends, all GPUs at most `capacity` per second. O(n log n).

    Returns:
        The largest bound, and its r.
    """
    late_first = np.argsort(-demand.release, kind="stable")
    ends = demand.release[late_first] + np.cumsum(demand.area[late_first]) / demand.capacity
    ends = ends - np.maximum.accumulate(demand.slack[late_first])
    best = int(np.argmax(ends))
    return float(ends[best]), float(demand.release[late_first[best]])
