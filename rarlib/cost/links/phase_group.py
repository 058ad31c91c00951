"""Jobs that are connected by the links they share, phase by phase (`rarlib.fabric.phases`), between changes of a run.

Three or more jobs on a link soon forget the phases in which they began. Once every job of a group has done
`2 * STEADY_ITERATIONS`, the group goes on at the mean pace of the second half, until it changes.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.fabric.phase_state import Phases, new_phases, set_rates
from rarlib.fabric.phases import ALL_DONE, advance, start_sending
from rarlib.fabric.rates import FlowTable, bottlenecks

STEADY_ITERATIONS = 1_000
"""Iterations of the slowest job of a group over which its mean pace is taken, after as many others."""
_REMEMBERED = 2**16
"""Rates that a group remembers, over all sets of jobs that send."""
_SAVED = (
    "goal", "length", "beyond", "ready", "sending", "done", "active", "left", "rate", "members", "tally",
)  # fmt: skip
_NO_ENDS = np.zeros(0)


class Position(NamedTuple):
    """Where a job is in its iteration.

    Attributes:
        sending: whether it sends; otherwise it computes.
        share: of this phase that is left, in [0, 1].
    """

    sending: bool
    share: float


BEGINNING = Position(sending=False, share=1.0)


class LinkedJob(NamedTuple):
    """A job of a group.

    Attributes:
        row: its row in the job table.
        compute_s: seconds of computing in an iteration.
        size: what it sends in an iteration, in seconds over a link of capacity 1.
        send_s: seconds of its exchange when it is alone, above 0.
        links: links of its ring, shape (crossings,).
        left_s: seconds of computing and sending alone until its work, or its row of prices, ends; above 0.
        position: where it is in its iteration.
        ready_s: it makes no progress before this time.
    """

    row: int
    compute_s: float
    size: float
    send_s: float
    links: NDArray[np.int64]
    left_s: float
    position: Position
    ready_s: float


class _Mark(NamedTuple):
    """What the jobs of a group have done up to a time: seconds alone to their goals, and exchanges; shape (jobs,)."""

    time: float
    left_s: NDArray[np.float64]
    sent: NDArray[np.float64]


class PhaseGroup:
    """Several connected jobs.

    Args:
        members: the jobs, by row.
        capacity: of all links of the fabric, shape (links,).
        alpha: loss per further job that sends over a link.
        now: the time.

    Attributes:
        members: as given.
    """

    def __init__(self, members: Sequence[LinkedJob], capacity: NDArray[np.float64], alpha: float, now: float) -> None:
        self.members = tuple(members)
        self._table, self._phases = _tables(self.members, capacity, alpha)
        self._state = new_phases(self._table, self._phases, _REMEMBERED)
        self._state.goal[:] = [each.left_s for each in self.members]
        for i, each in enumerate(self.members):
            self._resume(i, each, now)
        if self._state.tally[0] > 0:
            set_rates(self._table, self._state)
        self._begun_s = now
        self._now = self._half = self._followed(now)
        self._pace: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None

    def _resume(self, i: int, member: LinkedJob, now: float) -> None:
        s, position = self._state, member.position
        if position.sending:
            start_sending(self._table, self._phases, s, i, position.share)
            return
        whole_s = member.compute_s * position.share
        s.length[i] = min(whole_s, s.goal[i])
        s.beyond[i] = whole_s - s.length[i]
        s.ready[i] = max(now, member.ready_s) + s.length[i]

    @property
    def time(self) -> float:
        """Up to which the group has been followed, s."""
        return self._now.time

    @property
    def left_s(self) -> NDArray[np.float64]:
        """Seconds alone to each job's goal at `time`, shape (jobs,); 0 for jobs that have reached it."""
        return self._now.left_s

    def sent_by(self, now: float) -> NDArray[np.float64]:
        """Exchanges of each job up to `time`, or, if the group is steady, up to now, in parts, shape (jobs,)."""
        return self._now.sent if self._pace is None else self._now.sent + self._pace[1] * (now - self.time)

    @property
    def events(self) -> int:
        """Ends of phases so far."""
        return int(self._state.tally[2])

    def spent_s(self, now: float) -> tuple[float, float]:
        """Seconds up to now in which phases were followed, and in which mean paces held; summed over the jobs."""
        until_s = self._half.time if self.is_steady else now
        return len(self.members) * (until_s - self._begun_s), len(self.members) * (now - until_s)

    @property
    def is_steady(self) -> bool:
        """Whether mean paces have taken the place of phases."""
        return self._pace is not None

    def paces(self) -> NDArray[np.float64]:
        """Seconds alone of each job per second, of a group that is steady, shape (jobs,)."""
        assert self._pace is not None
        return self._pace[0]

    def position(self, i: int) -> Position:
        """Where a job is in its iteration; if the group is steady, where it was when it became so."""
        sends, left_s = self._phase_left(self._half.time if self.is_steady else self._now.time)
        whole_s = self._phases.send_s[i] if sends[i] else self._phases.compute_s[i]
        share = min(float(left_s[i] / whole_s), 1.0) if whole_s > 0.0 else 0.0
        return Position(bool(sends[i]), share)

    def _phase_left(self, now: float) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
        """Whether each job sends, and seconds alone that are left of its phase, shape (jobs,) each."""
        s = self._state
        sends = np.isinf(s.ready)
        with np.errstate(invalid="ignore"):
            computing_s = np.clip(s.ready - now, 0.0, s.length)
        sending_s = np.where(s.sending > 0, s.left * self._phases.send_s / self._table.size, 0.0)
        return sends, np.where(sends, sending_s, computing_s) + s.beyond

    def _followed(self, time: float) -> _Mark:
        """What the phases say at a time at which they stand."""
        s = self._state
        sends, left_s = self._phase_left(time)
        done_s = s.length + s.beyond - left_s
        goal_s = np.where(s.goal > 0.0, np.maximum(s.goal - done_s, 0.0), 0.0)
        sent = s.done.astype(np.float64) + np.where(sends, 1.0 - left_s / self._phases.send_s, 0.0)
        return _Mark(time, goal_s, sent)

    def advance(self, horizon: float) -> None:
        """Follow the group until the horizon, or until a job reaches its goal."""
        while self._pace is None:
            time, why = advance(
                self._table, self._phases, self._state, self._now.time, horizon, np.iinfo(np.int64).max, _NO_ENDS
            )
            self._now = self._followed(float(time))
            if why != ALL_DONE or not self.left_s.all():
                return
            self._count_on()
        self._go_on(horizon)

    def _count_on(self) -> None:
        """After the first half begin the second; after that take its mean pace."""
        if self._phases.iterations[0] == STEADY_ITERATIONS:
            self._half = self._now
            self._phases.iterations[:] = 2 * STEADY_ITERATIONS
            self._state.tally[1] = np.count_nonzero(self._state.done < 2 * STEADY_ITERATIONS)
        if self._state.tally[1] == 0:
            span = self._now.time - self._half.time
            self._pace = (self._half.left_s - self._now.left_s) / span, (self._now.sent - self._half.sent) / span
            self._half = self._now

    def _go_on(self, horizon: float) -> None:
        """Go on at mean pace."""
        assert self._pace is not None
        pace, exchanges = self._pace
        with np.errstate(divide="ignore"):
            ends = self.time + self.left_s / pace
        then = min(horizon, float(ends.min()))
        span = then - self.time
        left_s = np.where(ends <= then, 0.0, np.maximum(self.left_s - pace * span, 0.0))
        self._now = _Mark(then, left_s, self._now.sent + exchanges * span)

    def saved(self) -> tuple[Any, ...]:
        """What `restore` needs to go back to the present."""
        arrays = [getattr(self._state, name).copy() for name in _SAVED]
        return arrays, self._now, self._half, self._pace, self._phases.iterations.copy()

    def restore(self, saved: tuple[Any, ...]) -> None:
        """Go back to an earlier time."""
        arrays, self._now, self._half, self._pace, iterations = saved
        for name, array in zip(_SAVED, arrays, strict=True):
            getattr(self._state, name)[:] = array
        self._phases.iterations[:] = iterations


def _tables(members: Sequence[LinkedJob], capacity: NDArray[np.float64], alpha: float) -> tuple[FlowTable, Phases]:
    """Flows, one a job, and phases of the members."""
    jobs = len(members)
    first = np.cumsum([0, *(len(each.links) for each in members)])
    used, link = np.unique(np.concatenate([each.links for each in members]), return_inverse=True)
    flows = FlowTable(
        capacity=capacity[used],
        first=first,
        link=link.astype(np.int64),
        times=np.ones(len(link), np.int64),
        size=np.array([each.size for each in members]),
        owner=np.arange(jobs),
        level=np.zeros(jobs, np.int64),
        alpha=alpha,
    )
    phases = Phases(
        compute_s=np.array([each.compute_s for each in members]),
        start_s=np.zeros(jobs),
        iterations=np.full(jobs, STEADY_ITERATIONS),
        noise=np.zeros(jobs),
        seed=np.zeros(jobs, np.uint64),
        first_end=np.zeros(jobs + 1, np.int64),
        leave=False,
        send_s=np.array([each.send_s for each in members]),
    )
    return bottlenecks(flows), phases
