"""How fast AITurbo, Tiresias and Optimus are: 10,000 jobs, a fifth unpredictable, on 512 GPUs and 768 CPU task slots.

python -m pytest benchmarks/bench_aiturbo.py --benchmark-only
"""

from functools import cache

import numpy as np
import pytest

from rarlib.cost.parameter_server.cost import ParameterServerCost
from rarlib.cost.parameter_server.models import models
from rarlib.cost.parameter_server.workload import NO_SWITCH, PsJobs
from rarlib.discovery import make_scheduler
from rarlib.model.cluster import Cluster
from rarlib.model.jobs import Jobs
from rarlib.model.seeds import stream
from rarlib.simulator.engine import simulate
from rarlib.simulator.run import Run

CLUSTER = Cluster.parse("gpu:64x8,cpu:64x12")


@cache
def workload(jobs: int, load: float) -> tuple[PsJobs, Jobs]:
    """Jobs of log-normal length with even arrivals; of the unpredictable ones two in five become predictable [LAB]."""
    rng = stream(0, "bench", "aiturbo")
    names = [model.name for model in models()]
    later = np.where(rng.random(jobs) < 0.4, rng.uniform(0.1, 0.9, jobs), NO_SWITCH)
    own = PsJobs.build(
        [names[i] for i in rng.integers(0, len(names), jobs)],
        1.0,
        rng.choice([1, 2, 4], jobs),
        rng.choice([1, 2], jobs),
        switch=np.where(rng.random(jobs) < 0.2, later, 0.0),
    )
    own = own.lasting(np.exp(rng.normal(8.0, 1.2, jobs))).mispredicted(rng)
    asked = (own.workers * own.steps * own.requested_step_s()).sum()
    return own, own.table(np.sort(rng.uniform(0.0, asked / (CLUSTER.total_gpus * load), jobs)))


def replay(scheduler: str, count: int, load: float) -> Run:
    own, jobs = workload(count, load)
    return simulate(jobs, CLUSTER, make_scheduler(scheduler), ParameterServerCost(own))


@pytest.mark.parametrize("load", [0.9, 1.3])
@pytest.mark.parametrize("scheduler", ["aiturbo", "tiresias", "optimus"])
def test_ten_thousand_jobs(benchmark, scheduler, load):
    replay(scheduler, 50, load)  # compiles
    run = benchmark.pedantic(replay, (scheduler, 10_000, load), rounds=1)
    assert run.finished.all()
