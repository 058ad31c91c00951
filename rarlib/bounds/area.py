"""Closed-form lower bounds on the makespan."""

import numpy as np

from rarlib.bounds.processing import Demand


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
