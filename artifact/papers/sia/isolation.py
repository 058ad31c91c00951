"""How long a job takes alone: its policy, with its rounds, bootstrapping and restarts, on a part of one GPU type.

As in the authors' script for the cluster of three types (`ftf_simulator_ray.py` of siasosp23/artifacts):

- Sia grows the job from one GPU, at most to as many as it is given, and creates it without the user's batch.
- Under rigid policies (Gavel, Shockwave) the job runs on the requested GPUs, or on those it is given if these are
  fewer, with the user's batch. Both are run under Gavel's policy (the authors do the same).

- Pollux would search for the best placement of one job, which is soon the largest: here the job has one GPU first, and
  twice as many whenever it has made progress, up to those it is given or to half, a quarter, ... of them, whichever
  finishes soonest, on as few nodes as possible.

Two things differ. The authors key finished runs by application, type, GPUs and batch, so that two rigid jobs that
request different numbers of GPUs may share one run; here they do not. And a job's wait for its first round is that of
its own submission, not of the first job with the same key. What else depends on the submission (Sia's restart factor
sees a job that is older by up to a round) is that of a submission in the middle of a round.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from rarlib.allocate.present import exchange
from rarlib.cost.goodput.profiles import Profiles
from rarlib.discovery import make_scheduler
from rarlib.model.cluster import Cluster
from rarlib.model.decisions import Decision, Wake
from rarlib.model.jobs import Jobs
from rarlib.model.offers import needed
from rarlib.model.scheduler import Scheduler, View, in_system
from rarlib.presets.sia import RIGID, as_coded, as_measured
from rarlib.simulator.engine import Conventions, simulate

_MIDDLE = 0.5
"""Where in a round a job alone is submitted, as a fraction of the round. Its wait is then corrected to its own."""


@dataclass
class Growing:
    """Doubles the GPUs of the only job after each restart, up to all GPUs of the cluster, whole nodes first."""

    name: ClassVar[str] = "growing"
    label: ClassVar[str] = "Growing"
    paper: ClassVar[str] = ""
    learning: ClassVar[str] = "merged"

    round_s: float = 60.0
    _gpus: int = field(default=0, init=False, repr=False)
    _since_s: float = field(default=0.0, init=False, repr=False)

    def decide(self, view: View) -> Iterable[Decision]:
        """Start the job, or move it to twice as many GPUs."""
        jobs, most = in_system(view), int(view.cluster.gpus.sum())
        if not jobs or self._gpus == most:
            return
        restart_s = needed(view.offers.restarts, self.name, "restarts").restart_s[jobs[0].row]
        if self._gpus == 0 or view.now_s - self._since_s > restart_s:
            self._gpus, self._since_s = min(max(2 * self._gpus, 1), most), view.now_s
            held = np.diff(np.minimum(np.cumsum([0, *view.cluster.gpus]), self._gpus))
            placement = tuple((node, int(count)) for node, count in enumerate(held) if count)
            yield from exchange(view, {jobs[0].row: placement})
        yield Wake(view.now_s + self.round_s)


class Isolated:
    """Completion times of jobs alone on one GPU type, by policy; finished runs are kept."""

    def __init__(
        self, profiles: Profiles, cluster: Cluster, policy: str, params: Mapping[str, Any], length_s: float
    ) -> None:
        """Take the policy.

        `params`: of the policy, besides those of the authors' code; `length_s`: of a round.
        """
        self._cost = as_measured(profiles)
        self._rigid = policy in RIGID
        self._policy = "gavel" if self._rigid else policy
        self._params, self._round_s = dict(params), length_s
        self._nodes = {
            kind: [gpus for each, gpus in zip(cluster.gpu_type, cluster.gpus.tolist(), strict=True) if each == kind]
            for kind in dict.fromkeys(cluster.gpu_type)
        }
        self._known: dict[tuple[str, int, int, str, int], float] = {}

    @property
    def gpus_by_type(self) -> dict[str, int]:
        """GPUs of each type."""
        return {kind: sum(gpus) for kind, gpus in self._nodes.items()}

    def time_s(self, jobs: Jobs, row: int, kind: str, share: float) -> float:
        """Completion time of a job on `share` GPUs of a type, seconds.

        Linear between whole numbers of GPUs; on a share below one, 1/share times the time on one GPU; a share above
        the GPUs of the type counts as all of them.
        """
        submitted_s = float(jobs.submit_s[row] + jobs.origin_s) % self._round_s
        wait_s = self._round_s - submitted_s
        low, high = max(int(np.floor(share)), 1), max(int(np.ceil(share)), 1)
        ends = [wait_s + self._run_s(jobs, row, kind, gpus) for gpus in (low, high)]
        return float(np.interp(share, (low, high), ends)) if high > low else ends[0] / min(share, 1.0)

    def _run_s(self, jobs: Jobs, row: int, kind: str, gpus: int) -> float:
        """Seconds from the first round on, with at most so many GPUs."""
        each, gpus = max(self._nodes[kind]), min(gpus, self.gpus_by_type[kind])
        if self._rigid:
            gpus = min(gpus, int(jobs.gpus[row]))
        elif self._policy == "sia":
            # Sia's configurations: powers of two within a node, whole nodes beyond it.
            gpus = gpus - gpus % each if gpus >= each else 1 << (gpus.bit_length() - 1)
        asked = (gpus, int(jobs.batch_size[row])) if self._rigid else (0, 0)
        key = (str(jobs.application[row]), *asked, kind, gpus)
        if key not in self._known:
            self._known[key] = self._simulated(jobs.take([row]), kind, gpus)
            if self._policy == "pollux" and gpus > 1:
                self._known[key] = min(self._known[key], self._run_s(jobs, row, kind, gpus // 2))
        return self._known[key]

    def _simulated(self, job: Jobs, kind: str, gpus: int) -> float:
        each = max(self._nodes[kind])
        whole, rest = divmod(gpus, each)
        nodes = np.array([each] * whole + [rest] * (rest > 0))
        cluster = Cluster(nodes, (kind,) * len(nodes), np.zeros(len(nodes), np.int64), np.ones(len(nodes)))
        if self._policy == "pollux":
            scheduler: Scheduler = Growing(self._round_s)
        else:
            scheduler = make_scheduler(
                self._policy, {**as_coded(self._policy, 1), **self._params, "round_s": self._round_s}
            )
        run = simulate(
            replace(job, gpus=np.minimum(job.gpus, gpus), batch_size=job.batch_size * self._rigid),
            cluster,
            scheduler,
            self._cost,
            quantum=self._round_s,
            conventions=Conventions(origin_s=_MIDDLE * self._round_s, tick_s=1.0, free_moves=True),
        )
        return run.makespan_s - (1.0 - _MIDDLE) * self._round_s
