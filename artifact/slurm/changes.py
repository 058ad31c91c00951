"""What is to be changed in a Slurm: starts that were noted and not carried out, and the scheduler's new decisions."""

from collections.abc import Iterable, Mapping, Sequence

from artifact.slurm import orders
from artifact.slurm.orders import Achieved, Order
from artifact.slurm.queue import Queue, QueuedJob, SlurmNode
from artifact.slurm.situation import row_of
from artifact.slurm.words import Place


class SharedGpus:
    """GPUs as Slurm shares them out among the nodes that a job must have.

    Slurm is told a job's nodes, not how many GPUs it gets of each: in the order of its nodes, each gives as many as it
    has and as are left to give, but for one for every later node.
    """

    def __init__(self, nodes: Sequence[SlurmNode], held: Iterable[Place]) -> None:
        self._free = {node.name: node.gpus for node in nodes}
        for place in held:
            self._add(place, -1)

    def give_back(self, place: Place) -> None:
        """GPUs of a job that is to lose them."""
        self._add(place, 1)

    def take(self, place: Place) -> Place | None:
        """What a job gets that is to have these nodes and, all in all, as many GPUs; None if that is too many."""
        wanted, given = sum(gpus for _, gpus in place), {name for name, _ in place}
        names = [name for name in self._free if name in given]
        got: list[tuple[str, int]] = []
        for at, name in enumerate(names):
            gpus = min(self._free[name], wanted - (len(names) - at - 1))
            got.append((name, gpus))
            wanted -= gpus
        if wanted or len(names) < len(given) or any(gpus < 1 for _, gpus in got):
            return None
        self._add(tuple(got), -1)
        return tuple(got)

    def _add(self, place: Place, sign: int) -> None:
        for name, gpus in place:
            self._free[name] = self._free.get(name, 0) + sign * gpus


def holds(job: QueuedJob) -> Place:
    """What a job holds, or is to be started on; empty: it waits."""
    return job.place or job.note.at


def fitting(queue: Queue) -> tuple[list[QueuedJob], dict[str, str]]:
    """Jobs that can be driven, and why others cannot, by number as Slurm writes it."""
    total = sum(node.gpus for node in queue.nodes)
    alone = {name: why for name, why in queue.left_alone.items() if why}
    jobs = []
    for job in queue.jobs:
        gpus = row_of(job).gpus
        if 1 <= gpus <= total:
            jobs.append(job)
        else:
            alone[str(job.id)] = f"asks for {gpus} GPUs, there are {total}"
    return jobs, alone


def loose_ends(
    jobs: Iterable[QueuedJob], nodes: Sequence[SlurmNode], now: float, patience_s: float, unit: str
) -> tuple[list[QueuedJob], list[Order]]:
    """Orders that need no decision, and the jobs as they are once these are carried out.

    A job that was noted as started and is still held is released; if its nodes can no longer give what it needs, or if
    it was released `patience_s` ago and does not start, it waits again. A job that nobody holds is held.
    """
    in_order = sorted(jobs, key=lambda job: (job.note.since or 0.0, job.id))
    shares, due, known = SharedGpus(nodes, (job.place for job in in_order)), [], []
    for job in in_order:
        if job.place:
            known.append(job)
            continue
        late = not (job.held or job.leaving) and now - (job.note.since or 0.0) > patience_s
        place = shares.take(job.note.at) if job.note.at and not late else ()
        if job.note.at and not place:
            due.append(orders.withdraw(job))
        elif place and job.held and not job.leaving:
            due.append(orders.finish_start(job, unit))
        elif not place and not job.held and not job.leaving:
            due.append(orders.hold(job))
        known.append(job._replace(note=job.note._replace(at=place or ())))
    return known, due


def difference(
    jobs: Iterable[QueuedJob],
    after: Mapping[int, Place],
    done: Mapping[int, Achieved],
    nodes: Sequence[SlurmNode],
    now: float,
    unit: str,
) -> list[Order]:
    """Orders for the jobs whose place decisions have changed: first stops, then starts by time of submission.

    A start that does not fit as Slurm would share out the GPUs is left to the next step.

    `after`: by number, what each is to hold, empty for a job that waits; `done`: how far each has got; `now`: seconds
    since 1970; `unit`: what a GPU is.
    """
    listed = list(jobs)
    changed = [job for job in listed if after.get(job.id, holds(job)) != holds(job)]
    shares = SharedGpus(nodes, (holds(job) for job in listed))
    for job in changed:
        shares.give_back(holds(job))
    stops, starts = [], []
    for job in sorted(changed, key=lambda job: (row_of(job).submitted, job.id)):
        place = shares.take(after[job.id]) if after[job.id] else ()
        if job.place:
            stops.append(orders.stop_job(job, done[job.id], now, place or ()))
        elif place:
            starts.append(orders.start_on(job, place, now, unit))
        elif job.note.at:
            stops.append(orders.withdraw(job))
    return [*stops, *starts]
