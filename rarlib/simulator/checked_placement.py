"""Whether a gang may start where a scheduler wants it to."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarlib.model.decisions import Placement
from rarlib.model.jobs import Job
from rarlib.simulator.state import State


def checked_placement(state: State, job: Job, placement: Placement) -> NDArray[np.int64]:
    """GPUs that a gang takes on each node, shape (nodes,).

    Raises:
        ValueError: naming the rule that the placement breaks.
    """
    free = state.free
    counts, total = np.zeros(len(free), np.int64), 0
    for node, gpus in placement:
        if not (is_whole(node) and 0 <= node < len(free)):
            raise ValueError(f"job {job.job_id}: there is no node {node}")
        if not (is_whole(gpus) and gpus >= 1) or counts[node]:
            raise ValueError(f"job {job.job_id}: node {node} must appear once, with whole GPUs, at least 1")
        if gpus > free[node]:
            raise ValueError(f"job {job.job_id}: node {node} has {free[node]} GPUs free, {gpus} requested")
        counts[node] = gpus
        if state.is_gpu[node]:
            total += int(gpus)
    if not job.min_gpus <= total <= job.max_gpus:
        rule = f"{job.min_gpus}" if job.min_gpus == job.max_gpus else f"{job.min_gpus} to {job.max_gpus}"
        raise ValueError(f"job {job.job_id}: gang of {rule} GPUs, {total} given")
    return counts


def is_whole(number: Any) -> bool:
    """Whether this is an integer and no truth value."""
    return type(number) is int or (isinstance(number, int | np.integer) and not isinstance(number, bool))
