"""The busy hour: the allocations of every scheduler in the hour of highest demand."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from rarlib.model.jobs import Jobs
from rarlib.simulator.run import Run

HOUR_S = 3600.0


class Hold(NamedTuple):
    """GPUs of one node that a job holds, seconds since the first submission; cut to the hour."""

    job: int
    node: int
    gpus: int
    start_s: float
    end_s: float


def busiest_hour(jobs: Jobs) -> float:
    """Start of the hour with the most requested GPU-seconds, among hours that begin at a submission.

    Demand counts every job as if it started on submission and ran for its duration on the GPUs it requests, so the hour
    is the same for all schedulers. Of equal hours, the first is taken.
    """
    begin = jobs.submit_s[:, None]
    ends = np.minimum(jobs.submit_s + jobs.duration_s, begin + HOUR_S)
    asked = (np.maximum(ends - np.maximum(jobs.submit_s, begin), 0.0) * jobs.gpus).sum(axis=1)
    return float(jobs.submit_s[int(np.argmax(asked))])


def allocations_between(run: Run, begin_s: float, end_s: float) -> Iterator[Hold]:
    """GPUs held between two times (seconds), in the order of the allocations."""
    rows = zip(run.alloc_job, run.alloc_node, run.alloc_gpus, run.alloc_start, run.alloc_end, strict=True)
    for job, node, gpus, start, end in rows:
        if start < end_s and end > begin_s:
            yield Hold(int(job), int(node), int(gpus), max(float(start), begin_s), min(float(end), end_s))
