"""1F1B with a flush: every stage works on the same microbatches, and all of them update once at the end.

Source: Narayanan et al., "Efficient large-scale language model training on GPU clusters using Megatron-LM", SC 2021,
arXiv 2104.04473, section 2.2.1 (PipeDream-flush); the order of sends and receives is that of DeepSpeed's public
schedule of training steps.

Transfers are read in two ways. *Overlapped*: a transfer takes a port, not a worker, as in `rarlib.pipeline.simulate`.
*Blocking*: a transfer begins when both sides have reached it, and both wait until it is over.
"""

import numpy as np
from numpy.typing import NDArray

from rarlib.model.errors import InputError
from rarlib.pipeline.run import BACKWARD
from rarlib.pipeline.schedule import one_f_one_b
from rarlib.pipeline.simulate import simulate_pipeline
from rarlib.pipeline.stages import Pipeline


def flush_ends(pipeline: Pipeline, microbatches: int, *, blocking: bool) -> NDArray[np.float64]:
    """When each stage has finished its last backward pass of a flush, seconds, shape (S,); see above for `blocking`.

    Raises:
        InputError: replicated stages (replicas run pipelines of their own), or no microbatch.
    """
    if (pipeline.replicas > 1).any():
        raise InputError("must be 1 in every stage: replicas of a flush run pipelines of their own", field="replicas")
    if blocking:
        return _blocking_ends(pipeline, microbatches)
    run = simulate_pipeline(pipeline, one_f_one_b([1] * pipeline.stages, microbatches))
    return run.end[BACKWARD].max(axis=1)


def _blocking_ends(pipeline: Pipeline, microbatches: int) -> NDArray[np.float64]:
    """Step after step, every stage runs a forward or a backward pass in turn.

    In a step, a stage that goes forward first meets the one before it: it takes an activation and gives the gradient of
    its last step. The two sides of a boundary always go in different directions.
    """
    if microbatches < 1:
        raise InputError(f"must be at least 1, found {microbatches}", field="microbatches")
    stages, transfer_s = pipeline.stages, pipeline.transfer_s.tolist()
    compute_s = pipeline.backward_s.tolist(), pipeline.forward_s.tolist()
    clock = [0.0] * stages
    for step in range(2 * (microbatches + stages - 1)):
        for stage in range(1, stages):
            if (step + stage) % 2 == 0:
                sent = (_of(step, stage, stages), _of(step - 1, stage, stages))
                meetings = sum(0 <= microbatch < microbatches for microbatch in sent)
                if meetings:
                    over = max(clock[stage - 1], clock[stage]) + meetings * transfer_s[stage - 1]
                    clock[stage - 1] = clock[stage] = over
        for stage in range(stages):
            if 0 <= _of(step, stage, stages) < microbatches:
                clock[stage] += compute_s[(step + stage) % 2 == 0][stage]
    return np.array(clock)


def _of(step: int, stage: int, stages: int) -> int:
    """Microbatch that a stage works on in a step; out of range while the pipeline fills or drains."""
    if (step + stage) % 2 == 0:
        return (step - stage) // 2
    return (step + stage + 1) // 2 - stages
