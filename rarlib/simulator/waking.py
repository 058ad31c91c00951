"""Limits on the passes that a scheduler asks for, so that every run ends.

An interval far below the lengths of jobs means passes without number. An interval below the time of a restart lets a
scheduler that exchanges jobs at every pass do so forever, and no job ever gets beyond its restart. A scheduler may also
leave waiting jobs waiting although every GPU is idle, pass by pass.
"""

import math
from typing import NamedTuple

import numpy as np

from rarlib.model.errors import InputError, NoProgressError
from rarlib.model.jit import Repeated
from rarlib.model.limits import FRUITLESS, IDLE, PASSES
from rarlib.model.scheduler import Scheduler
from rarlib.model.settings import interval_parameters
from rarlib.simulator.clock import next_event
from rarlib.simulator.state import RUNNING, State

_SAMPLE = 100
"""Passes in a row without an event of a job after which their spacing is extrapolated to the next one."""


class _Progress(NamedTuple):
    """Work done by all jobs up to now, their restarts, and how many have finished."""

    done: float
    restarts: int
    finished: int


class Waking:
    """Counts the passes that a scheduler asks for."""

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler, self._upcoming = scheduler, Repeated(next_event)
        self._asked, self._in_a_row, self._since_s, self._events = 0, 0, 0.0, -1
        self._progress, self._idle = _Progress(-1.0, 0, 0), 0

    def ask(self, state: State) -> None:
        """Count one more pass that the scheduler asks for.

        Raises:
            InputError: beyond `PASSES`, if passes at the present spacing would exceed it before the next event of a
                job, or if in the last `IDLE` passes no job ran and none was about to arrive.
            NoProgressError: if jobs have only been restarted in the last `FRUITLESS` passes.
        """
        clock, upcoming_s = np.asarray(state.run)[0], self._upcoming(state)
        now_s, events = float(clock["now"]), int(clock["events"])
        self._asked += 1
        if self._asked % FRUITLESS.most == 0:
            self._check_progress(state)
        self._idle = 0 if math.isfinite(upcoming_s) else self._idle + 1
        if self._idle > IDLE.most:
            rule = (
                f"scheduler {self._scheduler.name} leaves all GPUs idle while jobs wait, {IDLE.most:,} passes in a row"
            )
            raise InputError(f"{rule} (see rarlib/model/limits.py)")
        if events != self._events:
            self._in_a_row, self._since_s, self._events = 0, now_s, events
        self._in_a_row += 1
        ahead = 0.0
        if self._in_a_row % _SAMPLE == 0 and math.isfinite(upcoming_s):
            ahead = (upcoming_s - now_s) / max((now_s - self._since_s) / self._in_a_row, 1e-300)
        if self._asked + ahead > PASSES.most:
            raise self._error(f"asks for more than {PASSES.most:,} passes (see rarlib/model/limits.py)")

    def _check_progress(self, state: State) -> None:
        before, self._progress = self._progress, _progress(state)
        exchanged = self._progress.restarts - before.restarts > FRUITLESS.most / 2
        if exchanged and self._progress[::2] == before[::2]:
            raise self._error(
                f"restarts jobs before they get beyond their last restart: no progress in {FRUITLESS.most:,} passes",
                NoProgressError,
            )

    def _error(self, what: str, kind: type[InputError] = InputError) -> InputError:
        names = " or ".join(name.rstrip("_") for name in interval_parameters(type(self._scheduler)))
        rule = f"scheduler {self._scheduler.name} {what}"
        return kind(f"{rule}; set a longer {names}" if names else rule, field=names or None)


def _progress(state: State) -> _Progress:
    job, now = np.asarray(state.job), float(state.run[0].now)
    runs = job["phase"] == RUNNING
    moving = np.maximum(now - np.maximum(job["settled"], job["ready"])[runs], 0.0)
    done = float(job["done"].sum()) + float(moving @ job["rate"][runs])
    return _Progress(done, int(job["restarts"].sum()), int(state.run[0].finished))
