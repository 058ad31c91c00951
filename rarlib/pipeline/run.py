"""The record of a simulated pipeline: operations, weight versions and memory over time, steady state."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rarlib.pipeline.schedule import PipelineSchedule
from rarlib.pipeline.stages import Pipeline

_Floats = NDArray[np.float64]
_Integers = NDArray[np.int64]

_KINDS = ("forward", "backward", "activation", "gradient", "sync")
FORWARD, BACKWARD, SYNC = 0, 1, 4


@dataclass(frozen=True, eq=False)
class PipelineRun:
    """Start and end of every operation, transfer and update."""

    pipeline: Pipeline  # the pipeline that ran
    schedule: PipelineSchedule  # the order in which it ran
    # times of forward, backward, activation and gradient transfer (sent by stage s), shape (4, S, minibatches); inf
    # where there is nothing to send
    start: _Floats
    end: _Floats  # when they end
    sync_start: _Floats  # times of the updates of each stage's weights, shape (S, updates); inf where there is none
    sync_end: _Floats  # when they end

    def versions(self) -> _Integers:
        """Updates that the weights of a forward pass have seen, shape (S, minibatches); the backward uses the same."""
        forwards = zip(self.sync_end, self.start[FORWARD], strict=True)
        return np.stack([np.searchsorted(done, begin, side="right") for done, begin in forwards])

    def operations(self) -> pd.DataFrame:
        """Everything that happened, ordered by start.

        Returns:
            Columns stage, replica, minibatch, kind, start_s, end_s, version. A transfer is listed at its sender, an
            exchange of gradients at replica -1, with the last minibatch it covers.
        """
        stages, n = self.start.shape[1:]
        kind, stage, minibatch = (index.ravel() for index in np.indices(self.start.shape))
        table = pd.DataFrame(
            {
                "stage": stage,
                "replica": minibatch % self.pipeline.replicas[stage],
                "minibatch": minibatch,
                "kind": _kinds(kind),
                "start_s": self.start.ravel(),
                "end_s": self.end.ravel(),
                "version": np.broadcast_to(self.versions(), (4, stages, n)).ravel(),
            }
        )
        table = pd.concat([table[np.isfinite(table["start_s"])], self._exchanges()])
        return table.sort_values(["start_s", "stage", "replica", "kind", "minibatch"], ignore_index=True)

    def _exchanges(self) -> pd.DataFrame:
        stage, update = np.nonzero(np.isfinite(self.sync_end) & (self.pipeline.sync_s[:, None] > 0))
        last = np.zeros(self.sync_end.shape, np.int64)
        backward = self.schedule.backward
        of_stage = np.repeat(self.schedule.stage, np.diff(self.schedule.first))[backward]
        np.maximum.at(last, (of_stage, self.schedule.update[backward]), self.schedule.minibatch[backward])
        return pd.DataFrame(
            {
                "stage": stage,
                "replica": -1,
                "minibatch": last[stage, update],
                "kind": _kinds(np.full(len(stage), SYNC)),
                "start_s": self.sync_start[stage, update],
                "end_s": self.sync_end[stage, update],
                "version": update + 1,
            }
        )

    def memory(self) -> pd.DataFrame:
        """What each worker keeps, at every start and end of its operations.

        Returns:
            Columns stage, replica, time_s, in_flight, versions, bytes: minibatches whose activations it keeps, weight
            versions (the newest and those of minibatches in flight), and memory.
        """
        versions = self.versions()
        first, replicas = self.schedule.first, self.pipeline.replicas
        frames = []
        for worker, stage in enumerate(self.schedule.stage):
            operations = slice(first[worker], first[worker + 1])
            replica = worker - int(replicas[:stage].sum())
            frames.append(self._worker_memory(int(stage), operations, versions[stage]).assign(replica=replica))
        table = pd.concat(frames, ignore_index=True)
        return table[["stage", "replica", "time_s", "in_flight", "versions", "bytes"]]

    def _worker_memory(self, stage: int, operations: slice, versions: _Integers) -> pd.DataFrame:
        minibatch, backward = self.schedule.minibatch[operations], self.schedule.backward[operations]
        at = (backward.astype(np.int64), stage, minibatch)
        time = np.stack([self.start[at], self.end[at]], axis=1).ravel()
        begun = np.repeat(np.cumsum(~backward, dtype=np.int64), 2)
        over = np.cumsum(backward, dtype=np.int64)
        done = np.stack([over - backward, over], axis=1).ravel()
        used = versions[minibatch[~backward]]  # of this worker's minibatches, in their order
        rank = np.cumsum(np.diff(used, prepend=-1) > 0, dtype=np.int64)
        oldest, latest = np.minimum(done, len(used) - 1), begun - 1
        in_flight = begun - done
        kept = np.where(in_flight > 0, rank[latest] - rank[oldest] + 1, 0)
        newest = np.searchsorted(self.sync_end[stage], time, side="right")
        kept += (in_flight == 0) | (used[latest] < newest)
        pipeline = self.pipeline
        return pd.DataFrame(
            {
                "stage": stage,
                "time_s": time,
                "in_flight": in_flight,
                "versions": kept,
                "bytes": kept * pipeline.weight_bytes[stage] + in_flight * pipeline.stash_bytes[stage],
            }
        )

    def period_s(self) -> float:
        """Seconds per minibatch between one in the middle and one before the pipeline drains, whole repeats apart."""
        done = np.sort(self.end[BACKWARD, 0])
        n, repeats = self.schedule.minibatches, self.schedule.repeats
        last = n - 1 - self._drained()
        span = (last - n // 2) // repeats * repeats
        return float((done[last] - done[last - span]) / span) if span > 0 else float(done[-1] / n)

    def _drained(self) -> int:
        """Minibatches that are in flight when the last one begins."""
        begin = self.start[FORWARD, 0].max()
        return int((self.end[BACKWARD, 0] > begin).sum()) - 1

    @property
    def bubble(self) -> float:
        """Share of the workers' time in steady state that is not compute."""
        period = self.period_s()
        return 1.0 - float(self.pipeline.compute_s.sum() / (self.pipeline.workers * period)) if period > 0 else 1.0


def _kinds(codes: _Integers) -> "pd.Series[str]":
    return pd.Series(pd.Categorical.from_codes(codes, categories=pd.Index(_KINDS)))
