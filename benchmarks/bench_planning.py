"""How fast the planners are: one batch, the whole search for a limit, every kappa.

    python -m pytest benchmarks/bench_planning.py --benchmark-only

Instances are those of SJF-BCO's evaluation (160 jobs, 20 servers), repeated for larger sizes.
"""

from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest

from artifact.papers.sjf_bco.choices import RUN_READINGS, setup_of
from artifact.papers.sjf_bco.instance import Instance, instance, repeated
from rarlib.model.seeds import stream
from rarlib.schedulers.best_known import BestKnown
from rarlib.schedulers.first_fit import FirstFit
from rarlib.schedulers.list_scheduling import ListScheduling
from rarlib.schedulers.random_fit import RandomFit
from rarlib.schedulers.sjf_bco import SjfBco

PLANNERS = {
    "sjf-bco": lambda: SjfBco(tau_hat=0.05, horizon=1200.0),
    "sjf-bco, lambda 8, per kappa": lambda: SjfBco(lambda_=8, bisection="per-kappa", tau_hat=0.05, horizon=1200.0),
    "sjf-bco, queue": lambda: SjfBco(availability="queue", tau_hat=0.05, horizon=1200.0),
    "list-scheduling": lambda: ListScheduling(tau_hat=0.05),
    "first-fit": lambda: FirstFit(tau_hat=0.05),
    "random": lambda: RandomFit(horizon=1200.0),
}
TIMES = (1, 4, 16, 63)


@cache
def case(times: int) -> Instance:
    return repeated(instance(0, 20, setup_of(RUN_READINGS["fitted"])), times)


def view(times: int) -> SimpleNamespace:
    """The first thing a planner sees: the whole batch waits, nothing runs."""
    c = case(times)
    return SimpleNamespace(
        waiting=c.jobs.rows,
        running=(),
        running_rows=np.zeros(0, np.int64),
        cluster=c.cluster,
        prices=c.cost.price(c.jobs, c.cluster),
        now_s=0.0,
        arrivals_left=0,
        rng=stream(0, "bench"),
    )


def plan(times: int, name: str):
    planner = PLANNERS[name]()
    planner.decide(view(times))
    return planner.last_plan


@pytest.mark.parametrize("name", list(PLANNERS))
@pytest.mark.parametrize("times", TIMES)
def test_planning(benchmark, times, name):
    benchmark.group = f"{160 * times} jobs on {20 * times} servers"
    found = benchmark.pedantic(plan, (times, name), rounds=3 if times < 16 else 1, warmup_rounds=times < 16)
    benchmark.extra_info["passes"] = found.passes
    benchmark.extra_info["looked"] = found.looked


def test_best_known(benchmark):
    """The whole search at the paper's size; stated to take less than a minute."""
    benchmark.group = "160 jobs on 20 servers"

    def search():
        planner = BestKnown()
        planner.decide(view(1))
        return planner.last_plan

    found = benchmark.pedantic(search, rounds=2, warmup_rounds=0)
    benchmark.extra_info["makespan"] = found.makespan
