"""How fast Gavel is: one allocation with each of its policies, a round's choice, and whole workloads.

    python -m pytest benchmarks/bench_gavel.py --benchmark-only

Jobs are of the evaluation's density, ten on 64 GPUs of three types; GLOP solves the same program for comparison. The
workloads are those of the authors where the data layer finds them (`RARLIB_MIRROR`), otherwise their stand-ins.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from rarlib.cost.goodput.measured import load_profiles
from rarlib.ilp.gavel.policies import finish_time_fairness, isolated, max_min_fairness, max_sum_throughput
from rarlib.ilp.linear import LinearProgram
from rarlib.model.seeds import stream
from rarlib.presets.sia import Case, simulate_case
from rarlib.schedulers.gavel import Priorities
from rarlib.traces.load import load_trace

SCALES = (1, 2, 4, 8, 16, 32)


class Crowd(NamedTuple):
    """Jobs and cluster: iterations per second by type, GPUs asked for, GPUs by type."""

    rate: NDArray[np.float64]
    gpus: NDArray[np.int64]
    capacity: NDArray[np.int64]


def crowd(scale: int) -> Crowd:
    """Ten jobs and 64 GPUs, several times."""
    rng, jobs = stream(0, "bench", "gavel", scale), 10 * scale
    application = np.array([20.0, 8.0, 2.0, 1.0, 0.1])[rng.integers(0, 5, jobs)]
    rate = application[:, None] * np.array([1.0, 3.0, 2.0]) * rng.uniform(0.8, 1.2, (jobs, 3))
    return Crowd(rate, 2 * rng.integers(2, 9, jobs), scale * np.array([24, 16, 24]))


def fair(c: Crowd) -> NDArray[np.float64]:
    """Finish-time fairness, an hour after everybody's submission."""
    left = c.rate.max(axis=1) * 7200.0
    age = np.full(len(left), 3600.0)
    alone = age + left / (c.rate * isolated(c.gpus, c.capacity)).sum(axis=1)
    return finish_time_fairness(*c, age_s=age, left=left, alone_s=alone)


def by_glop(c: Crowd) -> float:
    """Largest throughput by GLOP: the same program, and one of its vertices."""
    program, (jobs, types) = LinearProgram(), c.rate.shape
    rows = [program.row(-1.0) for _ in range(jobs)] + [program.row(-float(room)) for room in c.capacity]
    for j in range(jobs):
        for t in range(types):
            program.column(-c.rate[j, t], ((rows[j], -1.0), (rows[jobs + t], -float(c.gpus[j]))))
    return -program.solve().value


POLICIES: dict[str, Callable[[Crowd], object]] = {
    "max-sum": lambda c: max_sum_throughput(*c),
    "max-min": lambda c: max_min_fairness(*c),
    "finish-time": fair,
    "glop": by_glop,
}


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("scale", SCALES)
def test_allocation(benchmark, policy, scale):
    benchmark(POLICIES[policy], crowd(scale))


@pytest.mark.parametrize("scale", [1, 16])
def test_choice(benchmark, scale):
    c = crowd(scale)
    jobs, shares, priorities = np.arange(len(c.gpus)), max_sum_throughput(*c), Priorities(3, 360.0)
    priorities.admit(jobs)
    benchmark(priorities.choose, jobs, shares, c.gpus, c.capacity)


@pytest.mark.parametrize("policy", ["gavel", "themis"])
@pytest.mark.parametrize("cluster", ["heterogeneous", "homogeneous"])
def test_workload(benchmark, policy, cluster):
    """160 jobs in eight hours; a round every six minutes."""
    case = Case(load_trace("sia-philly-6").jobs, cluster, policy, {}, 360.0)
    benchmark.pedantic(simulate_case, (case, load_profiles()), rounds=3, warmup_rounds=1)
