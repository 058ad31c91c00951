"""RAR-DDLS in whole slots: the instance that every exact method solves, and the outcome of a schedule's choices.

Source: Yu, Ji, Rajan, Liu, MobiHoc 2022, doi 10.1145/3492866.3549716, section 4, eq. 1-9: minimise the largest T_j.

| paper | here | unit |
|---|---|---|
| G_j, F_j | `gang`, `work` | GPUs, iterations |
| O_s | `capacity` | GPUs |
| y_js | `placements[j][s]`, kept from the start to T_j (eq. 3) | GPUs |
| a_j | `starts[j]`, first slot | slot |
| p_j[t], phi_j[t] | index and value of `rate` | jobs, iterations per slot |
| T_j | `completions` | slot |

A placement counts GPUs per server and names none. Nothing is lost: on one server each job holds y_js GPUs during one
interval of slots, and in every slot these numbers sum to at most O_s. Hand out GPUs at the starts, in order of time: a
job that starts finds O_s minus what is held free, which is at least y_js. So every schedule of counts is one of GPUs,
and rates depend on counts alone.

Fewer competitors never hurt, given starts and placements: if job i has less work left at some slot, or is taken away,
no job finishes later. By induction over slots: the active jobs stay a subset of what they were, so every p, which
counts active jobs, is at most what it was, every rate, which does not rise with p, at least what it was, and every
job's work left at most. (So a job that holds its GPUs longer than it needs does not help any other job either.)
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError
from rarlib.model.jobs import Jobs
from rarlib.model.prices import Prices, iteration_s, iterations_per_s, refuse_links

Counts = tuple[int, ...]
"""A placement: GPUs of one job on each server."""


class Slotted(NamedTuple):
    """An instance of RAR-DDLS."""

    gang: tuple[int, ...]  # G_j, shape (jobs,)
    work: tuple[int, ...]  # F_j, shape (jobs,)
    capacity: tuple[int, ...]  # O_s, shape (servers,)
    # iterations per slot by number of servers and of sharers p, shape (jobs, servers + 1, most sharers + 1); does not
    # rise with p; no sharers means one
    rate: NDArray[np.int64]

    def spreads(self, job: int) -> range:
        """Numbers of servers on which the gang can sit."""
        gpus_held = np.cumsum(sorted(self.capacity, reverse=True))
        fewest = int(np.searchsorted(gpus_held, self.gang[job])) + 1
        return range(fewest, min(self.gang[job], len(self.capacity)) + 1)

    def slots(self, job: int, servers: int, sharers: int = 1) -> float:
        """Slots the job takes if its spread and its sharers stay as they are; inf if it never ends."""
        rate = int(self.rate[job, servers, sharers])
        return -(-self.work[job] // rate) if rate else float("inf")

    def kind(self, job: int) -> tuple[int, int, bytes]:
        """Equal for jobs that differ in name only."""
        return self.gang[job], self.work[job], self.rate[job].tobytes()

    def shortest(self, job: int) -> float:
        """Slots the job takes at its best placement, alone."""
        return min((self.slots(job, servers) for servers in self.spreads(job)), default=float("inf"))


class SlottedSchedule(NamedTuple):
    """Starts (slots) and placements (GPUs by server) of all jobs, and the last slot's end."""

    starts: tuple[int, ...]
    placements: tuple[Counts, ...]
    makespan: int


def slotted(jobs: Jobs, cluster: Cluster, prices: Prices) -> Slotted:
    """The instance that the simulator plays with a quantum of one slot and whole slots.

    Raises:
        InputError: unless all jobs wait at slot 0, are rigid and have whole, positive numbers of iterations; the slot
            is one unit; speeds and links of nodes are equal, in one rack; every gang fits; contention never speeds up;
            jobs share no links of a fabric, where it may.
    """
    refuse_links(prices, "an exact program")
    _require((jobs.submit_s == 0.0).all(), "all jobs must wait at slot 0", "submit_s")
    _require((jobs.min_gpus == jobs.max_gpus).all(), "exact methods take rigid jobs only", "min_gpus")
    _require(prices.slot_s == 1.0, "exact methods need prices by whole iterations in slots of one unit", "slot")
    _require(((prices.work >= 1) & (prices.work == np.floor(prices.work))).all(), "must be whole, at least 1", "work")
    alike = (np.ptp(prices.node_speed) == 0.0) and (np.ptp(prices.node_link) == 0.0) and len(cluster.rack_gbps) == 1
    _require(alike, "exact methods need nodes and links that are alike, in one rack", "nodes")
    _require(int(jobs.gpus.max()) <= cluster.total_gpus, "a gang is larger than the cluster", "gpus")
    sharers = min(len(jobs), int(cluster.gpus.max()))
    rate = np.zeros((len(jobs), cluster.nodes + 1, sharers + 1), np.int64)
    speed, link = float(prices.node_speed[0]), float(prices.node_link[0])
    for job in range(len(jobs)):
        for servers in range(1, cluster.nodes + 1):
            for p in range(sharers + 1):
                tau = iteration_s(prices, job, servers, p, link) / speed
                rate[job, servers, p] = round(iterations_per_s(prices, job, tau))
    _require((np.diff(rate, axis=2) <= 0).all(), "contention must not speed a job up", "sharing")
    work = tuple(int(f) for f in prices.work)
    problem = Slotted(tuple(jobs.gpus.tolist()), work, tuple(cluster.gpus.tolist()), rate)
    ends = all(problem.shortest(job) < float("inf") for job in range(len(jobs)))
    _require(ends, "a job never ends: not one of its iterations fits a slot", "iterations")
    return problem


def _require(holds: bool | np.bool_, rule: str, field: str) -> None:
    if not holds:
        raise InputError(rule, field=field)


def rates(problem: Slotted, active: Sequence[int], placements: Sequence[Counts] | Mapping[int, Counts]) -> list[int]:
    """Iterations that each active job does in a slot (eq. 6-8); placements by job."""
    sharing = [0] * len(problem.capacity)
    spread = [sum(count > 0 for count in placements[j]) for j in active]
    for j, servers in zip(active, spread, strict=True):
        if servers > 1:
            for s, count in enumerate(placements[j]):
                sharing[s] += count > 0
    return [
        int(problem.rate[j, servers, max(p for p, count in zip(sharing, placements[j], strict=True) if count)])
        if servers > 1
        else int(problem.rate[j, 1, 0])
        for j, servers in zip(active, spread, strict=True)
    ]


def completions(problem: Slotted, starts: Sequence[int], placements: Sequence[Counts]) -> list[int]:
    """T_j of given choices (eq. 9), the end of each job's last slot.

    Raises:
        InputError: if a server is asked for more GPUs than it has, a gang is not whole, or a job never ends.
    """
    end = _ends(problem, starts, placements)
    _require(-1 not in end, "a job never ends", "placements")
    gangs = [sum(placement) for placement in placements]
    _require(gangs == list(problem.gang), "every gang must hold exactly its size", "placements")
    return end


def _ends(problem: Slotted, starts: Sequence[int], placements: Sequence[Counts]) -> list[int]:
    """As `completions`, but -1 for jobs that never end: not one of their iterations fits a slot, and nobody else ends.

    Raises:
        InputError: if a server is asked for more GPUs than it has.
    """
    left, end = list(problem.work), [-1] * len(starts)
    time = min(starts)
    while -1 in end:
        active = [j for j in range(len(starts)) if starts[j] <= time and end[j] < 0]
        for s, gpus_held in enumerate(problem.capacity):
            held = sum(placements[j][s] for j in active)
            _require(
                held <= gpus_held, f"server {s} has {gpus_held} GPUs, {held} are needed in slot {time}", "placements"
            )
        speed = rates(problem, active, placements)
        later = [start for start in starts if start > time]
        steps = [-(-left[j] // rate) for j, rate in zip(active, speed, strict=True) if rate]
        if not (steps or later):
            break
        step = min([*steps, *(start - time for start in later)])
        time += step
        for j, rate in zip(active, speed, strict=True):
            left[j] -= rate * step
            if left[j] <= 0:
                end[j] = time
    return end


def each_from_others(problem: Slotted) -> SlottedSchedule:
    """Every job alone, at its best placement on the largest servers, one after the other."""
    largest = sorted(range(len(problem.capacity)), key=lambda s: (-problem.capacity[s], s))
    placements = []
    for job, gang in enumerate(problem.gang):
        servers = min(problem.spreads(job), key=lambda k: problem.slots(job, k))
        counts, left = [0] * len(largest), gang - servers
        for s in largest[:servers]:
            counts[s] = 1 + min(left, problem.capacity[s] - 1)
            left -= counts[s] - 1
        placements.append(tuple(counts))
    lengths = [problem.shortest(job) for job in range(len(placements))]
    starts = tuple(int(sum(lengths[:job])) for job in range(len(placements)))
    return SlottedSchedule(starts, tuple(placements), int(sum(lengths)))


def start_in_order(problem: Slotted, wished: Sequence[int], placements: Sequence[Counts]) -> SlottedSchedule:
    """Jobs in the order of wished starts, each as soon as its placement is free and all before it have started.

    A job also waits where contention would leave it and others without a whole iteration in a slot, for good.
    """
    starts: list[int] = []
    order = sorted(range(len(wished)), key=lambda j: (wished[j], j))
    for position in range(len(order)):
        part = order[: position + 1]
        so_far = problem._replace(
            gang=tuple(problem.gang[j] for j in part),
            work=tuple(problem.work[j] for j in part),
            rate=problem.rate[part],
        )
        starts.append(_first_fit(so_far, starts, [placements[j] for j in part]))
    begin = tuple(starts[order.index(j)] for j in range(len(order)))
    return SlottedSchedule(begin, tuple(placements), max(completions(problem, begin, placements)))


def _first_fit(problem: Slotted, starts: Sequence[int], placements: Sequence[Counts]) -> int:
    """First slot, from the last start on, in which the last job's placement is free and every job still ends."""
    *others, own = placements
    before = problem._replace(gang=problem.gang[:-1], work=problem.work[:-1], rate=problem.rate[:-1])
    ends = _ends(before, starts, others) if others else []
    earliest = max(starts, default=0)
    for time in sorted({earliest, *(end for end in ends if end > earliest)}):
        running = [counts for counts, end in zip(others, ends, strict=True) if end > time]
        fits = all(sum(c[s] for c in running) + own[s] <= o for s, o in enumerate(problem.capacity))
        if fits and -1 not in _ends(problem, [*starts, time], placements):
            return time
    raise InputError("a job never ends", field="placements")


def intervals(problem: Slotted, schedule: SlottedSchedule, names: Sequence[str]) -> pd.DataFrame:
    """When each job holds GPUs of each server, as the simulator records it: job_id, start_s, end_s, node, gpus (slots).

    Raises:
        InputError: if the schedule breaks a constraint, see `completions`.
    """
    ends = completions(problem, schedule.starts, schedule.placements)
    rows = [
        (name, start, end, server, count)
        for name, start, end, counts in zip(names, schedule.starts, ends, schedule.placements, strict=True)
        for server, count in enumerate(counts)
        if count
    ]
    return pd.DataFrame(rows, columns=["job_id", "start_s", "end_s", "node", "gpus"])
