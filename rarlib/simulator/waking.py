"""A limit on the passes that a scheduler asks for: an interval far below the lengths of jobs would never end a run."""

import math

from rarlib.model.errors import InputError
from rarlib.model.limits import PASSES
from rarlib.model.scheduler import Scheduler
from rarlib.model.settings import intervals

_SAMPLE = 100
"""Passes in a row without an event of a job after which their spacing is extrapolated to the next one."""


class Waking:
    """Counts the passes that a scheduler asks for.

    Args:
        scheduler: the scheduler.
    """

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler
        self._asked, self._in_a_row, self._since_s, self._events = 0, 0, 0.0, -1

    def ask(self, now_s: float, events: int, upcoming_s: float) -> None:
        """Count one more pass that the scheduler asks for.

        Args:
            now_s: the present.
            events: number of events of jobs so far.
            upcoming_s: time of the next one; inf if there is none.

        Raises:
            InputError: beyond `PASSES`, or if passes at the present spacing would exceed it before the next event.
        """
        self._asked += 1
        if events != self._events:
            self._in_a_row, self._since_s, self._events = 0, now_s, events
        self._in_a_row += 1
        ahead = 0.0
        if self._in_a_row % _SAMPLE == 0 and math.isfinite(upcoming_s):
            ahead = (upcoming_s - now_s) / max((now_s - self._since_s) / self._in_a_row, 1e-300)
        if self._asked + ahead > PASSES.most:
            raise self._error()

    def _error(self) -> InputError:
        names = " or ".join(name.rstrip("_") for name in intervals(type(self._scheduler)))
        rule = f"scheduler {self._scheduler.name} asks for more than {PASSES.most:,} passes (see docs/limits.md)"
        return InputError(f"{rule}; set a longer {names}" if names else rule, field=names or None)
