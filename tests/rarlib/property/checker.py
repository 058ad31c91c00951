"""Is a run possible? Everything that the manual says of a run, derived again from what it leaves behind.

Written from docs/concepts.md alone, in plain Python: lists and loops, no arrays, and nothing of `rarlib`.
`tests/rarlib/property/records.py` copies a run into these records.
"""

from dataclasses import dataclass, field
from itertools import pairwise
from math import floor, inf

CLOSE = 1e-9
"""Largest difference that counts as rounding, relative to the value and to the end of the run."""


@dataclass
class JobRecord:
    """A job as submitted, its row of the price table, and what the run reports of it; times in seconds."""

    submit: float
    least: int
    most: int
    launch: float
    restart: float
    start: float
    finish: float
    queue: float
    useful: float
    contention: float
    overhead: float
    paused: float
    gpu_seconds: float
    restarts: int
    moves: int
    work: float
    done: float
    base: float = 1.0
    local: float = 0.0
    link: float = 0.0
    server: float = 0.0
    cap: float = inf
    unit: float = 1.0
    gbps: float = 0.0
    speedup: list | None = None  # by GPUs; None for a rigid job


@dataclass
class NodeRecord:
    """A node; `link` is its transfer time relative to that which `JobRecord.link` assumes."""

    size: int
    kind: str
    rack: int
    speed: float = 1.0
    link: float = 1.0
    gbps: float = inf


@dataclass
class Interval:
    """A job holds GPUs or CPU task slots of nodes, from one moment to another."""

    job: int
    start: float
    end: float
    held: dict  # node -> GPUs or slots


@dataclass
class RunRecord:
    """A run to its end."""

    jobs: list
    nodes: list
    intervals: list
    busy_area: float  # GPU-seconds, integrals over time as reported
    waiting_area: float
    system_area: float
    uplinks: list = field(default_factory=lambda: [1.0])
    uplink_gbps: list = field(default_factory=lambda: [inf])
    sharing: list = field(default_factory=lambda: [1.0, 1.0])
    slot: float = 0.0  # only whole iterations per slot
    quantum: float = 0.0
    whole_slots: bool = False
    priced: bool = True  # False: a training rewrites the price table, or jobs share links: no work is derived from it
    in_order: bool = False  # fifo


class Checker:
    """Collects what is wrong with a run."""

    def __init__(self, run):
        self.run, self.wrong = run, []
        self.span = max([1e-300, *(job.finish for job in run.jobs if job.finish < inf)])
        self.of = {row: [] for row in range(len(run.jobs))}
        for interval in sorted(run.intervals, key=lambda i: (i.start, i.end)):
            self.of[interval.job].append(interval)

    def all(self):
        """What is wrong, as a list of sentences that begin with the rule."""
        for check in (self.capacity, self.gangs, self.order, self.passes, self.parts, self.areas, self.bandwidth):
            check()
        known = range(len(self.run.nodes))
        if self.run.priced and all(node in known for i in self.run.intervals for node in i.held):
            self.progress()
        if self.run.in_order:
            self.first_come()
        return self.wrong

    def close(self, a, b, slack=0.0):
        """Equal up to rounding."""
        return abs(a - b) <= CLOSE * max(abs(a), abs(b)) + 1e-11 * self.span + slack

    def late(self, a, b):
        """Whether a is later than b, by more than rounding."""
        return a > b and not self.close(a, b)

    def say(self, rule, what):
        self.wrong.append(f"{rule}: {what}")

    def capacity(self):
        """At any time, jobs hold no more of a node than it has: finishes free GPUs before passes give them away."""
        for node, has in enumerate(self.run.nodes):
            holders = [i for i in self.run.intervals if i.held.get(node)]
            for one in holders:
                used = sum(i.held[node] for i in holders if i.start <= one.start < i.end)
                if used > has.size:
                    self.say("capacity", f"node {node} ({has.kind}) has {has.size}, {used} held at {one.start}")
        for interval in self.run.intervals:
            if any(node not in range(len(self.run.nodes)) or count < 1 for node, count in interval.held.items()):
                self.say("capacity", f"job {interval.job} holds {interval.held}")

    def gpus(self, interval):
        """GPUs of an interval; task slots are not GPUs."""
        return sum(n for node, n in interval.held.items() if self.kind(node) != "cpu")

    def kind(self, node):
        return self.run.nodes[node].kind if node in range(len(self.run.nodes)) else "none"

    def gangs(self):
        """All GPUs of a gang at once, as many as the job takes: exactly the gang of a rigid job."""
        for row, job in enumerate(self.run.jobs):
            for interval in self.of[row]:
                if not job.least <= self.gpus(interval) <= job.most:
                    self.say("gang", f"job {row} holds {self.gpus(interval)} GPUs, takes {job.least} to {job.most}")
            held = sum((i.end - i.start) * self.gpus(i) for i in self.of[row])
            if not self.close(held, job.gpu_seconds, 1e-9 * held):
                self.say("GPU-seconds", f"job {row}: {job.gpu_seconds} reported, {held} held")

    def order(self):
        """Submission, start, intervals one after the other, finish at the end of the last one; a start is counted."""
        for row, job in enumerate(self.run.jobs):
            mine = self.of[row]
            times = [job.submit, job.start, *(t for i in mine for t in (i.start, i.end)), job.finish]
            if any(not a <= b for a, b in pairwise(times)):
                self.say("order", f"job {row}: submission, start, intervals, finish are {times}")
            if mine and (mine[0].start != job.start or mine[-1].end != job.finish):
                self.say("completion", f"job {row}: from {job.start} to {job.finish}, intervals {mine}")
            if not mine and self.late(job.finish, job.start):
                self.say("completion", f"job {row} holds nothing from {job.start} to {job.finish}")
            starts = 1 + job.restarts + job.moves
            if len(mine) > starts or (len(mine) < starts and job.work > 0.0):
                self.say("restarts", f"job {row}: {len(mine)} intervals, {job.restarts} restarts, {job.moves} moves")

    def at_pass(self, time):
        """Whether a pass may take place: at multiples of the quantum."""
        q = self.run.quantum
        return not q or self.close(time, round(time / q) * q, 1e-9 * q)

    def passes(self):
        """Passes start and stop jobs; finishes keep their exact times unless slots are whole."""
        for interval in self.run.intervals:
            job = self.run.jobs[interval.job]
            if not self.at_pass(interval.start):
                self.say("quantum", f"job {interval.job} starts at {interval.start}")
            if (interval.end != job.finish or self.run.whole_slots) and not self.at_pass(interval.end):
                self.say("quantum", f"job {interval.job} leaves at {interval.end}")

    def parts(self):
        """Queue is the time without GPUs; it, useful time, contention and overhead make up the turnaround."""
        for row, job in enumerate(self.run.jobs):
            turnaround = job.finish - job.submit
            queue = turnaround - sum(i.end - i.start for i in self.of[row])
            if not self.close(queue, job.queue, CLOSE * turnaround):
                self.say("queue", f"job {row}: {job.queue} reported, {queue} derived")
            if not self.close(job.queue + job.useful + job.contention + job.overhead, turnaround):
                self.say("turnaround", f"job {row}: parts do not add up to {turnaround}")
            lows = (job.queue, job.useful, job.contention, job.overhead, job.paused, job.overhead - job.paused)
            if any(self.late(0.0, low) for low in lows):
                self.say("turnaround", f"job {row} has a negative part: {lows}")
            if self.run.priced or job.moves == 0:
                self.pauses(row, job)

    def pauses(self, row, job):
        """A start holds its GPUs for launch or restart seconds before it makes progress."""
        costs = [job.launch, *[job.restart] * len(self.of[row])]
        paused = sum(min(cost, i.end - i.start) for cost, i in zip(costs, self.of[row], strict=False))
        if job.moves == 0 and job.restarts + 1 == len(self.of[row]) and not self.close(paused, job.paused):
            self.say("restart", f"job {row}: {job.paused} reported, {paused} derived")

    def areas(self):
        """Integrals over time, summed from event to event, are what the loop accumulated."""
        starts = [(job.submit, 1, 0, 0) for job in self.run.jobs] + [(job.finish, -1, 0, 0) for job in self.run.jobs]
        for interval in self.run.intervals:
            starts += [(interval.start, 0, 1, self.gpus(interval)), (interval.end, 0, -1, -self.gpus(interval))]
        system = holding = busy = 0
        now, areas = 0.0, [0.0, 0.0, 0.0]
        for time, come, hold, gpus in sorted(starts, key=lambda change: change[0]):
            for i, count in enumerate((busy, system - holding, system)):
                areas[i] += count * (time - now)
            now, system, holding, busy = time, system + come, holding + hold, busy + gpus
        reported = (self.run.busy_area, self.run.waiting_area, self.run.system_area)
        for name, found, said in zip(("utilisation", "waiting", "in the system"), areas, reported, strict=True):
            if not self.close(found, said, CLOSE * areas[2]):
                self.say(name, f"integral of {said} reported, {found} derived")

    def bandwidth(self):
        """Reserved bandwidth: rings over several nodes fit on each of their links and, across racks, uplinks."""
        rings = [i for i in self.run.intervals if len(i.held) > 1 and self.run.jobs[i.job].gbps > 0.0]
        links = [({n}, node.gbps, False) for n, node in enumerate(self.run.nodes)]
        for rack, gbps in enumerate(self.run.uplink_gbps):
            links.append(({n for n, node in enumerate(self.run.nodes) if node.rack == rack}, gbps, True))
        for nodes, gbps, outside in links:
            users = [i for i in rings if set(i.held) & nodes and (not outside or set(i.held) - nodes)]
            for one in users:
                load = sum(self.run.jobs[i.job].gbps for i in users if i.start <= one.start < i.end)
                if load > gbps * (1 + CLOSE):
                    self.say("bandwidth", f"{load} Gbit/s reserved of {gbps} at {one.start}")

    def sharers(self, interval, time):
        """p: the largest number of spanning jobs on any of the nodes of a spanning job."""
        others = [i for i in self.run.intervals if len(i.held) > 1 and i.start <= time < i.end]
        return max(sum(node in i.held for i in others) for node in interval.held)

    def iteration(self, job, interval, sharers):
        """Seconds of an iteration, before speed; `sharers` of 0 stands for free links and no overhead."""
        if len(interval.held) == 1:
            return min(job.cap, job.base + job.local)
        nodes = [self.run.nodes[n] for n in interval.held]
        slowest = max(node.link for node in nodes)
        if len({node.rack for node in nodes}) > 1:
            slowest = max(slowest, *(self.run.uplinks[node.rack] for node in nodes))
        if sharers == 0:
            return job.base + job.link * slowest
        f = self.run.sharing[min(sharers, len(self.run.sharing) - 1)]
        return min(job.cap, job.base + job.link * f * slowest + job.server * len(nodes))

    def per_second(self, job, interval, sharers):
        """Work per second of a gang: whole iterations per slot if there are slots, at the speed of its slowest node."""
        tau = self.iteration(job, interval, sharers) / min(self.run.nodes[n].speed for n in interval.held)
        if job.speedup is not None:
            tau /= job.speedup[self.gpus(interval)]
        return job.unit * (floor(self.run.slot / tau + CLOSE) / self.run.slot if self.run.slot else 1 / tau)

    def progress(self):
        """The work of a job is done, no more and no less, at the speeds of its placements and their neighbours."""
        moments = sorted({t for i in self.run.intervals for t in (i.start, i.end) if len(i.held) > 1})
        for row, job in enumerate(self.run.jobs):
            done = contention = moving = 0.0
            fastest = 0.0
            for number, interval in enumerate(self.of[row]):
                ready = interval.start + (job.launch if number == 0 else job.restart)
                cuts = [t for t in moments if interval.start < t < interval.end]
                for begin, end in zip([interval.start, *cuts], [*cuts, interval.end], strict=True):
                    span = max(end - max(begin, ready), 0.0)
                    p = self.sharers(interval, begin) if len(interval.held) > 1 else 1
                    rate = self.per_second(job, interval, p)
                    tau, alone = self.iteration(job, interval, p), self.iteration(job, interval, 1)
                    done, moving, fastest = done + span * rate, moving + span, max(fastest, rate)
                    contention += span * (tau - alone) / tau
            if job.moves:
                continue
            slack = 1e-11 * self.span * fastest * (1 + job.restarts)
            extra = self.run.quantum * fastest if self.run.whole_slots else 0.0
            if not (job.work <= done or self.close(job.work, done, slack)) or not (
                done <= job.work + extra or self.close(done, job.work + extra, slack)
            ):
                self.say("work", f"job {row}: {job.work} asked, {done} done")
            if not self.close(done, job.done, slack):
                self.say("work", f"job {row}: {job.done} reported, {done} done")
            if not self.close(contention, job.contention, CLOSE * moving):
                self.say("contention", f"job {row}: {job.contention} reported, {contention} derived")

    def first_come(self):
        """fifo blocks at the head of the queue."""
        starts = [job.start for job in self.run.jobs]
        if any(a > b for a, b in pairwise(starts)):
            self.say("fifo", f"jobs start at {starts}")


def violations(run):
    """Every rule that a run breaks, as a sentence that begins with the name of the rule."""
    return Checker(run).all()
