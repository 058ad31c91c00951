"""How a job progresses and what it learns on the way: the compiled part of `rarlib.cost.goodput.training`.

Source: Sia's simulator (SOSP 2023, artifact). While a job runs with batch B in epoch e, one iteration is worth
gain(B) iterations of the initial batch, with the gradient statistics of that epoch interpolated linearly in B; it takes
the measured time, times the application's slow-down. Observations of it (nodes, replicas, samples per GPU -> time; the
statistics of the gradient) are exact. A batch is chosen when the job starts, at the end of every epoch, and before
every scheduling pass, from what is known then.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.cost.goodput.batch import Bounds, accumulation_steps, best_batch, place_of
from rarlib.cost.goodput.descent import COMPUTE, LOCAL, NODES, PARAMETERS, REPLICAS, STEP, Space, copy
from rarlib.cost.goodput.fit import fit
from rarlib.cost.goodput.throughput import gain
from rarlib.model.jit import hot_kernel
from rarlib.model.prices import Prices

JOB = np.dtype(
    [
        ("app", "i8"),
        ("slot", "i8"),  # model that observations go to: of the GPU type, or the only one; -1: none is fitted
        ("kind", "i8"),  # GPU type it runs on
        ("nodes", "i8"),
        ("replicas", "i8"),
        ("curve", "i8"),  # its placement's times
        ("cap", "i8"),  # most samples per GPU measured with this number of replicas, 0: none were
        ("local", "i8"),
        ("steps", "i8"),
        ("epoch", "i8"),
        ("epochs", "i8"),
        ("first", "i8"),  # initial global batch
        ("most", "i8"),  # largest global batch
        ("requested", "i8"),
        ("tuned", "i8"),  # whether the batch is chosen
        ("pipelined", "i8"),
        ("least", "i8"),  # fewest samples per GPU
        ("slowdown", "f8"),
        ("seen", "i8"),  # whether gradients were observed yet
        ("square", "f8"),
        ("variance", "f8"),
        ("stale", "i8"),  # whether estimates have to be computed anew
        ("base_s", "f8"),  # the row of prices
        ("sync_s", "f8"),
        ("unit", "f8"),
        ("until", "f8"),
        ("extended", "i8"),  # whether the row's time is that of the nearest measurements
    ]
)
MODEL = np.dtype([("fitted", "i8"), ("frozen", "i8"), ("rows", "i8"), ("replicas", "i8"), ("known", "i8")])
"""A throughput model of a job: whether it is fitted, whether it is final, observations, most replicas among them, and
the number of what it has observed."""

FIT = np.dtype([("before", "i8"), ("row", "f8", (5,)), ("known", "i8"), ("params", "f8", (PARAMETERS,))])
"""A fit to the observations of number `before` and one more row: the number of all of them, and the parameters."""

_FITS = 16381
"""Space for fits. Jobs of an application observe much the same, so that of 3,795 fits of a run 1,060 differ."""

FINE, OUTSIDE, TOO_SMALL = range(3)
"""Outcomes of writing a row: all is well; the time was not measured; the batch is smaller than the initial one."""


class TrainingState(NamedTuple):
    """Arrays of a run."""

    job: NDArray[Any]  # shape (jobs,), `JOB`
    curves: NDArray[Any]  # see `rarlib.cost.goodput.step_time`
    times: NDArray[np.float64]  # see there
    # measured global batches by application, shape (applications, batches), repeated at the end
    batches: NDArray[np.int64]
    gradients: NDArray[np.float64]  # by application, [progress, square, variance], batch and epoch
    model: NDArray[Any]  # shape (jobs, slots), `MODEL`
    params: NDArray[np.float64]  # shape (jobs, slots, 7)
    observed: NDArray[np.float64]  # shape (jobs, slots, rows, 5), see `rarlib.cost.goodput.descent`
    fits: NDArray[Any]  # the last fits, by their observations, `FIT`
    # batches of searches by application and slot (`rarlib.cost.goodput.batch`), shape (places, `NOTED`)
    noted: NDArray[np.float64]


@hot_kernel
def between(w: TrainingState, app: int, quantity: int, epoch: int, batch: float) -> float:
    """Gradient statistic at a global batch, linear between those measured."""
    sizes = w.batches[app]
    upper = 0
    while upper < len(sizes) - 1 and sizes[upper] < batch:
        upper += 1
    lower = upper - 1 if upper > 0 and sizes[upper] > batch else upper
    below, above = w.gradients[app, quantity, lower, epoch], w.gradients[app, quantity, upper, epoch]
    if sizes[upper] == sizes[lower]:
        return below
    return below + (above - below) * ((batch - sizes[lower]) / (sizes[upper] - sizes[lower]))


@hot_kernel
def epoch_end(w: TrainingState, app: int, epoch: int) -> float:
    """Work done at the end of an epoch: the least over all batches."""
    end = np.inf
    for batch in range(w.gradients.shape[2]):
        end = min(end, w.gradients[app, 0, batch, epoch])
    return end


@hot_kernel
def choose_batch(w: TrainingState, j: int) -> None:
    """Choose samples per GPU and accumulation steps for the job's placement, from what it knows."""
    job, curve = w.job[j], w.curves[w.job[j].curve]
    if job.pipelined:
        job.local, job.steps = curve.first, 0
        return
    if job.tuned and job.seen and w.model[j, job.slot].fitted:
        low = max(float(job.first), float(job.least * job.replicas))
        bounds = Bounds(float(job.first), low, float(job.most), job.least, curve.largest)
        p = w.params[j, job.slot]
        noted = w.noted[place_of(job.app * w.model.shape[1] + job.slot, job.replicas)]
        _, local, steps = best_batch(p, job.square, job.variance, job.nodes, job.replicas, bounds, noted)
    else:
        batch = max(job.first, job.least * job.replicas) if job.tuned else job.requested
        each = math.ceil(batch / job.replicas - 1e-8)
        steps = accumulation_steps(float(each), float(curve.largest), job.replicas, float(job.first))
        local = math.ceil(each / (steps + 1) - 1e-8)
    if job.cap > 0:
        local = min(local, job.cap)
    job.local, job.steps = min(local, job.most // (job.replicas * (steps + 1))), steps


@hot_kernel
def write_row(w: TrainingState, j: int) -> int:
    """Write the job's prices with its batch in its epoch; return the outcome."""
    job, curve = w.job[j], w.curves[w.job[j].curve]
    if not curve.first <= job.local <= curve.last:
        return OUTSIDE
    at = curve.offset + job.local - curve.first
    step, sync = w.times[at, 0], w.times[at, 1]
    job.extended = not curve.low <= job.local <= curve.high
    if np.isnan(step):
        return OUTSIDE
    batch = float(job.replicas * job.local * (job.steps + 1))
    if batch < job.first:
        return TOO_SMALL
    square = between(w, job.app, 1, job.epoch, batch)
    variance = between(w, job.app, 2, job.epoch, batch)
    job.base_s, job.sync_s = (step - sync) * (job.steps + 1), sync
    job.unit = gain(square, variance, batch / job.first) / job.slowdown
    job.until = epoch_end(w, job.app, job.epoch) if job.epoch + 1 < job.epochs else np.inf
    return FINE


@hot_kernel
def _observe_gradient(w: TrainingState, j: int) -> None:
    job = w.job[j]
    batch = float(job.replicas * job.local * (job.steps + 1))
    square = between(w, job.app, 1, job.epoch, batch)
    variance = between(w, job.app, 2, job.epoch, batch)
    if not job.seen or square != job.square or variance != job.variance:
        job.seen, job.square, job.variance, job.stale = 1, square, variance, 1


@hot_kernel
def observe(w: TrainingState, j: int, space: Space) -> None:
    """Record what is observed of the job with its present batch; fit its model again after a new measurement."""
    _observe_gradient(w, j)
    job = w.job[j]
    if job.slot < 0 or w.model[j, job.slot].frozen:
        return
    model, rows = w.model[j, job.slot], w.observed[j, job.slot]
    if job.replicas > model.replicas:
        model.replicas, job.stale = job.replicas, 1
    if job.pipelined:
        return
    for i in range(model.rows):
        if rows[i, NODES] == job.nodes and rows[i, REPLICAS] == job.replicas and rows[i, LOCAL] == job.local:
            return
    curve = w.curves[job.curve]
    at = curve.offset + job.local - curve.first
    row = rows[model.rows]
    row[NODES], row[REPLICAS], row[LOCAL] = job.nodes, job.replicas, job.local
    row[COMPUTE], row[STEP] = w.times[at, 0] - w.times[at, 1], w.times[at, 0]
    model.rows += 1
    _fit(w, j, space)
    model.fitted = 1
    job.stale = 1


@hot_kernel
def _fit(w: TrainingState, j: int, space: Space) -> None:
    """Fit a job's model to its observations, or take over the fit of another job that has observed the same."""
    slot = w.job[j].slot
    model, params, rows = w.model[j, slot], w.params[j, slot], w.observed[j, slot]
    row = rows[model.rows - 1]
    key = model.known * 40503 + int(row[LOCAL]) * 9973 + int(row[REPLICAS]) * 131 + int(row[STEP] * 1e7)
    found = w.fits[key % len(w.fits)]
    same = found.before == model.known
    for i in range(len(row)):
        same = same and found.row[i] == row[i]
    if not same:
        fit(rows[: model.rows], space, params)
        found.before, found.known = model.known, found.known + len(w.fits)
        copy(row, found.row)
        copy(params, found.params)
    model.known = found.known
    copy(found.params, params)


def no_fits() -> NDArray[Any]:
    """Space for fits, in which none is. Each fit gets a new number, and none is 0: nothing has been observed."""
    fits = np.zeros(_FITS, FIT).view(np.recarray)
    fits["before"], fits["known"] = -1, np.arange(_FITS)
    return fits


@hot_kernel
def renew(w: TrainingState, j: int, space: Space) -> int:
    """End an epoch: observe it, choose the next one's batch, price it."""
    if w.job[j].slot >= 0:
        observe(w, j, space)
    w.job[j].epoch += 1
    if w.job[j].tuned:
        choose_batch(w, j)
    return write_row(w, j)


@hot_kernel
def has_space(w: TrainingState, j: int) -> bool:
    """Whether one more observation of a job can be stored; none is, if no model is fitted to it."""
    if w.job[j].slot < 0:
        return True
    most = 0
    for slot in range(w.model.shape[1]):
        most = max(most, w.model[j, slot].rows)
    return most + 1 < w.observed.shape[2]


@hot_kernel
def bring_price(w: TrainingState, j: int, prices: Prices) -> None:
    """Bring what `write_row` has written into the run's price table."""
    job = w.job[j]
    prices.base_s[j], prices.unit[j], prices.until[j] = job.base_s, job.unit, job.until
    prices.local_s[j] = prices.link_s[j] = job.sync_s
    if len(prices.unmeasured):
        prices.unmeasured[j] = job.extended != 0


@hot_kernel
def bring_prices(w: TrainingState, jobs: NDArray[np.int64], prices: Prices) -> None:
    """As `bring_price`, for several jobs."""
    for j in jobs:
        bring_price(w, j, prices)


@hot_kernel
def begin_job(w: TrainingState, j: int) -> int:
    """Choose the batch of a job that is about to start on the placement in its record, and price it."""
    choose_batch(w, j)
    return write_row(w, j)


@hot_kernel
def progressed(w: TrainingState, jobs: NDArray[np.int64], space: Space) -> int:
    """Observe jobs that have made progress, and choose their batches from what they have learned.

    Returns:
        -1, or a job that could not be priced.
    """
    for i in range(len(jobs)):
        observe(w, jobs[i], space)
        choose_batch(w, jobs[i])
        if write_row(w, jobs[i]) != FINE:
            return int(jobs[i])
    return -1
