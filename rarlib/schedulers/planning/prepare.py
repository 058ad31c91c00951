"""From a view to a batch: which gangs, in which order, how long they are estimated to run."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from rarlib.model.errors import InputError
from rarlib.model.jobs import Job
from rarlib.model.prices import iteration_s, iterations_per_s
from rarlib.model.scheduler import View
from rarlib.schedulers.planning.batch import Batch, alone_s, duration, worst_tau


def in_order(jobs: Sequence[Job], order: str) -> list[Job]:
    """Jobs in planning order: `gang` (ascending gang size, Alg. 1, l. 3) or `submission`; ties by row."""
    if order not in ("gang", "submission"):
        raise InputError(f"unknown order {order!r}; known: gang, submission", field="order")
    return sorted(jobs, key=lambda job: (job.gpus if order == "gang" else 0, job.row))


def prepare(
    view: View, waiting: Sequence[Job], held: Mapping[int, NDArray[np.int64]], tau_hat: float | None, u: float
) -> Batch:
    """The batch to plan.

    Args:
        view: the state of the cluster.
        waiting: jobs to plan, in planning order.
        held: GPUs of each running job, by row.
        tau_hat: estimate of every iteration time; None: tau^u of each job.
        u: bound on the ratio of estimated to true execution time (eq. 15).
    """
    jobs = [r.job for r in view.running] + list(waiting)
    rows, gangs = (np.array([getattr(job, name) for job in jobs], np.int64) for name in ("row", "gpus"))
    work = view.prices.work[rows].copy()
    for i, running in enumerate(view.running):
        row = running.job.row
        gangs[i] = len(held[row])
        alone = iterations_per_s(view.prices, row, iteration_s(view.prices, row, 1, 1))
        work[i] = min(work[i], view.remaining_s(row) * alone)
    most = int(view.cluster.gpus.max())
    pairs = list(zip(rows.tolist(), gangs.tolist(), strict=True))
    tau = np.array([worst_tau(view.prices, r, g, most) if tau_hat is None else tau_hat for r, g in pairs])
    plain = np.array([alone_s(view.prices, r, w) for r, w in zip(rows.tolist(), work.tolist(), strict=True)])
    at = np.concatenate([[0], np.cumsum(gangs)])
    gpus = np.zeros(int(at[-1]), np.int64)
    for i, running in enumerate(view.running):
        gpus[at[i] : at[i + 1]] = held[running.job.row]
    n = len(jobs)
    counts = np.array([len(view.running)], np.int64)
    return Batch(rows, gangs, work, work * tau / u, plain, at, gpus, np.zeros(n), np.zeros(n), counts)


def certain_horizon(view: View, batch: Batch) -> float:
    """A horizon that cannot make a batch infeasible: all gangs one after the other, each in its worst case."""
    prices, most, slowest = view.prices, int(view.cluster.gpus.max()), float(view.prices.node_speed.min())
    worst = sum(
        duration(prices, r, w, worst_tau(prices, r, g, most) / slowest)
        for r, w, g in zip(batch.row.tolist(), batch.work.tolist(), batch.gang.tolist(), strict=True)
    )
    return float(np.ceil(max(worst, batch.estimate.sum(), 1.0)))
