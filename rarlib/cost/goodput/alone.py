"""Times of a job alone with a fixed batch: users tune their requests by them, and oracles know them."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.cost.goodput.batch import accumulation_steps
from rarlib.cost.goodput.profiles import Gradients
from rarlib.cost.goodput.step_time import StepTimes


class Share(NamedTuple):
    """How a global batch is run: samples per GPU and pass, accumulation steps, seconds per iteration and exchange."""

    local: int
    steps: int
    iteration_s: float
    sync_s: float


def shape_of(replicas: int, gpus_per_node: int) -> tuple[int, ...]:
    """GPUs by node on the fewest nodes."""
    full, rest = divmod(replicas, gpus_per_node)
    return (gpus_per_node,) * full + ((rest,) if rest else ())


def share(
    times: StepTimes, name: str, gpu_type: str, shape: tuple[int, ...], batch: int, *, single: bool = False
) -> Share:
    """A global batch on a placement (GPUs by node), as the user's scripts run it.

    On a `single` GPU even the initial batch is accumulated (the authors' Gavel assumes so).

    Raises:
        ValueError: the placement or the batch was not measured.
    """
    row = times.curve(name, gpu_type, shape)  # may replace the table
    curve = times.curves[row]
    gradients, app = times.profiles.gradients[name], times.application(name)
    if app.stages:
        step, sync = times.times[curve["offset"]].tolist()
        return Share(int(curve["first"]), 0, step, sync)
    replicas = sum(shape)
    each = math.ceil(batch / replicas - 1e-8)
    steps = accumulation_steps(float(each), float(curve["largest"]), replicas, float(gradients.batch[0]))
    steps = max(steps, 1) if single and replicas == 1 else steps
    local = min(math.ceil(each / (steps + 1) - 1e-8), int(gradients.batch[-1]) // (replicas * (steps + 1)))
    if not curve["first"] <= local <= curve["last"]:
        rule = f"{name}: a batch of {batch} on {replicas} GPUs leaves {local} for each"
        raise ValueError(f"{rule}; measured are {curve['first']} to {curve['last']}")
    step, sync = times.times[curve["offset"] + local - curve["first"]].tolist()
    if math.isnan(step):
        raise ValueError(f"{name} was not measured with {local} samples on GPUs {shape} of type {gpu_type}")
    return Share(local, steps, step + (step - sync) * steps, sync)


def at_batch(gradients: Gradients, values: NDArray[np.float64], batch: float) -> NDArray[np.float64]:
    """A statistic at a global batch, linear between those measured, by epoch; `values` has shape (batches, epochs)."""
    at = float(np.interp(batch, gradients.batch, np.arange(len(gradients.batch))))
    low = min(int(at), len(gradients.batch) - 2) if len(gradients.batch) > 1 else 0
    if low + 1 >= len(gradients.batch):
        return values[low]
    return np.asarray(values[low] + (at - low) * (values[low + 1] - values[low]))


def duration_s(times: StepTimes, name: str, gpu_type: str, shape: tuple[int, ...], batch: int) -> float:
    """Time of the whole training on one placement with one batch, with the slow-down, without the delay of a start.

    Raises:
        ValueError: the placement was not measured, or the batch lies outside of the measured ones.
    """
    found = share(times, name, gpu_type, shape, batch)
    gradients, app = times.profiles.gradients[name], times.application(name)
    replicas = sum(shape) // app.stages.get(gpu_type, 1)
    used = replicas * found.local * (found.steps + 1)
    if not gradients.batch[0] <= used <= gradients.batch[-1]:
        raise ValueError(f"{name} was measured with batches {gradients.batch[0]} to {gradients.batch[-1]}, not {used}")
    square, variance = (at_batch(gradients, values, used) for values in (gradients.square, gradients.variance))
    worth = (variance + square) / (variance * gradients.batch[0] / used + square)
    work = np.diff(gradients.progress.min(axis=0), prepend=0.0)
    return float((work / worth).sum() * found.iteration_s * app.slowdown)
