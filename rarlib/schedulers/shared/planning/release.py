"""Turning a plan into decisions: which gangs start now."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from rarlib.model.decisions import Start
from rarlib.model.jit import kernel
from rarlib.schedulers.shared.planning.search import BatchSchedule


class Release:
    """Serves the gangs of every GPU in planned order; a gang starts when it is next on all its GPUs.

    The first `running` gangs of the plan hold their GPUs already. With `keeps_order` a gang also waits until all gangs
    planned before it have started.
    """

    def __init__(self, plan: BatchSchedule, server: NDArray[np.int64], *, keeps_order: bool) -> None:
        self._batch, self._server, self._keeps_order = plan.batch, server, keeps_order
        self._rows = self._batch.row.tolist()
        self._position = {row: i for i, row in enumerate(self._rows)}
        ahead, first, self._followers = _queues(self._batch.at, self._batch.gpus, len(server))
        self._at, self._ahead, self._first = self._batch.at.tolist(), ahead.tolist(), first.tolist()
        running = int(self._batch.running[0])
        self._holding = set(self._rows[:running])
        self._queue = self._rows[running:]
        self._ready = [row for row, count in zip(self._queue, self._ahead[running:], strict=True) if count == 0]

    def _gpus(self, row: int) -> NDArray[np.int64]:
        i = self._position[row]
        return self._batch.gpus[self._at[i] : self._at[i + 1]]

    def held(self) -> dict[int, NDArray[np.int64]]:
        """GPUs of the gangs that have started and have not been seen to finish, by row."""
        return {row: self._gpus(row) for row in self._holding}

    def starts(self, running: Iterable[int]) -> list[Start]:
        """Gangs to start now, given the rows of the jobs that run."""
        gone = self._holding.difference(running)
        self._holding -= gone
        for row in gone:
            i = self._position[row]
            for follower in self._followers[self._first[i] : self._first[i + 1]].tolist():
                self._ahead[follower] -= 1
                if self._ahead[follower] == 0:
                    self._ready.append(self._rows[follower])
        begun = self._in_planned_order() if self._keeps_order else self._ready
        if not self._keeps_order:
            self._ready = []
        self._holding.update(begun)
        return [self._start(row) for row in begun]

    def _in_planned_order(self) -> list[int]:
        count = 0
        while count < len(self._queue) and self._ahead[self._position[self._queue[count]]] == 0:
            count += 1
        begun, self._queue = self._queue[:count], self._queue[count:]
        return begun

    def _start(self, row: int) -> Start:
        counts: dict[int, int] = {}
        for node in self._server[self._gpus(row)].tolist():  # GPUs ascend, so do the nodes
            counts[node] = counts.get(node, 0) + 1
        return Start(row, tuple(counts.items()))


@kernel
def _queues(
    at: NDArray[np.int64], gpus: NDArray[np.int64], total: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Which gangs come next on the GPUs of which, given the GPUs of all gangs as in a batch.

    Returns:
        Number of gangs that come directly before each one on its GPUs, shape (gangs,); position of each gang's first
        follower, shape (gangs + 1,); the followers of all gangs, ascending within a gang.
    """
    gangs = len(at) - 1
    ahead, first = np.zeros(gangs, np.int64), np.zeros(gangs + 2, np.int64)
    last, before, seen = np.full(total, -1), np.full(len(gpus), -1), np.full(gangs, -1)
    for i in range(gangs):
        for k in range(at[i], at[i + 1]):
            leader = last[gpus[k]]
            last[gpus[k]] = i
            if leader >= 0 and seen[leader] != i:
                seen[leader] = i
                before[k] = leader
                ahead[i] += 1
                first[leader + 2] += 1
    first = np.cumsum(first)
    followers = np.zeros(first[-1], np.int64)
    for i in range(gangs):
        for k in range(at[i], at[i + 1]):
            if before[k] >= 0:
                followers[first[before[k] + 1]] = i
                first[before[k] + 1] += 1
    return ahead, first[:-1], followers
