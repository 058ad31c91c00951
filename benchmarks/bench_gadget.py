"""How fast GADGET is: whole horizons of the evaluation, single crowded slots, and their growth with size.

    python -m pytest benchmarks/bench_gadget.py --benchmark-only
    python benchmarks/bench_gadget.py            # the growth curve, as a table

Instances are those of the evaluation (100 jobs, 50 servers, 200 slots), several of them side by side for larger sizes,
with the smooth sigmoid, whose gains a program can tell apart, and jobs that never leave.
"""

import math
import time
from functools import cache

import numpy as np
import pytest

from rarlib.cost.utilities import Sigmoid
from rarlib.ilp.gadget.columns import Columns
from rarlib.ilp.gadget.exact import Exact, exact_slot
from rarlib.ilp.gadget.problem import SlotJobs, SlotProblem
from rarlib.model.seeds import stream
from rarlib.model.tree_network import TreeNetwork
from rarlib.papers.gadget.instance import SLOTS, GadgetSettings, Instance, instance
from rarlib.schedulers.gadget_parts.slot import SlotResult, solve_slot

TIMES = (1, 2, 5, 10)


_SETTINGS = {
    "smooth": GadgetSettings(slope=(0.001, 0.01)),
    "batch-smooth": GadgetSettings(arrivals="batch", slope=(0.001, 0.01)),
}


@cache
def side_by_side(times: int, reading: str) -> Instance:
    """The jobs and servers of the first seeds in one cluster."""
    cases = [instance(seed, 100, _SETTINGS[reading]) for seed in range(times)]
    first = np.cumsum([0, *(case.network.racks for case in cases)])

    def joined(of: str, name: str) -> np.ndarray:
        return np.concatenate([getattr(getattr(case, of), name) for case in cases])

    rack = np.concatenate([case.network.rack + first[i] for i, case in enumerate(cases)])
    network = TreeNetwork.build(
        *(joined("network", name) for name in ("capacity", "link_gbps")), rack, joined("network", "rack_gbps")
    )
    utility = Sigmoid(
        *(np.concatenate([getattr(case.jobs.utility, name) for case in cases]) for name in ("scale", "slope", "middle"))
    )
    names = ("demand", "bandwidth", "smallest", "largest", "efficiency", "limit")
    jobs = SlotJobs(*(joined("jobs", name) for name in names), utility)
    return Instance(network, jobs, jobs, np.concatenate([case.arrival for case in cases]))


def horizon(times: int, reading: str, slots: int = SLOTS) -> list[SlotResult]:
    """Alg. 1 over the first slots."""
    case = side_by_side(times, reading)
    done, columns, rng = np.zeros(len(case.jobs)), Columns(case.network), stream(0, "bench", "gadget")
    found = []
    for slot in range(slots):
        active = case.jobs.active(case.arrival <= slot, done)
        if len(active):
            found.append(solve_slot(case.jobs.slot(case.network, active, done), rng, columns=columns))
            done[active] += found[-1].workers.sum(axis=1)
    return found


@cache
def crowded_slot(times: int) -> SlotProblem:
    """The first slot when all jobs are there from the beginning."""
    case = side_by_side(times, "batch-smooth")
    everyone = np.arange(len(case.jobs))
    return case.jobs.slot(case.network, everyone, np.zeros(len(everyone)))


def slot(times: int) -> SlotResult:
    """Alg. 2 without any column to begin with."""
    return solve_slot(crowded_slot(times), stream(0, "bench", "gadget"))


def exact(times: int) -> Exact:
    """The optimum of the same slot."""
    return exact_slot(crowded_slot(times))


@pytest.mark.parametrize("reading", ["smooth", "batch-smooth"])
@pytest.mark.parametrize("times", TIMES)
def test_horizon(benchmark, times, reading):
    """200 slots; all jobs of `batch-smooth` are there from the first one on."""
    benchmark.group = f"{SLOTS} slots, {reading}"
    found = benchmark.pedantic(horizon, (times, reading), rounds=1, warmup_rounds=1 if times == 1 else 0)
    benchmark.extra_info["jobs"] = 100 * times
    benchmark.extra_info["worst gap"] = max(1 - f.augmented_value / f.lp_value for f in found if f.lp_value > 0)


@pytest.mark.parametrize("times", TIMES)
@pytest.mark.parametrize("what", [slot, exact])
def test_slot(benchmark, what, times):
    benchmark.group = f"one slot, {100 * times} jobs on {50 * times} servers"
    benchmark.pedantic(what, (times,), rounds=3, warmup_rounds=1)


def growth() -> list[tuple[str, int, float]]:
    """What, jobs, seconds."""
    rows = []
    for reading in ("smooth", "batch-smooth"):
        horizon(1, reading, 3)  # compile
        for times in TIMES:
            side_by_side(times, reading)
            begin = time.perf_counter()
            horizon(times, reading)
            rows.append((f"{SLOTS} slots, {reading}", 100 * times, time.perf_counter() - begin))
    for what in (slot, exact):
        for times in TIMES:
            crowded_slot(times)
            begin = time.perf_counter()
            what(times)
            rows.append((f"one slot, {what.__name__}", 100 * times, time.perf_counter() - begin))
    return rows


def growth_table() -> str:
    """Seconds by size; the last column is the exponent of the growth from the row above."""
    lines = [f"{'':<28}{'jobs':>6}{'servers':>9}{'seconds':>10}{'exponent':>10}"]
    last: tuple[str, int, float] = ("", 1, 1.0)
    for what, jobs, seconds in growth():
        same = what == last[0]
        exponent = f"{math.log(seconds / last[2]) / math.log(jobs / last[1]):10.2f}" if same else ""
        lines.append(f"{what:<28}{jobs:6}{jobs // 2:9}{seconds:10.2f}{exponent}")
        last = (what, jobs, seconds)
    return "\n".join(lines)


if __name__ == "__main__":
    print(growth_table())  # noqa: T201
