"""A deliberately naive simulator: lists and loops, everything recomputed at every event.

Written from docs/architecture.md and SJF-BCO eq. 6 to 9, not from the engine; it shares no code with `rarlib`.
Times may be int, float or Fraction: with whole numbers every sum below is exact.
"""

from dataclasses import dataclass, field
from math import ceil, floor, inf

EPS = 1e-9  # no effect on whole numbers


@dataclass
class Job:
    row: int
    submit: float
    gpus: int
    work: float  # seconds on the requested gang alone, or iterations when priced
    left: float = 0
    pause: float = 0  # restart seconds still to pay
    attained: float = 0
    place: dict = field(default_factory=dict)  # node -> GPUs; empty while waiting
    since: float = 0
    start: float | None = None
    finish: float | None = None
    queue: float = 0
    restarts: int = 0


@dataclass
class Naive:
    """Orders: fifo, fifo-backfill, sjf, srtf, las. `price(row, servers, sharers)` is seconds per iteration."""

    table: list  # (submit, gpus, work) in submission order
    nodes: list  # GPUs of each node
    order: str = "fifo"
    quantum: float = 0
    whole_slots: bool = False
    restart: float = 0
    levels: tuple = ()
    price: object = None
    slot: float = 0  # > 0: whole iterations per slot only
    estimate: list | None = None  # durations by which sjf ranks where work is not in seconds

    def __post_init__(self):
        self.jobs = [Job(i, s, g, w, left=w) for i, (s, g, w) in enumerate(self.table)]
        self.now = 0
        self.intervals = []  # (job, start, end, node, gpus)

    def running(self):
        return [j for j in self.jobs if j.place]

    def waiting(self):
        return [j for j in self.jobs if j.submit <= self.now and j.finish is None and not j.place]

    def rate(self, job):
        """Iterations per second where the job sits, with the neighbours it has now (eq. 6, 8)."""
        if self.price is None:
            return 1
        spanning = [j for j in self.running() if len(j.place) > 1]
        sharers = max(sum(s in j.place for j in spanning) for s in job.place)
        tau = self.price(job.row, len(job.place), sharers)
        return floor(self.slot / tau + EPS) / self.slot if self.slot else 1 / tau

    def end_of(self, job):
        """When the job is done if nothing changes (eq. 9 when slots are whole)."""
        rate = self.rate(job)
        end = self.now + job.pause + (job.left if rate == 1 else job.left / rate if rate else inf)
        if self.whole_slots and end < inf:
            end = max(self.now, ceil(end / self.quantum - EPS) * self.quantum)
        return end

    def next_level(self, job):
        ahead = [level for level in self.levels if level > job.attained + EPS]
        return self.now + (ahead[0] - job.attained) / job.gpus if ahead and self.order == "las" else inf

    def advance(self, to):
        step = to - self.now
        rates = {j.row: self.rate(j) for j in self.running()}
        for job in self.running():
            job.attained += step * job.gpus
            paused = min(job.pause, step)
            job.pause -= paused
            job.left = max(0, job.left - (step - paused) * rates[job.row])
        for job in self.waiting():
            job.queue += step
        self.now = to

    def leave(self, job):
        self.intervals += [(job.row, job.since, self.now, node, gpus) for node, gpus in job.place.items()]
        job.place = {}

    def take(self, job):
        """First free GPUs by node index."""
        taken = [sum(j.place.get(node, 0) for j in self.running()) for node in range(len(self.nodes))]
        for node, size in enumerate(self.nodes):
            here = min(size - taken[node], job.gpus - sum(job.place.values()))
            job.place |= {node: here} if here else {}
        assert sum(job.place.values()) == job.gpus
        job.pause = self.restart if job.start is not None else 0
        job.restarts += job.start is not None
        job.start = self.now if job.start is None else job.start
        job.since = self.now

    def rank(self, job):
        first = {
            "sjf": self.estimate[job.row] if self.estimate else job.work,
            "srtf": job.left * (self.price(job.row, 1, 1) if self.price else 1),
            "las": sum(level <= job.attained + EPS for level in self.levels),
        }
        return (first.get(self.order, 0), job.row)

    def schedule(self):
        free = sum(self.nodes)
        if self.order in ("srtf", "las"):
            candidates = sorted(self.waiting() + self.running(), key=self.rank)
        else:
            candidates = sorted(self.waiting(), key=self.rank)
            free -= sum(j.gpus for j in self.running())
        granted = []
        for job in candidates:
            if job.gpus <= free:
                granted.append(job)
                free -= job.gpus
            elif self.order == "fifo":
                break
        for job in candidates:
            if job.place and job not in granted:
                self.leave(job)
        for job in granted:
            if not job.place:
                self.take(job)

    def run(self):
        self.schedule()
        while any(j.finish is None for j in self.jobs):
            ends = {j.row: self.end_of(j) for j in self.running()}
            moments = list(ends.values()) + [j.submit for j in self.jobs if j.submit > self.now]
            moments += [self.next_level(j) for j in self.running()]
            if self.quantum and (self.running() or self.waiting()):
                moments.append((floor(self.now / self.quantum + EPS) + 1) * self.quantum)
            self.advance(min(moments))
            for row, end in ends.items():
                if end <= self.now + (EPS if isinstance(end, float) else 0):
                    self.jobs[row].finish = self.now
                    self.leave(self.jobs[row])
            if not self.quantum or abs(self.now / self.quantum - round(self.now / self.quantum)) < EPS:
                self.schedule()
        return self
