"""Finish-time fairness: a job's completion time over what it would be on its fair share of the cluster.

rho = T / sum_g P(g) T_g, where P(g) is the fraction of the cluster's GPUs that are of type g, and T_g the completion
time of the job alone on its share of type g, under the same policy (`artifact.papers.sia.isolation`). With N GPUs in
total, N_g of type g, and n jobs in the system on average while the job is, its share is

    reading coded:   N / n GPUs (the authors' code), at most those of the type;
    reading paper:   N_g / n GPUs (the text).
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from artifact.papers.sia.isolation import Isolated
from rarlib.cost.goodput.profiles import Profiles
from rarlib.presets.sia import crowd, machines, rounds_before
from rarlib.simulator.run import Run

RHO_READINGS = ("coded", "paper")


def mean_jobs_present(run: Run, round_s: float) -> NDArray[np.float64]:
    """Mean number of jobs in the system over the rounds that each job spends there, shape (jobs,)."""
    jobs, origin = crowd(run, round_s), run.jobs.origin_s
    first = np.ceil((run.jobs.submit_s + origin) / round_s - 1e-9).astype(np.int64).clip(1)
    last = np.ceil((run.finish_s + origin) / round_s - 1e-9).astype(np.int64)
    total = np.concatenate([[0], np.cumsum(jobs)])
    first, last = first - rounds_before(run, round_s), last - rounds_before(run, round_s)
    rounds = np.maximum(last - first, 1)
    return (total[first - 1 + rounds] - total[first - 1]) / rounds


def fairness_ratios(run: Run, round_s: float, isolated: Isolated, reading: str) -> NDArray[np.float64]:
    """Finish-time ratio rho of every job, shape (jobs,)."""
    gpus_by_type, beside = isolated.gpus_by_type, mean_jobs_present(run, round_s)
    whole = sum(gpus_by_type.values())
    rho = np.empty(len(run.jobs))
    for row in range(len(run.jobs)):
        shares = {kind: (gpus if reading == "paper" else whole) / beside[row] for kind, gpus in gpus_by_type.items()}
        times = [isolated.time_s(run.jobs, row, kind, share) for kind, share in shares.items()]
        rho[row] = run.turnaround_s[row] / np.average(times, weights=list(gpus_by_type.values()))
    return rho


def fairness_rows(
    runs: Sequence[tuple[Run, float]],
    files: Sequence[int],
    cluster: str,
    policy: str,
    profiles: Profiles,
    params: Mapping[str, Any],
) -> Iterator[tuple[str, str, str, int, str, float, str]]:
    """Reading, x_name, x, seed, metric, value, unit: rho by job, and the worst rho and the share of jobs with rho > 1.

    The last two are given for every file, and for all files together (seed 0). A job alone runs under the policy with
    the same parameters and the same rounds.
    """
    isolated = Isolated(profiles, machines(cluster), policy, params, runs[0][1])
    for reading in RHO_READINGS:
        everything = [fairness_ratios(run, round_s, isolated, reading) for run, round_s in runs]
        for rho, (run, _), file in zip(everything, runs, files, strict=True):
            for job, value in zip(run.jobs.job_id, rho, strict=True):
                yield (reading, "job", str(job), file, "rho", float(value), "1")
            yield from _summary(reading, file, rho)
        yield from _summary(reading, 0, np.concatenate(everything))


def _summary(reading: str, file: int, rho: NDArray[np.float64]) -> Iterator[tuple[str, str, str, int, str, float, str]]:
    pooled = "" if file else "_pooled"
    yield (reading, "", "", file, f"worst_rho{pooled}", float(rho.max()), "1")
    yield (reading, "", "", file, f"unfair_share{pooled}", 100.0 * float((rho > 1.0).mean()), "%")
