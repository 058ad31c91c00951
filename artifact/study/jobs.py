"""The jobs of a seed: a window of a trace or a draw from laws, at the load of a setting, with their predictions.

Seed s of a trace is its s-th window (`artifact.arena.windows`), cleaned as there; seed s of a workload its s-th draw.
All schedulers get the same jobs and the same predictions of a seed (common random numbers).
"""

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np

from artifact.arena.load import rescaled
from artifact.arena.windows import cleaned, starts_of
from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError
from rarlib.model.forecast import Forecast
from rarlib.model.jobs import Jobs
from rarlib.model.seeds import stream
from rarlib.traces.laws.spec import read_spec
from rarlib.traces.load import load_trace


def window_of(data: Path, name: str, jobs: int, seed: int, most_gpus: int) -> Jobs:
    """The jobs of one seed of a trace; jobs that request more than `most_gpus` are left out.

    Raises:
        InputError: a trace that has fewer windows of so many jobs.
    """
    kept = _kept(data, name, most_gpus)
    starts = starts_of(seed, kept.submit_s, jobs) if len(kept) >= jobs else []
    if len(starts) < seed:
        rule = f"{len(kept):,} jobs of the trace fit; they give {len(starts)} windows of {jobs} jobs, seed {seed} needs"
        raise InputError(f"{rule} {seed}: take fewer jobs or fewer seeds", file=name, field="jobs")
    return _from_zero(kept.take(slice(starts[-1], starts[-1] + jobs)))


@cache
def _kept(data: Path, name: str, most_gpus: int) -> Jobs:
    found, _ = cleaned(load_trace(data, "rarlib").jobs, name)
    return found.take(found.gpus <= most_gpus)


def draw_of(laws: Path, jobs: int, seed: int, most_gpus: int) -> Jobs:
    """The jobs of one seed of a workload; as many as fit of those that the laws give.

    Raises:
        InputError: laws that cannot be read, or of whose jobs too few fit.
    """
    spec = read_spec(laws)
    if sum(share for gpus, share in spec.sizes.items() if gpus <= most_gpus) <= 0:
        raise InputError(f"no job requests {most_gpus} GPUs or fewer", file=laws, field="sizes")
    more = jobs
    while True:
        drawn = spec.draw(more, seed)
        found = drawn.take(drawn.gpus <= most_gpus)
        if len(found) >= jobs:
            return _from_zero(found.take(slice(0, jobs)))
        more *= 2


def _from_zero(jobs: Jobs) -> Jobs:
    return replace(jobs, submit_s=jobs.submit_s - jobs.submit_s[0])


def at_offered_load(jobs: Jobs, load: str, cluster: Cluster, *, overload: bool) -> Jobs:
    """The same jobs, all gaps scaled by one factor so that they offer this load; empty: as they are."""
    if not load:
        return jobs
    gpu_s = float((jobs.gpus * jobs.duration_s).sum())
    submit = rescaled(jobs.submit_s, gpu_s, cluster.total_gpus, float(load), allow_overload=overload)
    return replace(jobs, submit_s=submit)


def predictions(jobs: Jobs, error: str, source: str, seed: int) -> Forecast | None:
    """Predicted over true length: lognormal with median 1; None if predictions are exact."""
    deviation = float(error)
    if deviation == 0:
        return None
    drawn = stream(seed, "study", source, "predictions").standard_normal(len(jobs))
    return Forecast(np.exp(deviation * drawn), np.ones(len(jobs), dtype=np.bool_))
