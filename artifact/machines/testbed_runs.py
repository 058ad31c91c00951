"""Pollux' testbed simulated: our policies on its jobs, with the profiles of its GPUs.

As in the authors' simulator (petuum/adaptdl, branch osdi21-artifact), passes take place at multiples of 60 s on the
clock of the workload file, and any change of a job's GPUs is a restart. Users fix the batch under Optimus, batch and
GPUs under Tiresias. NCF runs on one GPU with the requested batch, which under Pollux is the tuned one.

A run of Pollux takes minutes and its search is random. What came out is kept in `artifact.machines.policy_runs.STORED`,
which `benchmarks/measured_slow.py` writes.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from rarlib.cost.goodput.applications import AS_IN_SIA, SharedCluster
from rarlib.cost.goodput.goodput import GoodputCost
from rarlib.cost.goodput.measured import load_profiles
from rarlib.cost.goodput.profiles import Profiles
from rarlib.discovery import make_scheduler
from rarlib.model.cluster import Cluster
from rarlib.model.jobs import Jobs
from rarlib.simulator.engine import Conventions, simulate
from rarlib.simulator.run import Run
from rarlib.traces.load import load_trace

CLUSTER = "t4:16x4"
WORKLOADS = {"tuned": "pollux-6", "realistic": "pollux-realistic-6"}
"""Workload as the source names it -> trace."""

_ROUND_S = 60.0
SEEDS = {"pollux": (0, 1, 2), "optimus": (0,), "tiresias": (0,)}
"""Seeds of the runs of a scheduler, whose outcomes are averaged."""


class TestbedAssumptions(NamedTuple):
    """What a predictor assumes.

    Attributes:
        shared: what the cluster adds to the profiles.
        as_authors: two details of the authors' simulator that were found after the first score. YOLOv3 takes at most
            8 samples at once, though more were measured; under Tiresias a job left without GPUs keeps its place. Only
            the runs that take seconds are made: not those of Pollux.
    """

    shared: SharedCluster
    as_authors: bool = False


_AS_IN_POLLUX = SharedCluster(slowed=False, restart_s=30.0)
ASSUMED = {
    "testbed-profiles": TestbedAssumptions(_AS_IN_POLLUX),
    "testbed-slowed": TestbedAssumptions(AS_IN_SIA),
    "testbed-as-authors": TestbedAssumptions(_AS_IN_POLLUX, as_authors=True),
}
"""Predictor -> its assumptions: the authors' delay of starts, or what Sia's authors measured on another testbed."""

_YOLOV3, _MOST_AT_ONCE = ("yolov3", "t4"), 8


class PolicyRun(NamedTuple):
    """A run of the testbed.

    Attributes:
        workload: a key of `WORKLOADS`.
        adaptivity: what users leave open.
    """

    scheduler: str
    params: Mapping[str, Any]
    workload: str
    adaptivity: str


_TIRESIAS: Mapping[str, Any] = {"thresholds": (16 * 3600.0,), "consolidated": ("",)}
TESTBED_RUNS = {
    "pollux": PolicyRun("pollux", {"p": -1.0, "round_s": _ROUND_S}, "tuned", "adaptive"),
    "optimus": PolicyRun("optimus", {"tick": _ROUND_S}, "tuned", "scale-gpus"),
    "tiresias": PolicyRun("tiresias", _TIRESIAS, "tuned", "rigid"),
    "optimus-realistic": PolicyRun("optimus", {"tick": _ROUND_S}, "realistic", "scale-gpus"),
    "tiresias-realistic": PolicyRun("tiresias", _TIRESIAS, "realistic", "rigid"),
    "pollux-p1": PolicyRun("pollux", {"p": 1.0, "round_s": _ROUND_S}, "tuned", "adaptive"),
    "pollux-p-10": PolicyRun("pollux", {"p": -10.0, "round_s": _ROUND_S}, "tuned", "adaptive"),
}
"""Run, a key of `artifact.machines.pollux.RUNS` -> how it is simulated."""


def runs_of(assumed: TestbedAssumptions) -> tuple[str, ...]:
    """The runs that a predictor makes."""
    return tuple(name for name, made in TESTBED_RUNS.items() if not (assumed.as_authors and made.scheduler == "pollux"))


def jobs_of(made: PolicyRun, jobs: Jobs) -> Jobs:
    """The jobs of a workload with what their users leave open in a run; NCF leaves nothing open."""
    ncf = jobs.application.astype(str) == "ncf"
    alone = ncf & (made.adaptivity != "rigid")
    gpus, least, most = (np.where(alone, 1, gpus) for gpus in (jobs.gpus, jobs.min_gpus, jobs.max_gpus))
    adaptivity = np.where(ncf, "rigid", made.adaptivity).astype(object)
    return replace(jobs, adaptivity=adaptivity, gpus=gpus, min_gpus=least, max_gpus=most)


def simulate_testbed(
    made: PolicyRun, jobs: Jobs, profiles: Profiles, assumed: TestbedAssumptions, seed: int = 0
) -> Run:
    """Run the jobs of a workload.

    Raises:
        InputError: jobs that do not suit the cluster or the profiles.
    """
    more = {"unserved": "place"} if assumed.as_authors and made.scheduler == "tiresias" else {}
    return simulate(
        jobs_of(made, jobs),
        Cluster.parse(CLUSTER),
        make_scheduler(made.scheduler, {**made.params, **more}),
        GoodputCost(profiles_in(profiles, assumed), conditions=assumed.shared),
        quantum=_ROUND_S,
        conventions=Conventions(origin_s=jobs.origin_s, tick_s=1.0),
        seed=seed,
    )


def profiles_in(profiles: Profiles, assumed: TestbedAssumptions) -> Profiles:
    """Profiles that jobs run by."""
    if not assumed.as_authors or _YOLOV3 not in profiles.steps:
        return profiles
    rows = profiles.steps[_YOLOV3]
    return replace(profiles, steps={**profiles.steps, _YOLOV3: rows.take(rows.local <= _MOST_AT_ONCE)})


def outcomes_of(name: str, run: Run) -> dict[str, float]:
    """Hours by row: mean completion, mean of the ImageNet jobs, last completion since the first submission."""
    hours = run.turnaround_s / 3600.0
    imagenet = run.jobs.application.astype(str) == "imagenet"
    found = {"mean": hours.mean(), "imagenet": hours[imagenet].mean(), "last": run.makespan_s / 3600.0}
    return {f"{name}/{outcome}": float(value) for outcome, value in found.items()}


def recorded(source: str) -> tuple[Jobs, Profiles] | None:
    """Jobs of a trace and the profiles of their applications; None where one of them is not at hand."""
    trace = load_trace(source, network=False)
    profiles = load_profiles(tuple(dict.fromkeys(trace.jobs.application.tolist())), network=False)
    return None if trace.provenance["standin"] or profiles.facts["standin"] else (trace.jobs, profiles)


def outcomes_in(name: str, assumed: TestbedAssumptions) -> dict[str, float] | None:
    """Outcomes of a run by row, means over its seeds; None where trace or profiles are not at hand."""
    made = TESTBED_RUNS[name]
    found = recorded(WORKLOADS[made.workload])
    if found is None:
        return None
    each = [outcomes_of(name, simulate_testbed(made, *found, assumed, seed)) for seed in SEEDS[made.scheduler]]
    return {row: float(np.mean([one[row] for one in each])) for row in each[0]}
