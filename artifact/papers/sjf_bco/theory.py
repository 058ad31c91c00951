"""SJF-BCO's guarantees (section 6): on the evaluation's instances, on parts of them, and where they are strongest.

Three kinds of instances. `paper`: 160 jobs on 20 servers, against proven bounds on the optimum. `parts`: a few of their
jobs on small servers, against the true optimum with contention. `tight`: random jobs whose estimates are exact and
which never contend, so that phi = u = l = 1 and the guarantees are as strong as they can be.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from artifact.papers.sjf_bco.instance import Instance, Setup, repeated, small_instance
from artifact.papers.sjf_bco.lemmas import check_lemmas
from rarlib.bounds.lower_bounds import MAKESPAN, MEAN_JCT, largest_bound, lower_bounds
from rarlib.cost.ring import SlottedRingCost
from rarlib.discovery import make_scheduler
from rarlib.model.cluster import Cluster
from rarlib.model.jobs import Jobs
from rarlib.model.seeds import stream
from rarlib.schedulers.shared.planning.batch import estimates
from rarlib.simulator.engine import simulate

SMALL_JOBS = 6
GROWTH = (1, 2, 4)
"""Factors by which instances of the evaluation grow in jobs and servers."""

_STATEMENTS = ("lemma2", "lemma3", "lemma3_printed", "lemma4", "lemma4_tight", "theorem5")
_REFUTED = ("lemma2", "lemma4", "theorem5")
_RATIOS = ("lemma4_ratio", "theorem5_ratio", "guarantee")


def proven(case: Instance, effort: int = 0) -> tuple[float, float]:
    """Proven lower bounds on makespan and average completion, of schedules that never stop a job; NaN: no schedule.

    Effort 0 takes closed forms only; at this scale the linear programs raise the bound on the makespan in few
    instances (see the optimality notebook).
    """
    if case.jobs.gpus.max() > case.cluster.total_gpus:
        return float("nan"), float("nan")
    prices = case.cost.price(case.jobs, case.cluster)
    found = lower_bounds(
        case.jobs, case.cluster, prices, quantum=1.0, whole_slots=True, never_stopped=True, effort=effort
    )
    return largest_bound(found, MAKESPAN).value_s, largest_bound(found, MEAN_JCT).value_s


def check_guarantees(case: Instance, tau_hat: float, theta: float, makespan: float) -> list[tuple[str, float]]:
    """Lemma 4 and Theorem 5 against lower bounds: if they hold against these, they hold against theta* and the optimum.

    rho lies between the duration alone and the one in the worst case of section 5, so phi = max tau^u / tau^l in whole
    slots; u and l are the largest and smallest rho-hat / rho. theta is in units of rho-hat, theta_u = theta / u. No
    theta* is below the mean load of a GPU or the largest rho-hat, and theta*_u is theta* / u: so
    Lemma 4 compares theta with phi u/l theta*, in units of rho-hat on both sides.
    """
    alone, gangs = case.jobs.duration_s, case.jobs.gpus
    prices = case.cost.price(case.jobs, case.cluster)
    _, _, longest = estimates(prices, np.asarray(gangs, np.int64), int(case.cluster.gpus.max()))
    estimate = tau_hat * case.cost.iterations
    least_theta = max(float((gangs * estimate).sum()) / case.cluster.total_gpus, float(estimate.max()))
    bound, _ = proven(case)
    phi = float(np.max(longest / alone))
    u, low = float(np.max(estimate / alone)), float(np.min(estimate / longest))
    return [
        ("lemma4", float(theta <= phi * u / low * least_theta)),
        ("lemma4_ratio", theta / least_theta),
        ("theorem5", float(makespan <= gangs.max() * phi * u / low * bound)),
        ("theorem5_ratio", makespan / bound),
        ("phi", phi),
        ("u", u),
        ("l", low),
    ]


def small_checks(seed: int, setup: Setup, params: dict[str, Any], limit: float) -> Iterator[tuple[str, str, float]]:
    """Kind of instance, metric, value: Lemmas 2 to 4 and Theorem 5 on small instances.

    A statement that the limit leaves undecided is nan.

    `limit`: deterministic time for an optimum, about seconds.
    """
    cases = {"parts": small_instance(seed, setup, SMALL_JOBS), "tight": tight_instance(seed)}
    for kind, case in cases.items():
        found = check_lemmas(case, params, limit)
        for metric in (*_STATEMENTS, *_RATIOS):
            yield kind, metric, found[metric]
        for metric in _REFUTED:
            yield kind, f"{metric}_fails", 1.0 - found[metric]


def tight_instance(seed: int) -> Instance:
    """Random gangs of 1 to n_g in {1, 2, 3} GPUs on two or three servers, for which every estimate is exact.

    Iterations take 0.05 slot, the estimate, wherever a gang sits: no contention, no overhead.
    """
    rng = stream(seed, "sjf-bco", "tight")
    largest = int(rng.integers(1, 4))
    gangs = np.append(rng.integers(1, largest + 1, SMALL_JOBS - 1), largest)
    slots = rng.integers(1, 9, SMALL_JOBS).astype(float)
    servers = rng.integers(1, 4, int(rng.integers(2, 4)))
    servers[0] += max(0, largest - int(servers.sum()))
    jobs = Jobs.build(submit_s=np.zeros(SMALL_JOBS), gpus=gangs, duration_s=slots)
    return Instance(jobs, Cluster.of(servers), SlottedRingCost(20.0 * slots, np.full(SMALL_JOBS, 0.05), 0.0, 0.05))


def growth_of_operations(case: Instance, tau_hat: float, horizon: float) -> list[tuple[str, float]]:
    """Theorem 6 by counting: GPUs and servers examined stay below n_g |J| N log N log T; the ratio does not grow.

    Instances grow by repeating jobs and servers, so load and gangs stay the same.

    `case`: the smallest instance; `tau_hat`: estimated time of an iteration, slots; `horizon`: T, slots.
    """
    ratios = []
    for times in GROWTH:
        grown = repeated(case, times)
        planner: Any = make_scheduler("sjf-bco", {"tau_hat": tau_hat, "horizon": horizon})
        simulate(grown.jobs, grown.cluster, planner, grown.cost, quantum=1.0, whole_slots=True)
        looked = float(planner.last_plan.looked)
        gpus, largest = grown.cluster.total_gpus, int(grown.jobs.gpus.max())
        ratios.append(looked / (largest * len(grown.jobs) * gpus * np.log2(gpus) * np.log2(horizon)))
    rows = [(f"theorem6_ratio_{times}", r) for times, r in zip(GROWTH, ratios, strict=True)]
    return [*rows, ("theorem6", float(max(ratios) <= 1.0 and ratios[-1] <= ratios[0]))]
