"""One pipeline under several schedules: seconds per minibatch in steady state, and bytes sent.

These check what SOSP 2019, section 5, says about pipelining alone, about flushes, and about communication.
"""

import numpy as np

from rarlib.model.errors import InputError
from rarlib.pipeline.plan import Plan
from rarlib.pipeline.schedule import PipelineSchedule, gpipe, model_parallel, one_f_one_b
from rarlib.pipeline.simulate import simulate_pipeline
from rarlib.pipeline.stages import Pipeline

ENOUGH = 1000
"""Minibatches after which a pipeline of some tens of workers is in its steady state; the second half is measured."""


def one_f_one_b_s(pipeline: Pipeline) -> float:
    """1F1B with the warm-up of the code, where the exchange of gradients overlaps with compute."""
    return _period(pipeline, one_f_one_b(_replicas(pipeline), _enough(pipeline)))


def gpipe_s(pipeline: Pipeline, flush: int) -> float:
    """GPipe with `flush` minibatches between flushes."""
    return _period(pipeline, gpipe(_replicas(pipeline), _enough(pipeline, flush), flush))


def model_parallel_s(pipeline: Pipeline) -> float:
    """The same stages without pipelining."""
    return _period(pipeline, model_parallel(_replicas(pipeline), _enough(pipeline)))


def largest_flush(pipeline: Pipeline, memory_bytes: float) -> int:
    """The most minibatches between flushes whose activations fit next to one copy of the weights; 0: not even one.

    Raises:
        InputError: no stage keeps activations, so any number fits.
    """
    keeps = pipeline.stash_bytes > 0
    if not keeps.any():
        raise InputError("must be above 0 for some stage", field="stash_bytes")
    free_bytes = np.maximum(memory_bytes - pipeline.weight_bytes, 0.0)
    held = free_bytes[keeps] // pipeline.stash_bytes[keeps] * pipeline.replicas[keeps]
    return int(held.min())


def bytes_sent(plan: Plan) -> float:
    """Bytes that all workers of a pipeline send for one minibatch.

    Activations and gradients cross every boundary; r replicas of a stage exchange 2 (r - 1) / r of its weights each,
    once for r minibatches.
    """
    boundaries = sum(2.0 * stage.output_bytes for stage in plan.stages[:-1])
    return boundaries + sum(_exchanged(stage.parameter_bytes, stage.replicas) for stage in plan.stages)


def data_parallel_bytes_sent(plan: Plan) -> float:
    """The same for data parallelism on as many workers."""
    return _exchanged(sum(stage.parameter_bytes for stage in plan.stages), plan.workers)


def _exchanged(weights: float, replicas: int) -> float:
    return 2.0 * (replicas - 1) / replicas * weights


def _replicas(pipeline: Pipeline) -> list[int]:
    return [int(count) for count in pipeline.replicas]


def _enough(pipeline: Pipeline, flush: int = 1) -> int:
    """A multiple of `flush` that covers many repeats of the schedule."""
    repeats = int(np.lcm.reduce([flush, *_replicas(pipeline)]))
    return repeats * max(6, -(-ENOUGH // repeats))


def _period(pipeline: Pipeline, schedule: PipelineSchedule) -> float:
    return simulate_pipeline(pipeline, schedule).period_s()
