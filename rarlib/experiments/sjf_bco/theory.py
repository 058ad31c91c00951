"""SJF-BCO's guarantees on instances small enough for the optimum, and its operations as instances grow."""

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarlib.cost.ring import SlottedRingCost
from rarlib.experiments.discovery import make_scheduler
from rarlib.experiments.sjf_bco.instance import Instance, instance
from rarlib.model.cluster import Cluster
from rarlib.model.seeds import stream
from rarlib.simulator.engine import simulate

SMALL_JOBS = 6
SIZES = (1, 2, 4)
"""Growing instances: times 160 jobs and 20 servers."""


def optimum(gangs: NDArray[np.int64], durations: NDArray[np.float64], gpus: int) -> float:
    """Least makespan of rigid gangs on interchangeable GPUs without contention, by trying every order.

    Placing jobs in the order of their starts in an optimal schedule, each on the GPUs that are free first, starts none
    of them later; so some order attains the optimum. With contention it is a lower bound.
    """
    left = Counter(zip(gangs.tolist(), durations.tolist(), strict=True))
    return _best(left, [0.0] * gpus, 0.0, float("inf"))


def _best(left: Counter[tuple[int, float]], free_at: list[float], makespan: float, best: float) -> float:
    if makespan >= best:
        return best
    if not left:
        return makespan
    for gang, duration in list(left):
        end = free_at[gang - 1] + duration
        left[gang, duration] -= 1
        rest = +left
        best = _best(rest, sorted([end] * gang + free_at[gang:]), max(makespan, end), best)
        left[gang, duration] += 1
    return best


def small_instances(seed: int, setup: str) -> list[tuple[str, float]]:
    """Theorem 5 on a part of the instance: some of its jobs on two or three small servers, against the optimum."""
    rng = stream(seed, "sjf-bco", "small")
    sizes = rng.choice([4, 8], int(rng.integers(2, 4)))
    whole = instance(seed, 20, setup)
    fits = np.flatnonzero(whole.jobs.gpus <= sizes.sum())
    case = part(whole, np.sort(rng.choice(fits, SMALL_JOBS, replace=False)), Cluster.of(sizes))
    best = optimum(case.jobs.gpus, case.jobs.duration_s, case.cluster.total_gpus)
    makespan, _ = _run(case)
    ratio = makespan / best
    return [("small_ratio", ratio), ("small_theorem5", float(ratio <= case.jobs.gpus.max()))]


def part(case: Instance, rows: NDArray[np.int64], cluster: Cluster) -> Instance:
    """Some jobs of an instance on another cluster."""
    cost = case.cost
    cap = np.broadcast_to(cost.cap, cost.tau0.shape)[rows]
    return Instance(
        case.jobs.take(rows), cluster, replace(cost, iterations=cost.iterations[rows], tau0=cost.tau0[rows], cap=cap)
    )


def growth_of_operations(seed: int, setup: str) -> list[tuple[str, float]]:
    """Theorem 6 by counting: GPUs and servers looked at stay below n_g |J| N log N log T; the ratio does not grow.

    Instances grow by repeating jobs and servers, so that load and gangs stay as they are.
    """
    ratios = []
    for times in SIZES:
        case = repeated(instance(seed, 20, setup), times)
        horizon = 1200
        _, looked = _run(case, horizon)
        gpus, largest = case.cluster.total_gpus, int(case.jobs.gpus.max())
        ratios.append(looked / (largest * len(case.jobs) * gpus * np.log2(gpus) * np.log2(horizon)))
    rows = [(f"theorem6_ratio_{times}", r) for times, r in zip(SIZES, ratios, strict=True)]
    return [*rows, ("theorem6", float(max(ratios) <= 1.0 and ratios[-1] <= ratios[0]))]


def repeated(case: Instance, times: int) -> Instance:
    """An instance with all jobs and servers `times` times: larger, with the same load and gangs."""
    rows = np.tile(np.arange(len(case.jobs)), times)
    jobs, cost = case.jobs, case.cost
    names = {name: getattr(jobs, name)[rows] for name in ("submit_s", "gpus", "duration_s")}
    cap = np.broadcast_to(cost.cap, cost.tau0.shape)[rows]
    grown = SlottedRingCost(cost.iterations[rows], cost.tau0[rows], cost.extra, cap, cost.alpha, cost.xi)
    return Instance(type(jobs).build(**names), Cluster.of(np.tile(case.cluster.gpus, times)), grown)


def _run(case: Instance, horizon: float | None = None) -> tuple[float, float]:
    """Makespan, and operations of the search."""
    planner: Any = make_scheduler("sjf-bco", {"tau_hat": 0.05, "horizon": horizon})
    run = simulate(case.jobs, case.cluster, planner, case.cost, quantum=1.0, whole_slots=True)
    return run.makespan_s, float(planner.last_plan.looked)
