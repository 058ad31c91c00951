"""Jobs that a scheduler could never start, named before a run begins."""

import numpy as np

from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError
from rarlib.model.jobs import Jobs
from rarlib.model.scheduler import Scheduler

_NAMED = 3
"""Jobs that a message names."""


def check_types(scheduler: Scheduler, jobs: Jobs, cluster: Cluster, *, trained: bool) -> None:
    """Refuse jobs that need more GPUs than any type has, under a scheduler that gives a job GPUs of one type.

    The scheduler's class attribute `one_type` says that it gives a job the GPUs "requested", or at least the "fewest",
    of one type; without it, gangs may span types. Without a training (`trained`), schedulers that resize gangs see one
    type.

    Raises:
        InputError: naming jobs, and what would hold them.
    """
    rule = getattr(scheduler, "one_type", "")
    if not rule or (rule == "fewest" and not trained):
        return
    kinds = np.array(cluster.gpu_type)
    have = {str(kind): int(cluster.gpus[cluster.is_gpu & (kinds == kind)].sum()) for kind in dict.fromkeys(kinds)}
    largest = max(have, key=lambda kind: have[kind])
    need = jobs.gpus if rule == "requested" else jobs.min_gpus
    large = np.flatnonzero(need > have[largest])
    if len(large) == 0:
        return
    named = ", ".join(f"{jobs.job_id[row]} ({need[row]} GPUs)" for row in large[:_NAMED].tolist())
    more = f" and {len(large) - _NAMED} more" if len(large) > _NAMED else ""
    raise InputError(
        f"{scheduler.name} gives a job GPUs of one type, and {largest} has most of them, {have[largest]}, too few for "
        f"{named}{more}; a type with {int(need.max())} GPUs would hold them, or a scheduler whose gangs span types, "
        "such as fifo, backfill, las or srtf",
        field="gpus",
    )
