"""Speeds of jobs on each GPU type with the GPUs and the batch that their users requested."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rarlib.model.errors import InfeasibleError
from rarlib.model.jobs import Job
from rarlib.model.offers import needed
from rarlib.model.scheduler import View


def requested_rates(view: View, jobs: Sequence[Job], name: str) -> NDArray[np.float64]:
    """Iterations per second by GPU type, 0 where the type has too few GPUs, shape (jobs, types).

    These are true speeds: Gavel's policies know the speed of a job on every type.

    Raises:
        InfeasibleError: for a job that fits on no type.
        InputError: if the cost model does not offer speeds as requested; names the scheduler (`name`).
    """
    rate = needed(view.offers.requested, name, "requested").rates(np.array([job.row for job in jobs]))
    stuck = np.flatnonzero(~(rate > 0.0).any(axis=1))
    if len(stuck):
        job = jobs[int(stuck[0])]
        raise InfeasibleError(f"job {job.job_id} asks for {job.gpus} GPUs, more than any type has", field="gpus")
    return rate


def iterations(view: View, jobs: Sequence[Job], name: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Iterations left and in all, above 0, with the GPUs and the batch requested, each of shape (jobs,)."""
    rows = np.array([job.row for job in jobs])
    return needed(view.offers.requested, name, "requested").iterations(rows, view.work_done(rows))
