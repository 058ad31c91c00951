"""How fast lower bounds are proven, and how close they come.

    python -m pytest benchmarks/bench_bounds.py --benchmark-only
    python benchmarks/bench_bounds.py            # the growth curves, as tables

Instances are those of SJF-BCO's evaluation (160 jobs, 20 servers), repeated for larger sizes, and the Philly table: the
real one where the data layer finds it (`RARLIB_MIRROR`), otherwise its stand-in.
"""

import math
import time
from collections.abc import Callable, Iterator
from functools import cache

import pytest

from rarlib.bounds.lower_bounds import EFFORT, MAKESPAN, MEAN_JCT, Bound, largest_bound, lower_bounds
from rarlib.cost.ring import RingCost
from rarlib.model.cluster import Cluster
from rarlib.model.jobs import Jobs
from rarlib.papers.sjf_bco.choices import RUN_READINGS, setup_of
from rarlib.papers.sjf_bco.instance import instance, repeated
from rarlib.traces.load import load_trace

TIMES = (1, 4, 16, 63)
PHILLY = (1_000, 10_000, 100_000)


@cache
def philly() -> Jobs:
    return load_trace("philly-pollux").jobs


def batch(times: int, effort: int) -> list[Bound]:
    """All jobs there at once, servers of several sizes, whole slots."""
    case = repeated(instance(0, 20, setup_of(RUN_READINGS["fitted"])), times)
    prices = case.cost.price(case.jobs, case.cluster)
    return lower_bounds(case.jobs, case.cluster, prices, quantum=1.0, whole_slots=True, effort=effort)


def arriving(jobs: int, effort: int) -> list[Bound]:
    """The first jobs of the Philly table on 50 servers of 8, contention priced."""
    table, cluster = philly().take(slice(0, jobs)), Cluster.parse("50x8")
    return lower_bounds(table, cluster, RingCost().price(table, cluster), effort=effort)


@pytest.mark.parametrize("effort", [0, EFFORT])
@pytest.mark.parametrize("times", TIMES)
def test_batch(benchmark, times, effort):
    benchmark.group = f"{160 * times} jobs on {20 * times} servers"
    found = benchmark.pedantic(batch, (times, effort), rounds=3 if times < 16 else 1, warmup_rounds=1)
    benchmark.extra_info["makespan"] = largest_bound(found, MAKESPAN).value_s


@pytest.mark.parametrize("effort", [0, EFFORT])
@pytest.mark.parametrize("jobs", PHILLY)
def test_philly(benchmark, jobs, effort):
    benchmark.group = f"philly, {jobs} jobs"
    found = benchmark.pedantic(arriving, (jobs, effort), rounds=3 if jobs < 100_000 else 1, warmup_rounds=1)
    benchmark.extra_info["mean_jct"] = largest_bound(found, MEAN_JCT).value_s


def seconds(prove: Callable[[int, int], list[Bound]], sizes: dict[int, int]) -> Iterator[tuple[int, float, float]]:
    """Jobs, seconds (best of three) of the closed forms and of all bounds."""
    for jobs, size in sizes.items():
        yield jobs, _seconds(prove, size, 0), _seconds(prove, size, EFFORT)


def growth_table(title: str, prove: Callable[[int, int], list[Bound]], sizes: dict[int, int]) -> str:
    """Seconds by size without and with linear programs; exponents of the growth from the row above."""
    lines = [f"{title}\n{'jobs':>8}{'closed forms':>14}{'exponent':>10}{'all':>10}{'exponent':>10}"]
    before: tuple[float, ...] = ()
    for jobs, *both in seconds(prove, sizes):
        line = f"{jobs:8}"
        for i, value in enumerate(both):
            exponent = math.log(value / before[1 + i]) / math.log(jobs / before[0]) if before else math.nan
            line += f"{value:{14 if i == 0 else 10}.3f}" + (f"{exponent:10.2f}" if before else " " * 10)
        lines.append(line.rstrip())
        before = (jobs, *both)
    return "\n".join(lines)


def _seconds(prove: Callable[[int, int], list[Bound]], size: int, effort: int) -> float:
    prove(size, effort)  # compiles, reads
    times = []
    for _ in range(3):
        begin = time.perf_counter()
        prove(size, effort)
        times.append(time.perf_counter() - begin)
    return min(times)


if __name__ == "__main__":
    print(growth_table("a batch on servers of several sizes", batch, {160 * times: times for times in TIMES}))  # noqa: T201
    sizes = {min(jobs, len(philly())): jobs for jobs in PHILLY}
    print("\n" + growth_table("arriving jobs (Philly) on 50x8", arriving, sizes))  # noqa: T201
