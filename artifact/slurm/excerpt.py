"""A part of a trace, in the seconds in which a Slurm is to live through it."""

from typing import NamedTuple

import numpy as np

from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError
from rarlib.model.jobs import Jobs
from rarlib.simulator.engine import check_fits
from rarlib.traces.load import load_trace

FASTEST = 1e6


class Excerpt(NamedTuple):
    """Jobs and the cluster they run on.

    Attributes:
        jobs: submissions and lengths in seconds of Slurm, rigid; the first submission is at 0.
        scale: seconds of the trace in one second of Slurm.
        source: what was read, in words.
    """

    jobs: Jobs
    cluster: Cluster
    scale: float
    source: str


def read_excerpt(source: str, cluster: str, *, first: int, count: int, scale: float) -> Excerpt:
    """Read jobs and shrink their times.

    `source`: a trace file, or the name of a source; at most `count` jobs are kept after the `first` ones.

    Raises:
        InputError: what is wrong with the input; a window without jobs; a job that is larger than the cluster.
    """
    if not 1.0 <= scale <= FASTEST:
        raise InputError(f"must be a number from 1 to {FASTEST:,.0f}, found {scale:g}", file="--scale")
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
    return Excerpt(shrunk, machines, scale, f"{what}, on {machines.spec or cluster}, 1:{scale:g}")
