"""Finish-time fairness: a job's completion time over what it would be on its fair share of the cluster.

rho = T / sum_g P(g) T_g, where P(g) is the fraction of the cluster's GPUs that are of type g, and T_g the completion
time of the job alone on its share of type g. With N GPUs in total, N_g of type g, and n jobs in the system on average
while the job is, its share is

    reading coded:  N / n GPUs (the authors' code), at most those of the type;
    reading paper:  N_g / n GPUs (the text).

Completion times are interpolated between whole numbers of GPUs; on a share s below one GPU, the job takes 1/s times as
long as on one. A job alone keeps its GPUs and, if its policy adapts the batch, knows its own speed: `Alone`. A rigid
job runs on the GPUs it requests; if these exceed its share, its time is multiplied by their ratio. The authors instead
run the policy itself on such clusters; the results differ by the first minutes, in which a job doubles its GPUs.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from rarlib.cost.goodput.goodput import GoodputCost
from rarlib.cost.goodput.profiles import Profiles
from rarlib.model.cluster import Cluster
from rarlib.model.decisions import Decision, Start
from rarlib.model.jobs import Jobs
from rarlib.model.scheduler import View
from rarlib.papers.sia.runs import CLUSTERS, crowd
from rarlib.simulator.engine import simulate
from rarlib.simulator.run import Run

_READINGS = ("coded", "paper")
RIGID = ("gavel", "themis", "shockwave")
"""Policies under which a job has the GPUs and the batch size that its user requested."""


@dataclass
class Alone:
    """Gives the only job `gpus` GPUs, whole nodes first, and never changes them."""

    name: ClassVar[str] = "alone"
    label: ClassVar[str] = "Alone"
    paper: ClassVar[str] = ""

    gpus: int = 1
    learning: str = "by-type"
    bootstrap: str = "oracle"
    projection: str = "code"

    def decide(self, view: View) -> Iterable[Decision]:
        """Start the job."""
        for job in view.waiting:
            held = np.diff(np.minimum(np.cumsum([0, *view.cluster.gpus]), self.gpus))
            yield Start(job.row, tuple((node, int(count)) for node, count in enumerate(held) if count))


class Isolated:
    """Completion times of jobs alone on one GPU type."""

    def __init__(self, profiles: Profiles, cluster: Cluster, *, rigid: bool) -> None:
        self._cost = GoodputCost(profiles)
        self._rigid = rigid
        self._nodes = {kind: [] for kind in dict.fromkeys(cluster.gpu_type)}  # type: dict[str, list[int]]
        for kind, gpus in zip(cluster.gpu_type, cluster.gpus.tolist(), strict=True):
            self._nodes[kind].append(gpus)
        self._known: dict[tuple[str, int, int, str, int], float] = {}

    @property
    def gpus_by_type(self) -> dict[str, int]:
        """GPUs of each type."""
        return {kind: sum(gpus) for kind, gpus in self._nodes.items()}

    def time_s(self, jobs: Jobs, row: int, kind: str, share: float) -> float:
        """Completion time of a job on `share` GPUs of a type; inf if the type has too few for it."""
        if self._rigid:
            gpus = int(jobs.gpus[row])
            return (
                self._alone(jobs, row, kind, gpus) * max(1.0, gpus / share)
                if gpus <= self.gpus_by_type[kind]
                else np.inf
            )
        share = min(share, float(self.gpus_by_type[kind]))
        low, high = max(int(np.floor(share)), 1), max(int(np.ceil(share)), 1)
        ends = [self._alone(jobs, row, kind, gpus) for gpus in (low, high)]
        return float(np.interp(share, (low, high), ends)) if high > low else ends[0] / min(share, 1.0)

    def _alone(self, jobs: Jobs, row: int, kind: str, gpus: int) -> float:
        rigid = (int(jobs.gpus[row]), int(jobs.batch_size[row])) if self._rigid else (0, 0)
        key = (str(jobs.application[row]), *rigid, kind, gpus)
        if key not in self._known:
            nodes = self._nodes[kind]
            cluster = Cluster(
                np.array(nodes), (kind,) * len(nodes), np.zeros(len(nodes), np.int64), np.ones(len(nodes))
            )
            scheduler = Alone(gpus, learning="requested" if self._rigid else "by-type")
            self._known[key] = simulate(jobs.take([row]), cluster, scheduler, self._cost).makespan_s
        return self._known[key]


def mean_jobs_present(run: Run, round_s: float) -> NDArray[np.float64]:
    """Mean number of jobs in the system over the rounds that each job spends there, shape (jobs,)."""
    jobs, origin = crowd(run, round_s), run.jobs.origin_s
    first = np.ceil((run.jobs.submit_s + origin) / round_s - 1e-9).astype(np.int64).clip(1)
    last = np.ceil((run.finish_s + origin) / round_s - 1e-9).astype(np.int64)
    total = np.concatenate([[0], np.cumsum(jobs)])
    rounds = np.maximum(last - first, 1)
    return (total[first - 1 + rounds] - total[first - 1]) / rounds


def ratios(run: Run, round_s: float, isolated: Isolated, reading: str) -> NDArray[np.float64]:
    """Finish-time ratio rho of every job, shape (jobs,)."""
    gpus_by_type, beside = isolated.gpus_by_type, mean_jobs_present(run, round_s)
    whole = sum(gpus_by_type.values())
    rho = np.empty(len(run.jobs))
    for row in range(len(run.jobs)):
        pairs = []
        for kind, gpus in gpus_by_type.items():
            time_s = isolated.time_s(run.jobs, row, kind, (whole if reading == "coded" else gpus) / beside[row])
            if np.isfinite(time_s):
                pairs.append((gpus, time_s))
        weight, times = np.array(pairs).T
        rho[row] = run.turnaround_s[row] / np.average(times, weights=weight)
    return rho


def fairness_rows(
    runs: Sequence[tuple[Run, float]], files: Sequence[int], cluster: str, policy: str, profiles: Profiles
) -> Iterator[tuple[str, str, str, int, str, float, str]]:
    """Reading, x_name, x, seed, metric, value, unit: rho by job, the worst rho, and the share of jobs with rho > 1."""
    isolated = Isolated(profiles, Cluster.parse(CLUSTERS[cluster]), rigid=policy in RIGID)
    for reading in _READINGS:
        everything = [ratios(run, round_s, isolated, reading) for run, round_s in runs]
        for rho, (run, _), file in zip(everything, runs, files, strict=True):
            for job, value in zip(run.jobs.job_id, rho, strict=True):
                yield (reading, "job", str(job), file, "rho", float(value), "1")
        pool = np.concatenate(everything)
        yield (reading, "", "", 0, "worst_rho", float(pool.max()), "1")
        yield (reading, "", "", 0, "unfair_share", 100.0 * float((pool > 1.0).mean()), "%")
