"""Turning a plan into decisions: which gangs start now."""

from collections import Counter
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from rarlib.model.decisions import Start
from rarlib.schedulers.shared.planning.search import BatchSchedule


class Release:
    """Serves the gangs of every GPU in planned order; a gang starts when it is next on all its GPUs.

    Args:
        plan: the plan to release; its first `running` gangs hold their GPUs already.
        server: server of each GPU, shape (GPUs,).
        keeps_order: whether a gang also waits until all gangs planned before it have started.
    """

    def __init__(self, plan: BatchSchedule, server: NDArray[np.int64], *, keeps_order: bool) -> None:
        batch, self._server, self._keeps_order = plan.batch, server, keeps_order
        self._rows = batch.row.tolist()
        self.gpus = {row: batch.gpus[batch.at[i] : batch.at[i + 1]] for i, row in enumerate(self._rows)}
        self._after: dict[int, list[int]] = {row: [] for row in self._rows}
        self._ahead = dict.fromkeys(self._rows, 0)
        tail: dict[int, int] = {}
        for row in self._rows:
            own = self.gpus[row].tolist()
            for before in {tail[g] for g in own if g in tail}:
                self._after[before].append(row)
                self._ahead[row] += 1
            tail.update(dict.fromkeys(own, row))
        running = int(batch.running[0])
        self._holding = set(self._rows[:running])
        self._queue = self._rows[running:]
        self._ready = [row for row in self._queue if self._ahead[row] == 0]

    def held(self) -> dict[int, NDArray[np.int64]]:
        """GPUs of the gangs that have started and have not been seen to finish, by row."""
        return {row: self.gpus[row] for row in self._holding}

    def starts(self, running: Iterable[int]) -> list[Start]:
        """Gangs to start now, given the rows of the jobs that run."""
        gone = self._holding.difference(running)
        self._holding -= gone
        for row in gone:
            for follower in self._after[row]:
                self._ahead[follower] -= 1
                if self._ahead[follower] == 0:
                    self._ready.append(follower)
        begun = self._in_planned_order() if self._keeps_order else self._ready
        if not self._keeps_order:
            self._ready = []
        self._holding.update(begun)
        return [self._start(row) for row in begun]

    def _in_planned_order(self) -> list[int]:
        count = 0
        while count < len(self._queue) and self._ahead[self._queue[count]] == 0:
            count += 1
        begun, self._queue = self._queue[:count], self._queue[count:]
        return begun

    def _start(self, row: int) -> Start:
        counts = Counter(self._server[self.gpus[row]].tolist())  # GPUs ascend, so do the nodes
        return Start(row, tuple(counts.items()))
