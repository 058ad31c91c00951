"""What the planner returns: stages, their times, and how good the answer is.

Times are seconds per minibatch in steady state, sizes bytes.
"""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple


class Stage(NamedTuple):
    """Consecutive layers on one group of workers that replicate them."""

    layers: tuple[str, ...]  # names, in topological order
    replicas: int  # workers that hold a copy of these layers
    forward_s: float  # forward time of one minibatch on one worker
    backward_s: float  # backward time of one minibatch on one worker
    sync_s: float  # time to exchange the gradients of the weights among the replicas, once for `replicas` minibatches
    input_bytes: float  # activations that come from the stage before, per minibatch
    output_bytes: float  # activations that go to the stage after, per minibatch
    parameter_bytes: float  # weights
    activation_bytes: float  # outputs of all its layers for one minibatch
    in_flight: int = 1  # minibatches whose weight version and activations a worker holds at the same time (1F1B)

    @property
    def first(self) -> str:
        """Name of its first layer."""
        return self.layers[0]

    @property
    def last(self) -> str:
        """Name of its last layer."""
        return self.layers[-1]

    @property
    def compute_s(self) -> float:
        """Forward and backward time of one minibatch on one worker."""
        return self.forward_s + self.backward_s

    @property
    def memory_bytes(self) -> float:
        """Bytes of a worker: weights and activations of every minibatch in flight."""
        return self.in_flight * (self.parameter_bytes + self.activation_bytes)


class Group(NamedTuple):
    """A stage of one level of the hierarchy: a range of stages that `replicas` components of the level below run."""

    stages: tuple[int, int]  # range (first, end) of `Plan.stages`
    replicas: int  # components that hold a copy of it
    time_s: float  # time per minibatch of the group, its own synchronisation included


@dataclass(frozen=True)
class Plan:
    """A pipeline for one model on one hierarchy of machines."""

    variant: str  # `published` or `as-coded`
    machines: tuple[int, ...]  # components per level, innermost first; their product is the number of workers
    bandwidth: tuple[float, ...]  # bytes per second of each level's links
    pipeline_time_s: float  # time per minibatch of the slowest stage
    stages: tuple[Stage, ...]  # in pipeline order
    # the groups of each level, innermost first; the last level's are the pipeline across the outermost links
    levels: tuple[tuple[Group, ...], ...]
    data_parallel_time_s: float  # time per minibatch with all layers replicated on all workers
    single_machine_time_s: float  # time per minibatch on one worker
    states: int  # states of the recurrence
    method: str  # which cuts were tried: `antichains` (all), `branches` or `order`, see `states.py`
    exact: bool  # whether no pipeline of this model can be faster under this variant
    lower_bound_s: float  # no pipeline is faster than this; equals `pipeline_time_s` when exact
    memory: float | None = None  # bytes of a worker that the planner was given; None: no limit

    @property
    def fits(self) -> bool:
        """Whether every stage, as 1F1B runs it, stays within the memory of its workers."""
        return self.memory is None or max(stage.memory_bytes for stage in self.stages) <= self.memory

    @property
    def workers(self) -> int:
        """Workers in use; fewer than there are only if that was allowed."""
        return sum(stage.replicas for stage in self.stages)

    @property
    def configuration(self) -> str:
        """Replicas of the stages in order, such as 15-1; `straight` is what the paper calls 1-1-...-1."""
        return "-".join(str(stage.replicas) for stage in self.stages)

    def time_s(self, stage: Stage) -> float:
        """Time per minibatch of a stage: computing and synchronisation overlap as published, add up as coded."""
        busy = max(stage.compute_s, stage.sync_s) if self.variant == "published" else stage.compute_s + stage.sync_s
        return busy / stage.replicas

    @property
    def noam(self) -> int:
        """Minibatches an input-stage worker admits to fill the pipeline: ceil(workers / its replicas)."""
        return math.ceil(self.workers / self.stages[0].replicas)

    def as_dict(self) -> dict[str, Any]:
        """Everything, for JSON."""
        return {
            "variant": self.variant,
            "machines": list(self.machines),
            "bandwidth": list(self.bandwidth),
            "configuration": self.configuration,
            "pipeline_time_s": self.pipeline_time_s,
            "single_machine_time_s": self.single_machine_time_s,
            "data_parallel_time_s": self.data_parallel_time_s,
            "speedup_over_single_machine": self.single_machine_time_s / self.pipeline_time_s,
            "data_parallel_speedup_over_single_machine": self.single_machine_time_s / self.data_parallel_time_s,
            "speedup_over_data_parallel": self.data_parallel_time_s / self.pipeline_time_s,
            "noam": self.noam,
            "workers": self.workers,
            "states": self.states,
            "method": self.method,
            "exact": self.exact,
            "lower_bound_s": self.lower_bound_s,
            "memory": self.memory,
            "fits": self.fits,
            "stages": [{**_stage(stage), "time_s": self.time_s(stage)} for stage in self.stages],
            "levels": [
                [
                    {"first_stage": g.stages[0], "end_stage": g.stages[1], "replicas": g.replicas, "time_s": g.time_s}
                    for g in level
                ]
                for level in self.levels
            ],
        }


def _stage(stage: Stage) -> dict[str, Any]:
    return {
        "first": stage.first,
        "last": stage.last,
        "layers": len(stage.layers),
        "replicas": stage.replicas,
        "forward_s": stage.forward_s,
        "backward_s": stage.backward_s,
        "compute_s": stage.compute_s,
        "sync_s": stage.sync_s,
        "input_bytes": stage.input_bytes,
        "output_bytes": stage.output_bytes,
        "parameter_bytes": stage.parameter_bytes,
        "activation_bytes": stage.activation_bytes,
        "in_flight": stage.in_flight,
        "memory_bytes": stage.memory_bytes,
    }
