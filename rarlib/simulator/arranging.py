"""A communication policy in a run: what it sees of the jobs on links, and what it has arranged for them.

The policy is called whenever jobs come to links or leave them, or change their times. Priorities and paths hold for a
stint of a job until they are arranged anew; shifts and timetables hold until the policy is called again.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from rarlib.fabric.arrangement import (
    Arrangement,
    EdgeFlow,
    FabricView,
    Policy,
    PossiblePath,
    RingEdge,
    SharingJob,
    check_arrangement,
)
from rarlib.fabric.case import BYTES_PER_GBIT
from rarlib.fabric.links import SharedLinks, hashed_path, most_crossings, path_choices, path_links
from rarlib.fabric.routing import STARTS
from rarlib.fabric.sharing import Sharing, enter, leave
from rarlib.fabric.timetable import Timetable
from rarlib.simulator.phase_group import Position
from rarlib.simulator.state import State


class ArrangedJob(NamedTuple):
    """What a policy has arranged for a job.

    Attributes:
        position: where the job is in its iteration, its wait included.
        level: its priority.
        shift_s: seconds by which its next iteration begins later.
        timetable: what it keeps, if anything.
        origin_s: when the timetable begins.
    """

    position: Position
    level: int = 0
    shift_s: float = 0.0
    timetable: Timetable | None = None
    origin_s: float = 0.0


class StandingJob(NamedTuple):
    """A job on links as it stands before it is arranged.

    Attributes:
        position: where it is in its iteration.
        compute_s: seconds of computing in an iteration.
        delay_s: seconds until it makes progress, 0 if it does.
        pending: whether a shift is still before it.
    """

    position: Position
    compute_s: float
    delay_s: float
    pending: bool


class _Ring(NamedTuple):
    """A job's servers, its GPUs, its key in the hash of paths, and the paths of each edge of its ring."""

    servers: tuple[int, ...]
    gpus: int
    key: int
    edges: tuple[tuple[PossiblePath, ...], ...]


class Arranger:
    """A policy and what holds now.

    Args:
        policy: the policy.
        links: the fabric.
        sharing: jobs on its links.
        names: names of the links.
        seed: of the policy's random streams.
    """

    def __init__(self, policy: Policy, links: SharedLinks, sharing: Sharing, names: Sequence[str], seed: int) -> None:
        self._policy, self._links, self._sharing, self._seed = policy, links, sharing, seed
        self._names, self._gbps = tuple(names), tuple((links.capacity * links.nominal_gbps).tolist())
        self._paths = cache(self._every_path)
        self._rings: dict[int, _Ring] = {}
        self._taken: dict[int, tuple[int, ...]] = {}
        self._level: dict[int, int] = {}
        self._found, self._origin_s = Arrangement(), dict[int, float]()

    def begin(self, s: State, job: int) -> None:
        """Note the paths that ECMP gives a job at the beginning of a stint; it has no priority yet."""
        own = s.rows[s.job[job].first_row : s.job[job].first_row + s.job[job].servers]
        servers = sorted(own["node"].tolist(), key=lambda node: int(self._links.order[node]))
        pairs = list(zip(servers, [*servers[1:], servers[0]], strict=True))
        key = job + STARTS * int(s.job[job].restarts)
        edges = tuple(self._paths(*pair) for pair in pairs)
        self._rings[job] = _Ring(tuple(servers), int(own["gpus"].sum()), key, edges)
        self._taken[job] = tuple(int(hashed_path(self._links, np.uint64(key), *pair)) for pair in pairs)
        self._level.pop(job, None)

    def retrace(self, job: int) -> None:
        """Move a job on links to those of the paths that it takes."""
        sharing, edges = self._sharing, self._rings[job].edges
        crossed = [link for edge, path in zip(edges, self._taken[job], strict=True) for link, _ in edge[path].crossings]
        leave(sharing, job)
        sharing.link[sharing.begin[job] : sharing.end[job]] = crossed
        enter(sharing, job)

    def arrange(self, standing: Mapping[int, StandingJob], now: float) -> tuple[set[int], set[int]]:
        """Call the policy.

        Args:
            standing: all jobs on links, by row.
            now: the time.

        Returns:
            Jobs that take other paths from now on (see `retrace`), and jobs for which anything else is arranged anew.

        Raises:
            InputError: naming the job and the rule that the arrangement breaks.
        """
        seen = {row: self._seen(row, each) for row, each in sorted(standing.items())}
        view = FabricView(tuple(seen.values()), self._names, self._gbps, self._seed)
        found = self._policy.arrange(view)
        check_arrangement(view, found)
        moved = {row for row, paths in found.paths.items() if tuple(paths) != self._taken[row]}
        concerned = {row for row, level in found.priorities.items() if level != self._level.get(row, 0)}
        concerned |= {row for row, each in standing.items() if each.pending or found.shifts.get(row, 0.0) > 0.0}
        before, after = _kept(self._found.timetables), _kept(found.timetables)
        concerned |= {row for row in standing if before.get(row) != after.get(row)}
        self._taken |= {row: tuple(found.paths[row]) for row in moved}
        self._level |= found.priorities
        self._found = found
        self._origin_s = {
            row: now - (seen[row].offset_s or 0.0) + found.shifts.get(row, 0.0) for row in found.timetables
        }
        return moved, concerned

    def arranged(self, row: int, standing: StandingJob) -> ArrangedJob:
        """What holds for a job that is put among others now; it is held back at once if its iteration has not begun."""
        position, shift_s = standing.position, float(self._found.shifts.get(row, 0.0))
        if shift_s > 0.0 and _is_before(position):
            position = position._replace(wait_s=max(position.wait_s, standing.delay_s) + shift_s)
            shift_s = 0.0
        timetable = self._found.timetables.get(row)
        return ArrangedJob(position, self._level.get(row, 0), shift_s, timetable, self._origin_s.get(row, 0.0))

    def _seen(self, row: int, standing: StandingJob) -> SharingJob:
        """A job as the policy sees it."""
        ring, sharing, position = self._rings[row], self._sharing, standing.position
        send_s = float(sharing.send_s[row])
        offset_s = standing.compute_s + (1.0 - position.share) * send_s
        if not position.sending:
            offset_s = (1.0 - position.share) * standing.compute_s
        if _is_before(position):
            offset_s = -max(position.wait_s, standing.delay_s)
        bytes_ = float(sharing.size[row]) * self._links.nominal_gbps * BYTES_PER_GBIT
        edges = tuple(RingEdge(*each) for each in zip(ring.edges, self._taken[row], strict=True))
        flows = (EdgeFlow(bytes_, edges),)
        return SharingJob(row, ring.gpus, standing.compute_s, flows, ring.servers, ring.key, offset_s)

    def _every_path(self, source: int, target: int) -> tuple[PossiblePath, ...]:
        links, found = self._links, np.zeros(most_crossings(self._links, 1), np.int64)
        apart = int(np.count_nonzero(links.group[:, source] != links.group[:, target]))
        every = []
        for path in range(path_choices(links, source, target)):
            end = path_links(links, source, target, path, found, 0)
            hops = np.unravel_index(path, links.hops[:apart]) if apart else ()
            every.append(PossiblePath(tuple(map(int, hops)), tuple((link, 1) for link in found[:end].tolist())))
        return tuple(every)


def _is_before(position: Position) -> bool:
    """Whether a job's present iteration is still to begin."""
    return not position.sending and position.share == 1.0


def _kept(timetables: Mapping[int, Timetable]) -> dict[int, tuple[float, float, frozenset[int]]]:
    """Period, slack and group of each job that keeps a timetable, whatever the numbers of groups."""
    groups: dict[int, set[int]] = {}
    for row, each in timetables.items():
        groups.setdefault(each.group, set()).add(row)
    return {row: (each.period_s, each.slack_s, frozenset(groups[each.group])) for row, each in timetables.items()}
