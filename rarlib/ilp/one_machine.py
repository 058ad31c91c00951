"""One machine as fast as all GPUs together: the relaxation behind the mean-JCT bounds.

It works on one job at a time, finishes an area of `capacity` per second, and may interrupt. Any schedule of the cluster
becomes a schedule of this machine: let it divide each instant among jobs as they are charged there; what is left over
idles. Every job then starts no earlier than its release and is through with its area no later than on the cluster.
(Dividing an instant changes neither result below: both are proven for machines that may.)
"""

from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.model.jit import kernel


class Served(NamedTuple):
    """What the machine did.

    Attributes:
        finish: completion of each job, s, shape (jobs,).
        middle: mean busy time of each job: the time at which it was worked on, averaged over its area, shape (jobs,).
        at, queue: the fractional number of jobs in the system (each by its share of area left) as a polyline over
            time; two points with the same time are a jump.
    """

    finish: NDArray[np.float64]
    middle: NDArray[np.float64]
    at: NDArray[np.float64]
    queue: NDArray[np.float64]


def serve(release: NDArray[np.float64], area: NDArray[np.float64], capacity: float, by_remaining: bool) -> Served:
    """Serve the smallest area first, interrupting for smaller ones; O(n log n).

    Args:
        release: earliest start of each job, ascending, s.
        area: work of each job.
        capacity: work done per second.
        by_remaining: compare the area left (this minimises the sum of completions: Schrage 1968), not the whole area
            (this minimises the sum of mean busy times: Goemans 1997, weights over areas being 1/area).
    """
    n = len(release)
    finish, middle, points = np.zeros(n), np.zeros(n), np.zeros((6 * n + 2, 2))
    used = _serve(release, area, capacity, by_remaining, finish, middle, points)
    return Served(finish, middle, points[:used, 0].copy(), points[:used, 1].copy())


@kernel
def _serve(
    release: NDArray[np.float64],
    area: NDArray[np.float64],
    capacity: float,
    by_remaining: bool,
    finish: NDArray[np.float64],
    middle: NDArray[np.float64],
    points: NDArray[np.float64],
) -> int:
    left = area.copy()
    heap = [(0.0, 0)]
    heap.pop()
    now, queue, arrived, used, n = 0.0, 0.0, 0, 0, len(release)
    while arrived < n or len(heap) > 0:
        points[used] = now, queue
        used += 1
        if len(heap) == 0 and release[arrived] > now:
            now = release[arrived]
            points[used] = now, queue
            used += 1
        while arrived < n and release[arrived] <= now:
            heappush(heap, (area[arrived], arrived))
            queue += 1.0
            arrived += 1
        points[used] = now, queue
        used += 1
        _, job = heappop(heap)
        until, part = now + left[job] / capacity, left[job]
        if arrived < n and until > release[arrived]:
            until = release[arrived]
            part = (until - now) * capacity
            heappush(heap, (left[job] - part if by_remaining else area[job], job))
        else:
            finish[job] = until
        share = part / area[job] if area[job] > 0.0 else 1.0
        middle[job] += share * (now + until) / 2.0
        queue -= share
        left[job] -= part
        now = until
    points[used] = now, 0.0
    return used + 1
