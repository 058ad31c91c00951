"""Pollux' testbed simulated: our policies on its jobs, with the profiles of its GPUs.

As in the authors' simulator (petuum/adaptdl, branch osdi21-artifact), passes take place at multiples of 60 s on the
clock of the workload file, and any change of a job's GPUs is a restart. Users fix the batch under Optimus, batch and
GPUs under Tiresias. NCF runs on one GPU with the requested batch under all policies; under Pollux that is the tuned one.

A run of Pollux takes minutes and its search is random. What came out is kept in `rarlib.measured.policy_runs.STORED`,
which `benchmarks/measured_slow.py` writes.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from rarlib.cost.goodput.applications import AS_IN_SIA, SharedCluster
from rarlib.cost.goodput.goodput import GoodputCost
from rarlib.cost.goodput.measured import load_profiles
from rarlib.discovery import make_scheduler
from rarlib.model.cluster import Cluster
from rarlib.model.jobs import Jobs
from rarlib.simulator.engine import Conventions, simulate
from rarlib.simulator.run import Run
from rarlib.traces.load import load_trace

CLUSTER = "t4:16x4"
WORKLOADS = {"tuned": "pollux-6", "realistic": "pollux-realistic-6"}
"""Workload as the source names it -> trace."""

ROUND_S = 60.0
SEEDS = {"pollux": (0, 1, 2), "optimus": (0,), "tiresias": (0,)}
"""Seeds of the runs of a scheduler, whose outcomes are averaged."""

SHARED = {"testbed-profiles": SharedCluster(slowed=False, restart_s=30.0), "testbed-slowed": AS_IN_SIA}
"""Predictor -> what the cluster adds to the profiles: the authors' delay of starts, or what Sia's authors measured."""


class TestbedRun(NamedTuple):
    """A run of the testbed.

    Attributes:
        scheduler: ours.
        params: its parameters.
        workload: a key of `WORKLOADS`.
        adaptivity: what users leave open.
    """

    __test__ = False  # no test of pytest

    scheduler: str
    params: Mapping[str, Any]
    workload: str
    adaptivity: str


_TIRESIAS: Mapping[str, Any] = {"thresholds": (16 * 3600.0,), "consolidated": ("",)}
TESTBED_RUNS = {
    "pollux": TestbedRun("pollux", {"p": -1.0, "round_s": ROUND_S}, "tuned", "adaptive"),
    "optimus": TestbedRun("optimus", {"tick": ROUND_S}, "tuned", "scale-gpus"),
    "tiresias": TestbedRun("tiresias", _TIRESIAS, "tuned", "rigid"),
    "optimus-realistic": TestbedRun("optimus", {"tick": ROUND_S}, "realistic", "scale-gpus"),
    "tiresias-realistic": TestbedRun("tiresias", _TIRESIAS, "realistic", "rigid"),
    "pollux-p1": TestbedRun("pollux", {"p": 1.0, "round_s": ROUND_S}, "tuned", "adaptive"),
    "pollux-p-10": TestbedRun("pollux", {"p": -10.0, "round_s": ROUND_S}, "tuned", "adaptive"),
}
"""Run, a key of `rarlib.measured.pollux.RUNS` -> how it is simulated."""


def testbed_jobs(made: TestbedRun, jobs: Jobs) -> Jobs:
    """The jobs of a workload with what their users leave open in a run; NCF leaves nothing open.

    Args:
        made: the run.
        jobs: of the workload.
    """
    ncf = jobs.application.astype(str) == "ncf"
    alone = ncf & (made.adaptivity != "rigid")
    return replace(
        jobs,
        adaptivity=np.where(ncf, "rigid", made.adaptivity).astype(object),
        **{name: np.where(alone, 1, getattr(jobs, name)) for name in ("gpus", "min_gpus", "max_gpus")},
    )


def simulated(made: TestbedRun, jobs: Jobs, cost: GoodputCost, cluster: str, seed: int) -> Run:
    """Run the jobs of a workload.

    Args:
        made: the run.
        jobs: of the workload.
        cost: the model.
        cluster: specification.
        seed: of the scheduler.

    Raises:
        InputError: jobs that do not suit the cluster or the profiles.
    """
    return simulate(
        testbed_jobs(made, jobs),
        Cluster.parse(cluster),
        make_scheduler(made.scheduler, made.params),
        cost,
        quantum=ROUND_S,
        conventions=Conventions(origin_s=jobs.origin_s, tick_s=1.0),
        seed=seed,
    )


def outcomes_of(name: str, run: Run) -> dict[str, float]:
    """Hours by row: mean completion, mean of the ImageNet jobs, last completion since the first submission.

    Args:
        name: of the run.
        run: its record.
    """
    hours = run.turnaround_s / 3600.0
    imagenet = run.jobs.application.astype(str) == "imagenet"
    found = {"mean": hours.mean(), "imagenet": hours[imagenet].mean(), "last": run.makespan_s / 3600.0}
    return {f"{name}/{outcome}": float(value) for outcome, value in found.items()}


def testbed_outcomes(name: str, shared: SharedCluster) -> dict[str, float] | None:
    """Outcomes of a run by row, means over its seeds; None where trace or profiles are not at hand.

    Args:
        name: a key of `TESTBED_RUNS`.
        shared: what the cluster adds to the profiles.
    """
    made = TESTBED_RUNS[name]
    trace = load_trace(WORKLOADS[made.workload], network=False)
    profiles = load_profiles(tuple(dict.fromkeys(trace.jobs.application.tolist())), network=False)
    if trace.provenance["standin"] or profiles.facts["standin"]:
        return None
    cost = GoodputCost(profiles, shared=shared)
    each = [
        outcomes_of(name, simulated(made, trace.jobs, cost, CLUSTER, seed)) for seed in SEEDS[made.scheduler]
    ]
    return {row: float(np.mean([one[row] for one in each])) for row in each[0]}
