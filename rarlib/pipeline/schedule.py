"""The order of each worker's operations: 1F1B and 1F1B-RR, GPipe, model parallelism.

Source: Narayanan et al., "PipeDream: Generalized Pipeline Parallelism for DNN Training", SOSP 2019, doi
10.1145/3341301.3359646, section 3.2, and its published code; GPipe: Huang et al., NeurIPS 2019, arXiv 1811.06965.

| paper | here | unit |
|---|---|---|
| R_s, replicas of stage s | `replicas[s]` | workers |
| R, all workers | `sum(replicas)` | workers |
| NOAM = ceil(R / R_0) | `noam` | minibatches per input worker |
| warm-up depth of the code | `warm_up` | minibatches per worker |

1F1B-RR: minibatch m runs on replica m mod R_s, forward and backward. A worker first runs its warm-up forwards, then
forward and backward in turn, then the backwards that are left. All of this is known beforehand, so a schedule is a list
per worker, and the simulation only computes the times.

Weights: the update of a stage takes the gradients of one minibatch from each replica (1F1B) or of a whole flush
(GPipe). What a worker does after its backward waits for that update, or, if the exchange overlaps with compute, for the
one before: at most one is outstanding.
"""

from collections.abc import Sequence
from math import ceil, lcm
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.model.errors import InputError

_Integers = NDArray[np.int64]


class PipelineSchedule(NamedTuple):
    """Operations of all workers, worker after worker, each in its order."""

    replicas: _Integers  # workers per stage; worker r of stage s is number sum(replicas[:s]) + r
    minibatches: int  # how many run
    stage: _Integers  # stage of each worker, shape (workers,)
    first: _Integers  # positions of each worker's operations, shape (workers + 1,)
    # what each operation works on; ascending among the forwards of a worker, and among its backwards
    minibatch: _Integers
    backward: NDArray[np.bool_]  # whether it is a backward pass
    update: _Integers  # update of the stage's weights that a backward pass belongs to, from 0
    after: _Integers  # update that must be over before the operation starts; negative: none
    # backward passes by stage and update, shape (S, updates); -1 for an update that a replicated stage does not have
    backwards: _Integers
    repeats: int  # minibatches after which the schedule repeats itself


def noam(replicas: Sequence[int]) -> int:
    """Minibatches admitted per input worker so that the pipeline is full: ceil(R / R_0)."""
    return ceil(sum(replicas) / replicas[0])


def warm_up(replicas: Sequence[int]) -> list[int]:
    """Forwards of a worker before its first backward: floor((R - 1 - sum_{t<s} R_t) / R_s), as in the code.

    This is NOAM - 1 of the pipeline that begins at stage s.
    """
    return [noam(replicas[s:]) - 1 for s in range(len(replicas))]


def one_f_one_b(
    replicas: Sequence[int], minibatches: int, depths: Sequence[int] | None = None, *, overlap: bool = True
) -> PipelineSchedule:
    """1F1B, with replicated stages 1F1B-RR; `depths` is the warm-up of each stage (None: `warm_up`).

    With `overlap` the exchange of gradients overlaps with compute.
    """
    _check(replicas, minibatches)
    depths = warm_up(replicas) if depths is None else depths
    if len(depths) != len(replicas) or min(depths) < 0:
        raise InputError(f"needs a number of at least 0 for each of {len(replicas)} stages", field="depths")
    lists = []
    for count, depth in zip(replicas, depths, strict=True):
        for replica in range(count):
            own = np.arange(replica, minibatches, count)
            local = np.arange(len(own))
            warm = min(depth, len(own))
            steady = len(own) - warm
            forward_at = np.where(local < warm, local, 2 * local - warm)
            backward_at = np.where(local < steady, warm + 2 * local + 1, len(own) + local)
            late = 1 + overlap
            lists.append(_merge(own, forward_at, backward_at, local, local - depth - late, local - late))
    return _schedule(replicas, minibatches, lists, lcm(*replicas))


def model_parallel(replicas: Sequence[int], minibatches: int) -> PipelineSchedule:
    """Stages without pipelining: a worker begins no minibatch before it has finished the one before.

    With replicated stages the replicas of the input stage work side by side.
    """
    return one_f_one_b(replicas, minibatches, [0] * len(replicas), overlap=False)


def gpipe(replicas: Sequence[int], minibatches: int, flush: int) -> PipelineSchedule:
    """GPipe: `flush` minibatches (it calls them micro-batches) forward, all backward, one update, and so on."""
    if flush < 1:
        raise InputError(f"must be at least 1, found {flush}", field="flush")
    _check(replicas, minibatches)
    lists = []
    for count in replicas:
        for replica in range(count):
            own = np.arange(replica, minibatches, count)
            batch = own // flush
            begins = np.searchsorted(batch, batch)  # own minibatches of earlier flushes
            size = np.searchsorted(batch, batch, side="right") - begins
            forward_at = begins + np.arange(len(own))
            lists.append(_merge(own, forward_at, forward_at + size, batch, batch - 1, batch - 1))
    return _schedule(replicas, minibatches, lists, lcm(flush, *replicas))


def _check(replicas: Sequence[int], minibatches: int) -> None:
    if minibatches < 1:
        raise InputError(f"must be at least 1, found {minibatches}", field="minibatches")
    if not replicas or min(replicas) < 1:
        raise InputError("needs a stage, and a worker in every stage", field="replicas")


def _merge(
    own: _Integers,
    forward_at: _Integers,
    backward_at: _Integers,
    update: _Integers,
    forward_after: _Integers,
    backward_after: _Integers,
) -> NDArray[np.int64]:
    """Columns minibatch, backward, update, after of one worker; forwards and backwards put at their positions."""
    rows = np.empty((2 * len(own), 4), np.int64)
    rows[forward_at] = np.stack([own, np.zeros_like(own), update, forward_after], axis=1)
    rows[backward_at] = np.stack([own, np.ones_like(own), update, backward_after], axis=1)
    return rows


def _schedule(
    replicas: Sequence[int], minibatches: int, lists: list[NDArray[np.int64]], repeats: int
) -> PipelineSchedule:
    rows = np.concatenate(lists)
    first = np.concatenate([[0], np.cumsum([len(one) for one in lists])])
    stage = np.repeat(np.arange(len(replicas)), replicas)
    backward = rows[:, 1] == 1
    minibatch, update, after = (np.ascontiguousarray(rows[:, at]) for at in (0, 2, 3))
    backwards = np.zeros((len(replicas), int(update.max()) + 1), np.int64)
    np.add.at(backwards, (np.repeat(stage, np.diff(first))[backward], update[backward]), 1)
    backwards[backwards == 0] = -1
    counts = np.array(replicas, np.int64)
    return PipelineSchedule(counts, minibatches, stage, first, minibatch, backward, update, after, backwards, repeats)
