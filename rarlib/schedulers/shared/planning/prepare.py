"""From a view to a batch: the gangs, their order, and their estimated durations."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarlib.model.jobs import Job
from rarlib.model.prices import Prices, iteration_s, iterations_per_s
from rarlib.model.scheduler import View
from rarlib.schedulers.shared.planning.batch import Batch, estimates
from rarlib.schedulers.shared.planning.units import whole_units


def planning_order(jobs: Sequence[Job], order: str) -> list[Job]:
    """Jobs in planning order: `gang` (ascending gang size, Alg. 1, l. 3) or `submission`; ties by row."""
    return sorted(jobs, key=lambda job: (job.gpus if order == "gang" else 0, job.row))


def prepare(
    view: View,
    waiting: Sequence[Job],
    held: Mapping[int, NDArray[np.int64]],
    tau_hat: float | None,
    u: float,
    step_s: float,
) -> tuple[Batch, float]:
    """The batch to plan.

    Args:
        view: the state of the cluster.
        waiting: jobs to plan, in planning order.
        held: GPUs of each running job, by row.
        tau_hat: estimate of every iteration time; None: tau^u of each job.
        u: bound on the ratio of estimated to true execution time (eq. 15).
        step_s: the span returned is a whole multiple of this.

    Returns:
        The batch, and a span of time that is long enough for any schedule of it.
    """
    jobs = [r.job for r in view.running] + list(waiting)
    rows, gangs = (np.array([getattr(job, name) for job in jobs], np.int64) for name in ("row", "gpus"))
    work = view.prices.work[rows].copy()
    for i, running in enumerate(view.running):
        row = running.job.row
        gangs[i] = len(held[row])
        alone = iterations_per_s(view.prices, row, iteration_s(view.prices, row, 1, 1))
        work[i] = min(work[i], view.remaining_s(row) * alone)
    prices = _of_gangs(view.prices, rows, work)
    plain, tau, longest = estimates(prices, gangs, int(view.cluster.gpus.max()))
    if tau_hat is not None:
        tau = np.full(len(rows), tau_hat)
    at = np.concatenate([[0], np.cumsum(gangs)])
    gpus = np.zeros(int(at[-1]), np.int64)
    for i, running in enumerate(view.running):
        gpus[at[i] : at[i + 1]] = held[running.job.row]
    n = len(jobs)
    counts = np.array([len(view.running)], np.int64)
    estimate, units_per_s = whole_units(work, tau, u, gangs)
    batch = Batch(rows, gangs, prices, estimate, units_per_s, plain, at, gpus, np.zeros(n), np.zeros(n), counts)
    # All gangs one after the other, each in its worst case, cannot end later. (Where no iteration fits a slot in the
    # worst case, one per slot is the slowest that ever ends.)
    longest = np.where(np.isfinite(longest), longest, work * view.prices.slot_s)
    return batch, float(np.ceil(max(longest.sum(), estimate.sum() / units_per_s, step_s) / step_s) * step_s)


def _of_gangs(prices: Prices, rows: NDArray[np.int64], work: NDArray[np.float64]) -> Prices:
    """The prices that a plan uses: gangs of the requested size that never stop, at the current prices."""
    n = len(rows)
    known: dict[str, Any] = {
        "unit": np.ones(n),
        "until": np.full(n, np.inf),
        "launch_s": np.zeros(n),
        "curve": np.full(n, -1),
    }
    return prices.take(rows)._replace(work=work, **known)
