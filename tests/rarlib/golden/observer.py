"""What happens in a run, moment by moment, in the words of the transcripts.

The observer looks at the simulator's state before and after each instant, so it sees every event in the order in which
it took place. It computes nothing: times, placements, work done and rates are those of the simulator.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from rarlib.simulator import policy
from rarlib.simulator.clock import PASS
from rarlib.simulator.state import FINISHED, FUTURE, RUNNING


def number(x: float) -> str:
    """A float as a short decimal or, where there is none, as a fraction; all digits if it is neither."""
    near = Fraction(float(x)).limit_denominator(1000)
    if abs(near - Fraction(float(x))) > 1e-9 * max(1.0, abs(x)):
        return repr(float(x))
    rest = near.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    return f"{float(near):.10g}" if rest == 1 else str(near)


class _Seen(NamedTuple):
    phase: int
    first_row: int
    moves: int
    level: int
    rate: float
    ready: float
    done: float
    placement: tuple[tuple[int, int], ...]


class Observer:
    """Writes the log of the runs that take place while it is in force (`watching`)."""

    def __init__(self, names: list[str]) -> None:
        self.log: list[str] = []
        self.held: list[tuple[int, float, float, int, int]] = []
        self._names, self._before = names, [_Seen(FUTURE, -1, 0, 0, 0.0, 0.0, 0.0, ())] * len(names)
        self._since, self._state = [0.0] * len(names), None

    def open_instant(self, state: Any, prices: Any) -> int:
        """Do what the simulator does, and look before (the last pass is over then) and after."""
        self.look(state)
        happened = _open_instant(state, prices)
        self.look(state)
        if happened == PASS:
            self._note("pass")
        return happened

    def learned(self, jobs: list[int]) -> None:
        """Note what a training is told."""
        if jobs:
            self._note(f"the training learns from {', '.join(self._names[job] for job in jobs)}")

    def _note(self, text: str) -> None:
        self.log.append(f"t={number(self._state.run[0].now)} {text}")

    def look(self, state: Any = None) -> None:
        """Write down what has changed since the last look."""
        self._state = state = self._state if state is None else state
        if state is None:
            return
        pairs = [(job, old, self._see(state, job)) for job, old in enumerate(self._before)]
        for tell in (self._end, self._stop, self._start, self._change, self._arrive):
            for job, old, new in pairs:
                tell(job, old, new)
        self._before = [new for _, _, new in pairs]

    def _see(self, state: Any, job: int) -> _Seen:
        row = state.job[job]
        rows = state.rows[row.first_row : row.first_row + row.servers] if row.phase == RUNNING else []
        placement = tuple((int(r.node), int(r.gpus)) for r in rows)
        return _Seen(row.phase, row.first_row, row.moves, row.level, row.rate, row.ready, row.done, placement)

    def _left(self, job: int, old: _Seen) -> str:
        now = float(self._state.run[0].now)
        if now > self._since[job]:
            self.held += [(job, self._since[job], now, node, gpus) for node, gpus in old.placement]
        return f"frees {_where(old)}"

    def _end(self, job: int, old: _Seen, new: _Seen) -> None:
        if old.phase == RUNNING and new.phase == FINISHED:
            self._note(f"{self._names[job]} ends, {self._left(job, old)}")

    def _stop(self, job: int, old: _Seen, new: _Seen) -> None:
        if old.phase == RUNNING and new.phase != FINISHED and not _goes_on(old, new):
            left = self._left(job, old)
            if new.moves == old.moves:
                work = number(self._state.job[job].work)
                self._note(f"{self._names[job]} stops after {number(new.done)} of {work}, {left}")

    def _start(self, job: int, old: _Seen, new: _Seen) -> None:
        if new.phase != RUNNING or _goes_on(old, new):
            return
        self._since[job] = float(self._state.run[0].now)
        does = "starts on" if new.moves == old.moves else "moves to"
        ready = f", ready at t={number(new.ready)}" if new.ready > self._since[job] else ""
        self._note(f"{self._names[job]} {does} {_where(new)}{ready}, {number(1.0 / new.rate)} s per iteration")

    def _change(self, job: int, old: _Seen, new: _Seen) -> None:
        if _goes_on(old, new) and new.rate != old.rate:
            self._note(f"{self._names[job]} now takes {number(1.0 / new.rate)} s per iteration")
        if new.level != old.level:
            self._note(f"{self._names[job]} reaches level {new.level}")

    def _arrive(self, job: int, old: _Seen, new: _Seen) -> None:
        if old.phase == FUTURE and new.phase != FUTURE:
            self._note(f"{self._names[job]} arrives")


_open_instant: Callable[[Any, Any], int] = policy.open_instant


def _goes_on(old: _Seen, new: _Seen) -> bool:
    return old.phase == new.phase == RUNNING and old.first_row == new.first_row


def _where(seen: _Seen) -> str:
    return " + ".join(f"node {node} x{gpus}" for node, gpus in seen.placement)


def totals(run: Any) -> list[str]:
    """The table of a transcript's totals, from the record of the run."""
    columns = (run.queue_s, run.useful_s, run.contention_s, run.overhead_s, run.gpu_seconds, run.restarts)
    rows = zip(run.jobs.job_id, np.transpose(columns), strict=True)
    head = "job queue useful contention overhead GPU-seconds restarts"
    return [head, *(" ".join([str(job), *map(number, row)]) for job, row in rows)]
