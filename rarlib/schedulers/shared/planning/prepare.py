"""From a view to a batch: the gangs, their order, and their estimated durations."""

from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarlib.model.jobs import Job
from rarlib.model.prices import Prices, alone_per_s
from rarlib.model.scheduler import View
from rarlib.schedulers.shared.planning.batch import Batch, estimates
from rarlib.schedulers.shared.planning.units import whole_units


def planning_order(jobs: Sequence[Job], order: str) -> list[Job]:
    """Jobs in planning order: `gang` (ascending gang size, Alg. 1, l. 3) or `submission`; ties by row."""
    return sorted(jobs, key=attrgetter("gpus", "row") if order == "gang" else attrgetter("row"))


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
    running = view.running_rows
    begun, gpus_held = len(running), [held[row] for row in running.tolist()]
    rows = np.array([*running.tolist(), *(job.row for job in waiting)], np.int64)
    gangs = np.array([*map(len, gpus_held), *(job.gpus for job in waiting)], np.int64)
    work = view.prices.work[rows]
    work[:begun] = np.minimum(work[:begun], view.remaining_s(running) * alone_per_s(view.prices, running))
    prices = _of_gangs(view.prices, rows, work)
    plain, tau, longest = estimates(prices, gangs, int(view.cluster.gpus.max()))
    if tau_hat is not None:
        tau = np.full(len(rows), tau_hat)
    at = np.concatenate([[0], np.cumsum(gangs)])
    gpus = np.zeros(int(at[-1]), np.int64)
    gpus[: at[begun]] = np.concatenate([gpus[:0], *gpus_held])
    n, counts = len(rows), np.array([begun], np.int64)
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
