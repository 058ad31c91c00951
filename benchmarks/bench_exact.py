"""How large RAR-DDLS and the limit of eq. 11-16 can be and still be solved, and how the effort grows.

    python -m pytest benchmarks/bench_exact.py --benchmark-only
    python benchmarks/bench_exact.py               # tables over sizes and seeds; many minutes

Instances are parts of those of SJF-BCO's evaluation: `local`, servers of 8, 4 and 4 GPUs and any jobs that fit, where
most gangs fit a server; `spanning`, jobs of 2 to 8 GPUs on three servers of 3, where most must span and share.
"""

import time
from collections.abc import Callable, Iterator
from statistics import median
from typing import Any

import numpy as np
import pytest

from rarlib.ilp.rar_ddls import brute_force, exact
from rarlib.ilp.rar_ddls.feasibility import smallest_theta
from rarlib.ilp.rar_ddls.slotted import Slotted, slotted
from rarlib.model.cluster import Cluster
from rarlib.model.seeds import stream
from rarlib.papers.sjf_bco.choices import RUN_READINGS, setup_of
from rarlib.papers.sjf_bco.instance import instance, part

FAMILIES = {"local": ([8, 4, 4], (1, 2, 4, 8, 16)), "spanning": ([3, 3, 3], (2, 4, 8))}
SIZES = {"local": (4, 6, 8, 10, 12, 16, 20, 24), "spanning": (4, 6, 8, 10, 12, 14)}
BRUTE = (3, 4, 5, 6, 7)
SHORTER = 30
SEEDS = 5
EFFORT = 60.0
"""Deterministic time of the solver, about seconds."""


def problem(family: str, jobs: int, seed: int, shorter: int = 1) -> Slotted:
    """An instance, its iterations divided by `shorter`: brute force counts every slot of a wait."""
    servers, gangs = FAMILIES[family]
    whole = instance(seed, 20, setup_of(RUN_READINGS["fitted"]))
    rows = stream(seed, "bench-exact", family).permutation(np.flatnonzero(np.isin(whole.jobs.gpus, gangs)))[:jobs]
    case = part(whole, np.sort(rows), Cluster.of(servers))
    full = slotted(case.jobs, case.cluster, case.cost.price(case.jobs, case.cluster))
    return full._replace(work=tuple(-(-work // shorter) for work in full.work))


def theta(reading: str, seed: int):
    case = instance(seed, 20, setup_of(RUN_READINGS[reading]))
    return smallest_theta(case.jobs.gpus, case.cost.iterations.astype(np.int64), case.cluster.total_gpus, 0.05)


@pytest.mark.parametrize("family", list(FAMILIES))
@pytest.mark.parametrize("jobs", [4, 8])
def test_solver(benchmark, family, jobs):
    benchmark.group = f"RAR-DDLS, {jobs} jobs, {family}"
    found = benchmark.pedantic(exact.least_makespan, (problem(family, jobs, 0),), rounds=3)
    benchmark.extra_info["status"] = found.status


@pytest.mark.parametrize("family", list(FAMILIES))
def test_brute_force(benchmark, family):
    benchmark.group = f"RAR-DDLS, 4 jobs, {family}"
    benchmark.pedantic(brute_force.least_makespan, (problem(family, 4, 0, SHORTER),), rounds=3)


@pytest.mark.parametrize("reading", RUN_READINGS)
def test_theta(benchmark, reading):
    benchmark.group = "eq. 11-16, 160 jobs on 20 servers"
    theta(reading, 0)  # compile
    benchmark.extra_info["status"] = benchmark.pedantic(theta, (reading, 0), rounds=3).status


def timed(work: Callable[..., Any], *given: Any) -> tuple[float, Any]:
    begin = time.perf_counter()
    found = work(*given)
    return time.perf_counter() - begin, found


def solver_table(family: str) -> Iterator[str]:
    """One line per size, until most seeds run into the limit."""
    yield f"CP-SAT, {family}: {SEEDS} seeds, limit {EFFORT:g}"
    yield f"{'jobs':>5}{'solved':>8}{'median s':>10}{'most s':>9}{'most gap':>10}"
    for jobs in SIZES[family]:
        runs = [timed(exact.least_makespan, problem(family, jobs, s), EFFORT) for s in range(SEEDS)]
        seconds, found = zip(*runs, strict=True)
        solved = sum(r.status == "optimal" for r in found)
        gap = max(r.gap for r in found)
        yield f"{jobs:5}{solved:6}/{SEEDS}{median(seconds):10.2f}{max(seconds):9.2f}{gap:10.2%}"
        if solved < SEEDS / 2:
            return


def brute_table(family: str) -> Iterator[str]:
    yield f"brute force, {family}, durations divided by {SHORTER}: {SEEDS} seeds"
    yield f"{'jobs':>5}{'median s':>10}{'most s':>9}"
    for jobs in BRUTE:
        runs = [timed(brute_force.least_makespan, problem(family, jobs, s, SHORTER))[0] for s in range(SEEDS)]
        yield f"{jobs:5}{median(runs):10.2f}{max(runs):9.2f}"
        if max(runs) > EFFORT / 4:
            return


def theta_table() -> Iterator[str]:
    yield "eq. 11-16, 160 jobs on 20 servers: smallest theta, bound, seconds"
    for reading in RUN_READINGS:
        runs = [timed(theta, reading, seed) for seed in range(SEEDS)]
        cells = "".join(f"{found.theta:6}/{found.bound}{seconds:5.1f}" for seconds, found in runs)
        yield f"{reading:>6}{cells}"


if __name__ == "__main__":
    for table in (theta_table(), *map(brute_table, FAMILIES), *map(solver_table, FAMILIES)):
        for line in table:
            print(line, flush=True)  # noqa: T201
