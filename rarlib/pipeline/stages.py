"""A pipeline as its simulation sees it: stages in order, replicas, times, bytes."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from math import inf

import numpy as np
from numpy.typing import NDArray

from rarlib.model.errors import InputError
from rarlib.pipeline.plan import Plan

_Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Pipeline:
    """S stages; every number holds for one minibatch on one worker.

    Raises:
        InputError: shapes that do not agree, a number that is negative or not finite, a stage without a worker.
    """

    replicas: NDArray[np.int64]  # workers of each stage, shape (S,)
    forward_s: _Floats  # forward pass, shape (S,)
    backward_s: _Floats  # backward pass, shape (S,)
    transfer_s: _Floats  # activations over the boundary behind stage s; gradients take as long back, shape (S - 1,)
    sync_s: _Floats  # exchange of a stage's gradients among its replicas, once per update of its weights, shape (S,)
    weight_bytes: _Floats  # weights, shape (S,)
    stash_bytes: _Floats  # kept from forward to backward, shape (S,)

    def __post_init__(self) -> None:
        stages = len(self.replicas)
        if stages == 0 or (self.replicas < 1).any():
            raise InputError("needs a stage, and a worker in every stage", field="replicas")
        for name in (each.name for each in fields(self)):
            values, length = getattr(self, name), stages - (name == "transfer_s")
            if values.shape != (length,):
                raise InputError(f"needs {length} numbers, found shape {values.shape}", field=name)
            if not all(0 <= value < inf for value in values.tolist()):
                raise InputError("must be finite numbers of at least 0", field=name)

    @classmethod
    def build(
        cls,
        replicas: Sequence[int],
        forward_s: Sequence[float],
        backward_s: Sequence[float],
        *,
        transfer_s: Sequence[float] | float = 0.0,
        sync_s: Sequence[float] | float = 0.0,
        weight_bytes: Sequence[float] | float = 0.0,
        stash_bytes: Sequence[float] | float = 0.0,
    ) -> "Pipeline":
        """A pipeline from plain numbers; a single one holds for all stages or boundaries."""
        stages = len(replicas)

        def column(values: Sequence[float] | float, length: int = stages) -> _Floats:
            return np.full(length, values, float) if isinstance(values, (int, float)) else np.array(values, float)

        return cls(
            np.array(replicas, np.int64),
            column(forward_s),
            column(backward_s),
            column(transfer_s, stages - 1),
            column(sync_s),
            column(weight_bytes),
            column(stash_bytes),
        )

    @classmethod
    def of(
        cls, plan: Plan, *, transfer_s: Sequence[float] | None = None, sync_s: Sequence[float] | None = None
    ) -> "Pipeline":
        """The pipeline of a plan; unless times are given, a boundary has the bandwidth of its outermost links."""
        stages = plan.stages
        if transfer_s is None:
            transfer_s = [stages[s].output_bytes / _bandwidth(plan, s) for s in range(len(stages) - 1)]
        return cls.build(
            [stage.replicas for stage in stages],
            [stage.forward_s for stage in stages],
            [stage.backward_s for stage in stages],
            transfer_s=transfer_s,
            sync_s=[stage.sync_s for stage in stages] if sync_s is None else sync_s,
            weight_bytes=[stage.parameter_bytes for stage in stages],
            stash_bytes=[stage.activation_bytes for stage in stages],
        )

    @property
    def stages(self) -> int:
        """Number of stages, S."""
        return len(self.replicas)

    @property
    def workers(self) -> int:
        """Number of workers."""
        return int(self.replicas.sum())

    @property
    def compute_s(self) -> _Floats:
        """Forward and backward pass of each stage, shape (S,)."""
        return self.forward_s + self.backward_s

    @property
    def floor_s(self) -> float:
        """Seconds per minibatch that no schedule of this pipeline can beat: its busiest workers, ports or exchanges."""
        narrow = np.minimum(self.replicas[:-1], self.replicas[1:])
        busy = [self.compute_s / self.replicas, self.sync_s / self.replicas, self.transfer_s / narrow]
        return float(np.concatenate(busy).max())


def _bandwidth(plan: Plan, stage: int) -> float:
    """Bandwidth between `stage` and the next one."""
    crossed = [
        level for level, groups in enumerate(plan.levels) if any(group.stages[1] == stage + 1 for group in groups[:-1])
    ]
    return plan.bandwidth[max(crossed, default=0)]
