"""How fast jobs are on each GPU type with the GPUs and the batch their users asked for."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rarlib.cost.goodput.applications import application
from rarlib.cost.goodput.training import GoodputTraining
from rarlib.model.errors import InfeasibleError
from rarlib.model.jobs import Job
from rarlib.model.prices import iteration_s, iterations_per_s
from rarlib.model.scheduler import View
from rarlib.schedulers.gavel_parts.board import Board


def requested_rates(view: View, board: Board, jobs: Sequence[Job]) -> NDArray[np.float64]:
    """Iterations per second by GPU type, 0 where the type has too few GPUs, shape (jobs, types).

    They are true: the policies of Gavel are told what a job would do on every type. Without a training, the price table
    on the fewest nodes says it.

    Raises:
        InfeasibleError: for a job that fits on no type.
    """
    if isinstance(view.training, GoodputTraining):
        rows = np.array([job.row for job in jobs])
        slowdown = np.array([application(job.application, job.job_id).slowdown for job in jobs])
        rate = view.training.requested.rates(rows) / slowdown[:, None]
    else:
        rate = np.array([[_priced(view, board, job, kind) for kind in range(len(board.types))] for job in jobs])
    stuck = np.flatnonzero(~(rate > 0.0).any(axis=1))
    if len(stuck):
        job = jobs[int(stuck[0])]
        raise InfeasibleError(f"job {job.job_id} asks for {job.gpus} GPUs, more than any type has", field="gpus")
    return rate


def iterations(view: View, jobs: Sequence[Job]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Iterations left, at least 1, and in all, with the GPUs and the batch asked for, each of shape (jobs,)."""
    rows = np.array([job.row for job in jobs])
    if isinstance(view.training, GoodputTraining):
        left, total = view.training.requested.iterations(rows, view.work_done(rows))
    else:
        part = np.array([view.remaining_s(job.row) / max(job.duration_s, 1e-9) for job in jobs])
        left, total = view.prices.work[rows] * part, view.prices.work[rows]
    return np.maximum(left, 1.0), np.maximum(total, 1.0)


def _priced(view: View, board: Board, job: Job, kind: int) -> float:
    if job.gpus > board.capacity[kind]:
        return 0.0
    tau = iteration_s(view.prices, job.row, board.fewest_nodes(kind, job.gpus), 1)
    return float(iterations_per_s(view.prices, job.row, tau) * view.prices.node_speed[board.nodes[kind][0]])
