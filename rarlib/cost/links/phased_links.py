"""Jobs of a run on the links of a fabric in the exact mode: every phase of every connected job is followed.

Before time goes on, connected jobs are followed up to the next event of the run, or to the first end of a job among
them; until then, each goes on at its mean pace. Jobs that are alone on their links take their time alone.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.cost.links.link_sharing import LinkState, put_on, take_off
from rarlib.cost.links.link_traffic import account, account_all, find_tightest
from rarlib.cost.links.phase_group import BEGINNING, LinkedJob, PhaseGroup, Position
from rarlib.cost.links.run import link_frames
from rarlib.fabric.sharing import connected
from rarlib.model.prices import Prices, stretched_s
from rarlib.simulator import progress
from rarlib.simulator.clock import next_time
from rarlib.simulator.run import LinkFrames
from rarlib.simulator.state import RUNNING, State


class _Alone(NamedTuple):
    """A job that is alone on its links, and where it was when it came to be so."""

    since_s: float
    position: Position


class PhasedLinks:
    """The exact mode of a run.

    Args:
        links: jobs on links.
        names: of the links, in their order.
    """

    def __init__(self, links: LinkState, names: list[str]) -> None:
        self.links, self._names = links, names
        self._events, self._steady_s, self._followed_s = 0, 0.0, 0.0
        self._alone: dict[int, _Alone] = {}
        self._moving: list[PhaseGroup] = []
        self._steady: list[PhaseGroup] = []
        self._group_of: dict[int, PhaseGroup] = {}
        self._stint: dict[int, int] = {}  # first allocation row of each job on links, which tells stints apart
        self._ended: set[int] = set()  # jobs whose work or row of prices ends now
        self._sent_before: dict[int, float] = {}  # exchanges of each job in a group before the group was formed

    def look_ahead(self, s: State, prices: Prices) -> None:
        """Follow all groups up to the next event, and set the paces of their jobs and the times when they end."""
        now = float(s.run[0].now)
        for group in self._moving:
            progress.settle_each(s, prices, _rows(group), now)
            self._count_exchanges(group, s, now)
        if s.run[0].changed:
            self._move_jobs(s, prices, now)
        for group in [group for group in self._moving if group.is_steady]:
            self._moving.remove(group)
            self._steady.append(group)
            with np.errstate(divide="ignore"):
                due = now + group.left_s / group.paces()
            self._pace_jobs(_rows(group).tolist(), group.paces(), due, s, prices, now)
        if self._moving:
            self._follow(s, prices, now)

    def finish(self, s: State) -> dict[str, float]:
        """Account for what jobs sent up to the end of the run; returns counters for its record.

        These are `phase_events` (ends of phases that were followed), `followed_s` (seconds in which phases of jobs were
        followed) and `steady_s` (seconds that jobs went on at the mean pace of their group), both summed over jobs.
        """
        for group in self._moving + self._steady:
            self._count_exchanges(group, s, float(s.run[0].now))
            self._count_events(group, float(s.run[0].now))
        account_all(self.links.traffic, self.links.sharing, self.links.on, s)
        return {"phase_events": self._events, "followed_s": self._followed_s, "steady_s": self._steady_s}

    def frames(self, state: State) -> LinkFrames:
        """See `rarlib.simulator.cost_models.RunLinks`."""
        return link_frames(self.links, self._names, state)

    @property
    def tables(self) -> LinkState:
        """See `rarlib.simulator.cost_models.RunLinks`."""
        return self.links

    def _count_exchanges(self, group: PhaseGroup, s: State, now: float) -> None:
        """Put the exchanges that have been made in the place of the iterations that progress stands for."""
        for member, sent in zip(group.members, group.sent_by(now), strict=True):
            s.job[member.row].laps = self._sent_before[member.row] + sent

    def _count_events(self, group: PhaseGroup, now: float) -> None:
        self._events += group.events
        followed_s, steady_s = group.spent_s(now)
        self._followed_s += followed_s
        self._steady_s += steady_s

    def _move_jobs(self, s: State, prices: Prices, now: float) -> None:
        """Take changed jobs off their links, put them on new ones, and form the groups anew that this concerns."""
        changed = s.changed[: s.run[0].changed].tolist()
        torn = set(changed)
        for job in changed:
            self._ended.discard(job)
            torn.update(connected(self.links.sharing, job) if self.links.on[job] else ())
        positions = {job: self._position(job, s, now) for job in torn if self.links.on[job]}
        self._leave_steady(torn, s, prices, now)
        for job in changed:
            if self.links.on[job]:
                take_off(self.links, s, job)
            if self._is_new(job, s):
                positions.pop(job, None)
            s.job[job].noted = 0
        for job in changed:
            if s.job[job].phase == RUNNING and s.job[job].servers > 1:
                self._put_on(job, s, prices, now)
        s.run[0].changed = 0
        met = {other for job in changed if self.links.on[job] for other in connected(self.links.sharing, job)} - torn
        positions |= {job: self._position(job, s, now) for job in met}
        self._leave_steady(met, s, prices, now)
        self._regroup(torn | met, positions, s, prices, now)

    def _is_new(self, job: int, s: State) -> bool:
        """Whether a job has begun another stint since it came to its links."""
        return bool(self._stint.get(job) != s.job[job].first_row)

    def _put_on(self, job: int, s: State, prices: Prices, now: float) -> None:
        """Put a job on the links of its paths."""
        put_on(self.links, s, prices, job)
        self._stint[job] = int(s.job[job].first_row)
        if not self.links.on[job]:
            progress.set_factor(s, prices, job, 1.0, now)

    def _leave_steady(self, torn: set[int], s: State, prices: Prices, now: float) -> None:
        """Account for what jobs of steady groups sent, if some of them are torn."""
        for group in self._steady:
            if torn.intersection(_rows(group).tolist()):
                progress.settle_each(s, prices, _rows(group), now)
                self._count_exchanges(group, s, now)

    def _regroup(self, torn: set[int], positions: dict[int, Position], s: State, prices: Prices, now: float) -> None:
        """Form groups of the jobs of torn ones."""
        for group in {id(group): group for job in sorted(torn) if (group := self._group_of.get(job))}.values():
            (self._steady if group in self._steady else self._moving).remove(group)
            self._count_events(group, now)
        for job in torn:
            self._group_of.pop(job, None)
            self._alone.pop(job, None)
        left = sorted(job for job in torn if self.links.on[job])
        while left:
            together = connected(self.links.sharing, left[0])
            left = [job for job in left if job not in together]
            self._form(sorted(together), positions, s, prices, now)

    def _form(self, rows: list[int], positions: dict[int, Position], s: State, prices: Prices, now: float) -> None:
        """Form a group, or let a job be alone."""
        found = {job: positions.get(job, BEGINNING) for job in rows}
        if len(rows) == 1:
            self._alone[rows[0]] = _Alone(max(now, float(s.job[rows[0]].ready)), found[rows[0]])
            self._pace_jobs(rows, np.ones(1), np.full(1, np.nan), s, prices, now)
            return
        members = [self._member(job, found[job], s, prices, now) for job in rows]
        over = [each.row for each in members if each.left_s == 0.0]
        members = [each for each in members if each.left_s > 0.0]
        if over:
            self._ended.update(over)
            due = np.array([max(now, float(s.job[job].ready)) for job in over])
            self._pace_jobs(over, np.ones(len(over)), due, s, prices, now)
        if members:
            group = PhaseGroup(members, self.links.sharing.capacity, self.links.sharing.alpha, now)
            self._moving.append(group)
            for member, sent in zip(members, group.sent_by(now), strict=True):
                self._group_of[member.row] = group
                self._sent_before[member.row] = float(s.job[member.row].laps - sent)

    def _member(self, job: int, position: Position, s: State, prices: Prices, now: float) -> LinkedJob:
        progress.settle(s, prices, job, now)
        sharing, (compute_s, send_s) = self.links.sharing, self._times(job, s, prices)
        work = max(min(prices.work[job], prices.until[job]) - s.job[job].done, 0.0)
        return LinkedJob(
            row=job,
            compute_s=compute_s,
            size=float(sharing.size[job]),
            send_s=send_s,
            links=sharing.link[sharing.begin[job] : sharing.end[job]].copy(),
            left_s=0.0 if job in self._ended else float(work / prices.unit[job] * (compute_s + send_s)),
            position=position,
            ready_s=float(s.job[job].ready),
        )

    def _times(self, job: int, s: State, prices: Prices) -> tuple[float, float]:
        """Seconds that a job on links computes, and sends alone, in an iteration."""
        compute_s = float(stretched_s(prices, job, s.job[job].servers, 0.0, 0.0))
        return compute_s / float(progress.speed_of(s, prices, job)), float(self.links.sharing.send_s[job])

    def _position(self, job: int, s: State, now: float) -> Position:
        """Where a job on links is in its iteration."""
        if job in self._group_of:
            group = self._group_of[job]
            return group.position(_rows(group).tolist().index(job))
        if job not in self._alone:
            return BEGINNING
        since_s, position = self._alone[job]
        sharing = self.links.sharing
        compute_s, send_s = float(sharing.compute_s[job]), float(sharing.send_s[job])
        begun = (1.0 - position.share) * (send_s if position.sending else compute_s)
        at_s = (position.sending * compute_s + begun + max(now - since_s, 0.0)) % (compute_s + send_s)
        if at_s < compute_s:
            return Position(sending=False, share=1.0 - at_s / compute_s)
        return Position(sending=True, share=min(max(1.0 - (at_s - compute_s) / send_s, 0.0), 1.0))

    def _follow(self, s: State, prices: Prices, now: float) -> None:
        """Follow groups to the next event of the run."""
        for group in self._moving:
            for row in _rows(group)[group.left_s > 0.0]:
                progress.plan_at(s, prices, row, np.inf)
        horizon = min(float(next_time(s)), float(s.run[0].until_s))
        if horizon <= now:  # somebody's work ends at this instant, too
            return
        before = [(group.left_s, group.saved()) for group in self._moving]
        for group in self._moving:
            group.advance(horizon)
            horizon = min(horizon, group.time)
        for group, (left_s, saved) in zip(self._moving, before, strict=True):
            if group.time > horizon:
                group.restore(saved)
                group.advance(horizon)
            begin = np.maximum(now, [member.ready_s for member in group.members])
            with np.errstate(invalid="ignore", divide="ignore"):
                pace = np.where(horizon > begin, (left_s - group.left_s) / (horizon - begin), 1.0)
            ends = group.left_s == 0.0
            self._ended.update(_rows(group)[ends].tolist())
            due = np.where(ends, horizon, np.inf)
            self._pace_jobs(_rows(group).tolist(), np.minimum(pace, 1.0), due, s, prices, now)

    def _pace_jobs(
        self,
        rows: Iterable[int],
        pace: NDArray[np.float64],
        due: NDArray[np.float64],
        s: State,
        prices: Prices,
        now: float,
    ) -> None:
        """Set the paces of some jobs, and find out which links they wait for.

        Args:
            rows: the jobs.
            pace: relative to that of a job that is alone.
            due: when their work or their row of prices ends; inf: not before paces change; nan: by their pace.
            s: the state.
            prices: the price table.
            now: the time.
        """
        sharing, traffic = self.links.sharing, self.links.traffic
        for job, each, end in zip(rows, pace.tolist(), due.tolist(), strict=True):
            progress.settle(s, prices, job, now)
            account(traffic, sharing, s, job)
            if np.isnan(end):
                progress.set_factor(s, prices, job, 1.0, now)
            else:
                progress.set_pace(s, prices, job, each, end, now)
            self.links.free_s[job] = sharing.send_s[job] * s.job[job].factor
        for job in rows:
            find_tightest(traffic, sharing, self.links.free_s, job)


def _rows(group: PhaseGroup) -> NDArray[np.int64]:
    return np.array([member.row for member in group.members], np.int64)
