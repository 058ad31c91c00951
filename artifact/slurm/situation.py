"""From what a Slurm says to what a scheduler is asked: the job table, the cluster, and where each job stands."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from artifact.slurm.queue import QueuedJob, SlurmNode
from artifact.slurm.words import Note, Place
from rarlib.model.cluster import Cluster
from rarlib.model.decisions import Placement
from rarlib.model.errors import InputError, shown
from rarlib.model.jobs import Jobs
from rarlib.simulator.underway import Underway


class KnownJob(NamedTuple):
    """A job as a scheduler knows it; times are seconds since 1970.

    Attributes:
        submitted: its first submission.
        least: fewest GPUs.
        most: most GPUs.
        length_s: predicted length on the GPUs asked for.
        application: its application, if the user has said so.
    """

    id: int
    submitted: float
    gpus: int
    least: int
    most: int
    length_s: float
    application: str


class Listing(NamedTuple):
    """Jobs and nodes that one scheduler object is asked about; it lasts until a job or node joins.

    Attributes:
        rows: jobs in order of submission.
        nodes: nodes with GPUs.
        jobs: the same as a job table, shape (rows,).
        cluster: the same as a cluster.
    """

    rows: tuple[KnownJob, ...]
    nodes: tuple[SlurmNode, ...]
    jobs: Jobs
    cluster: Cluster

    @property
    def zero(self) -> float:
        """Time 0 of the job table, seconds since 1970."""
        return self.jobs.origin_s

    def place(self, placement: Placement) -> Place:
        """A placement by names of nodes."""
        return tuple((self.nodes[node].name, gpus) for node, gpus in sorted(placement))

    def placement(self, place: Place) -> Placement:
        """A placement by numbers of nodes.

        Raises:
            InputError: for a node that is not listed.
        """
        number = {node.name: at for at, node in enumerate(self.nodes)}
        for name, _ in place:
            if name not in number:
                raise InputError(f"a job is on {shown(name)}, which is not among the nodes with GPUs", file="Slurm")
        return tuple(sorted((number[name], gpus) for name, gpus in place))


def row_of(job: QueuedJob) -> KnownJob:
    """A job as a scheduler knows it."""
    asked = first_note(job).asked or 1
    least, most = min(job.wish.least or asked, asked), max(job.wish.most or asked, asked)
    length_s = job.limit_s if job.wish.seconds is None else job.wish.seconds
    return KnownJob(job.id, first_note(job).submitted or 0.0, asked, least, most, length_s, job.wish.application)


def first_note(job: QueuedJob) -> Note:
    """What is noted of a job; of a new one, what Slurm says of it now."""
    note = job.note
    return note._replace(
        asked=note.asked or job.gpus, submitted=job.submit if note.submitted is None else note.submitted
    )


def listing_of(jobs: Sequence[QueuedJob], nodes: Sequence[SlurmNode]) -> Listing:
    """The table of some jobs and nodes; nodes without GPUs are left out."""
    rows = tuple(sorted(map(row_of, jobs), key=lambda row: (row.submitted, row.id)))
    kept = tuple(node._replace(up=True) for node in nodes if node.gpus)
    table = Jobs.build(
        submit_s=[row.submitted for row in rows],
        gpus=[row.gpus for row in rows],
        duration_s=[row.length_s for row in rows],
        min_gpus=[row.least for row in rows],
        max_gpus=[row.most for row in rows],
        job_id=[str(row.id) for row in rows],
        application=[row.application for row in rows],
    )
    cluster = Cluster(
        gpus=np.array([node.gpus for node in kept], np.int64),
        gpu_type=tuple(node.gpu_type for node in kept),
        rack=np.zeros(len(kept), np.int64),
        speed=np.ones(len(kept)),
    )
    return Listing(rows, kept, table, cluster)


def standing(table: Listing, jobs: Sequence[QueuedJob]) -> list[Underway]:
    """Where each job of a table stands; one that Slurm has no more has ended."""
    by_id = {job.id: job for job in jobs}
    return [_underway(table, row, by_id[row.id]) if row.id in by_id else Underway(ended=True) for row in table.rows]


def _underway(table: Listing, row: KnownJob, job: QueuedJob) -> Underway:
    note = first_note(job)
    share = note.done_s / row.length_s if row.length_s else 0.0
    past = Underway(share, note.gpu_s, ran=note.until is not None)
    if not job.place and not note.at:
        return past
    began = job.start if job.place else note.since or 0.0
    since = max(began, note.until or 0.0, row.submitted) - table.zero
    return past._replace(placement=table.placement(job.place or note.at), since_s=since)
