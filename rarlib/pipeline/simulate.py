"""The times of everything in a pipeline, given the order of each worker's operations.

An operation starts once its worker is free, its input has arrived and the update it waits for is over. Transfers
overlap with compute: a worker sends to the next stage over one port and to the one before over another, and receives
over two more, each one minibatch at a time and in order (full duplex). Times are maxima and sums of earlier times, so
there is no queue of events: a worker is visited again whenever something it may wait for has become known.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.model.errors import InputError
from rarlib.model.jit import hot_kernel
from rarlib.pipeline.run import PipelineRun
from rarlib.pipeline.schedule import PipelineSchedule
from rarlib.pipeline.stages import Pipeline

_Floats = NDArray[np.float64]
_Integers = NDArray[np.int64]


class _State(NamedTuple):
    """What is known so far; inf stands for a time that is not known yet."""

    schedule: PipelineSchedule  # what to do; and the times of the pipeline
    compute_s: _Floats  # (2, S): forward, backward
    transfer_s: _Floats  # (S - 1,)
    sync_s: _Floats  # (S,)
    # results
    start: _Floats  # (4, S, minibatches)
    end: _Floats
    sync_start: _Floats  # (S, updates)
    sync_end: _Floats
    # bookkeeping
    base: _Integers  # (S + 1,) first worker of each stage
    at: _Integers  # (workers,) next operation
    free: _Floats  # (workers,)
    missing: _Integers  # (S, updates) backwards still to come
    sent: _Integers  # (2, S) next minibatch to send
    updated: _Integers  # (S,) next update
    port: _Floats  # (2, 2, workers) sending, receiving; forward, backward: free from
    todo: _Integers  # (workers,) stack of workers to visit
    waiting: NDArray[np.bool_]  # (workers,) on the stack
    size: _Integers  # (1,) of the stack


@hot_kernel
def _wake(s: _State, worker: int) -> None:
    if not s.waiting[worker]:
        s.waiting[worker] = True
        s.todo[s.size[0]] = worker
        s.size[0] += 1


@hot_kernel
def _send(s: _State, stage: int, backward: int) -> None:
    """Let minibatches leave a stage, to the next one or, backward, to the one before."""
    to = stage - 1 if backward else stage + 1
    if to < 0 or to >= len(s.schedule.replicas):
        return
    kind, took = 2 + backward, s.transfer_s[min(stage, to)]
    while s.sent[backward, stage] < s.start.shape[2]:
        m = s.sent[backward, stage]
        if s.end[backward, stage, m] == np.inf:
            return
        sender, receiver = s.base[stage] + m % s.schedule.replicas[stage], s.base[to] + m % s.schedule.replicas[to]
        begin = max(s.end[backward, stage, m], s.port[0, backward, sender], s.port[1, backward, receiver])
        s.start[kind, stage, m] = begin
        s.end[kind, stage, m] = begin + took
        s.port[0, backward, sender] = s.port[1, backward, receiver] = begin + took
        s.sent[backward, stage] += 1
        _wake(s, receiver)


@hot_kernel
def _update(s: _State, stage: int) -> None:
    """Exchange gradients of every update whose backwards are all done."""
    while s.updated[stage] < s.missing.shape[1] and s.missing[stage, s.updated[stage]] == 0:
        u = s.updated[stage]
        begin = s.sync_start[stage, u]  # the last backward so far
        if u > 0:
            begin = max(begin, s.sync_end[stage, u - 1])
        s.sync_start[stage, u] = begin
        s.sync_end[stage, u] = begin + s.sync_s[stage]
        s.updated[stage] += 1
        if s.schedule.replicas[stage] > 1:
            for worker in range(s.base[stage], s.base[stage + 1]):
                _wake(s, worker)


@hot_kernel
def _ready(s: _State, worker: int, op: int) -> float:
    """Earliest start of a worker's next operation; inf if that is not known yet."""
    stage, m = s.schedule.stage[worker], s.schedule.minibatch[op]
    time = s.free[worker]
    if s.schedule.after[op] >= 0:
        time = max(time, s.sync_end[stage, s.schedule.after[op]])
    if not s.schedule.backward[op]:
        return max(time, s.end[2, stage - 1, m]) if stage > 0 else time
    if stage + 1 < len(s.schedule.replicas):
        time = max(time, s.end[3, stage + 1, m])
    return max(time, s.end[0, stage, m])


@hot_kernel
def _advance(s: _State, worker: int) -> None:
    """Run the operations of a worker whose starts are known."""
    stage = s.schedule.stage[worker]
    while s.at[worker] < s.schedule.first[worker + 1]:
        op = s.at[worker]
        begin = _ready(s, worker, op)
        if begin == np.inf:
            return
        kind, m, u = int(s.schedule.backward[op]), s.schedule.minibatch[op], s.schedule.update[op]
        end = begin + s.compute_s[kind, stage]
        s.start[kind, stage, m], s.end[kind, stage, m] = begin, end
        s.free[worker] = end
        s.at[worker] += 1
        _send(s, stage, kind)
        if kind == 1:
            s.missing[stage, u] -= 1
            s.sync_start[stage, u] = max(s.sync_start[stage, u], end)
            _update(s, stage)


@hot_kernel
def _play(s: _State) -> None:
    for worker in range(len(s.at)):
        _wake(s, worker)
    while s.size[0] > 0:
        s.size[0] -= 1
        worker = s.todo[s.size[0]]
        s.waiting[worker] = False
        _advance(s, worker)


def simulate_pipeline(pipeline: Pipeline, schedule: PipelineSchedule) -> PipelineRun:
    """Run a schedule on a pipeline.

    Raises:
        InputError: the schedule is for other stages, or its workers wait for each other forever.
    """
    if not np.array_equal(pipeline.replicas, schedule.replicas):
        raise InputError("schedule and pipeline must have the same replicas", field="replicas")
    state = _state(pipeline, schedule)
    _play(state)
    stuck = np.flatnonzero(state.at < schedule.first[1:])
    if len(stuck):
        worker = int(stuck[0])
        stage, op = int(schedule.stage[worker]), int(state.at[worker])
        what = "backward" if schedule.backward[op] else "forward"
        raise InputError(
            f"workers wait for each other: stage {stage} cannot run {what} of minibatch {schedule.minibatch[op]}; "
            "warm-up depths must not be larger than what the stages before admit",
            field="depths",
        )
    return PipelineRun(pipeline, schedule, state.start, state.end, state.sync_start, state.sync_end)


def _state(pipeline: Pipeline, schedule: PipelineSchedule) -> _State:
    stages, workers, n = pipeline.stages, pipeline.workers, schedule.minibatches
    return _State(
        schedule=schedule,
        compute_s=np.stack([pipeline.forward_s, pipeline.backward_s]),
        transfer_s=pipeline.transfer_s,
        sync_s=pipeline.sync_s,
        start=np.full((4, stages, n), np.inf),
        end=np.full((4, stages, n), np.inf),
        sync_start=np.zeros(schedule.backwards.shape),
        sync_end=np.full(schedule.backwards.shape, np.inf),
        base=np.concatenate([[0], np.cumsum(pipeline.replicas)]),
        at=schedule.first[:-1].copy(),
        free=np.zeros(workers),
        missing=schedule.backwards.copy(),
        sent=np.zeros((2, stages), np.int64),
        updated=np.zeros(stages, np.int64),
        port=np.zeros((2, 2, workers)),
        todo=np.zeros(workers, np.int64),
        waiting=np.zeros(workers, np.bool_),
        size=np.zeros(1, np.int64),
    )
