"""A part of a trace, or the jobs of a run, in the seconds in which a Slurm is to live through them."""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError
from rarlib.model.inputs import is_folder
from rarlib.model.jobs import Jobs
from rarlib.records.read import Record
from rarlib.simulator.engine import check_fits
from rarlib.traces.load import load_trace

FASTEST = 1e6


class Excerpt(NamedTuple):
    """Jobs and the cluster they run on.

    Attributes:
        jobs: submissions and lengths in seconds of Slurm, rigid; the first submission is at 0.
        cluster: the cluster.
        scale: seconds of the trace in one second of Slurm.
        source: what was read, in words.
    """

    jobs: Jobs
    cluster: Cluster
    scale: float
    source: str


def read_excerpt(source: str, cluster: str | None, *, first: int, count: int, scale: float) -> Excerpt:
    """Read jobs and shrink their times.

    Args:
        source: folder of a run, a trace file, or the name of a source.
        cluster: the cluster of a trace; None for a run, which has its own.
        first: jobs that are left out at the beginning.
        count: jobs that are kept after them, at most.
        scale: seconds of the trace in one second of Slurm.

    Raises:
        InputError: what is wrong with the input; a window without jobs; a job that is larger than the cluster.
    """
    if not 1.0 <= scale <= FASTEST:
        raise InputError(f"must be a number from 1 to {FASTEST:,.0f}, found {scale:g}", file="--scale")
    if is_folder(source):
        jobs, machines, name = *_of_run(Path(source)), f"run {Path(source).name}"
    else:
        if cluster is None:
            raise InputError("a trace needs a cluster", file="--cluster")
        trace, machines = load_trace(source), Cluster.parse(cluster)
        jobs, name = trace.jobs, f"{source}{' (STAND-IN)' if trace.provenance.get('standin') else ''}"
    if first >= len(jobs):
        raise InputError(f"there are {len(jobs):,} jobs, {first:,} are to be left out", file="--first")
    jobs = jobs.take(slice(first, first + count))
    check_fits(jobs, machines, file=source)
    shrunk = Jobs.build(
        submit_s=(jobs.submit_s - jobs.submit_s[0]) / scale,
        gpus=jobs.gpus,
        duration_s=np.round(jobs.duration_s / scale, 2),
        job_id=jobs.job_id,
    )
    what = f"{name}, jobs {first + 1:,} to {first + len(shrunk):,}"
    return Excerpt(shrunk, machines, scale, f"{what}, on {machines.spec or cluster or 'its cluster'}, 1:{scale:g}")


def _of_run(folder: Path) -> tuple[Jobs, Cluster]:
    """The jobs of a run, each as long as it ran."""
    record = Record.read(folder)
    table = record.jobs
    ran = np.zeros(len(table))
    np.add.at(ran, record.holds["job"].to_numpy(), (record.holds["end_s"] - record.holds["start_s"]).to_numpy())
    jobs = Jobs.build(
        submit_s=table["submit_s"].to_numpy(),
        gpus=table["gpus"].to_numpy(),
        duration_s=ran,
        job_id=table["job_id"].to_numpy(),
        file=folder,
    )
    return jobs, Cluster.of(record.gpus, spec=str(record.facts.get("cluster", "")))
