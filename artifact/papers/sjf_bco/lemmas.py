"""Lemmas 2 to 4 and Theorem 5 of SJF-BCO on one instance that is small enough for the optimum, under any reading.

Source: Yu, Ji, Rajan, Liu, MobiHoc 2022, doi 10.1145/3492866.3549716, section 6.

| paper | here | unit |
|---|---|---|
| theta~_u, What_max | `theta` / u, `busiest` / u: the plan's, which is made with estimates rho-hat | slots |
| theta*_u | `least_theta` / u, `feasibility.smallest_theta` | slots |
| n_g | `largest`, max_j G_j | GPUs |
| phi | max_j of longest over shortest rho_j in any schedule | 1 |
| u, l | largest and smallest rho-hat_j / rho_j in any schedule | 1 |

The longest rho_j is bounded by that on any number of servers with as many sharers as fit a server. If that is never
reached, phi and u/l come out too large and the guarantees too weak, so a statement that fails here does fail.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from artifact.papers.sjf_bco.instance import Instance
from rarlib.discovery import make_scheduler
from rarlib.ilp.rar_ddls.exact import least_makespan
from rarlib.ilp.rar_ddls.feasibility import smallest_theta
from rarlib.ilp.rar_ddls.slotted import Slotted, slotted
from rarlib.simulator.engine import simulate


def check_lemmas(case: Instance, params: Mapping[str, Any], effort: float = 60.0) -> dict[str, float]:
    """Which statements hold (1 or 0), and the ratios behind them.

    `case`: the instance; loads of eq. 16 are iterations times `tau_hat`. `params`: a reading of the pseudo-code,
    parameters of `SjfBco`; `tau_hat` is required. `effort`: deterministic time for the optimum, about seconds.

    Returns:
        `lemma2`: What_max = theta~ (limits are whole slots, so less than one below it).
        `lemma3`: T <= n_g What_max with What in units of rho-hat; `lemma3_printed`: of rho-hat/u (eq. 15).
        `lemma4`: theta~ <= phi u/l theta*; `lemma4_tight`: the same for What_max, the tightest limit with that plan.
        `theorem5`: T <= n_g phi u/l T*; nan where the optimum T* is not known well enough to decide.
        `..._ratio`: left side over n_g What_max, theta*, theta* and T*.
        `phi`, `u_over_l`, `guarantee` = n_g phi u/l; `makespan`, `optimum`, `theta`, `busiest`, `least_theta`.
    """
    problem = slotted(case.jobs, case.cluster, case.cost.price(case.jobs, case.cluster))
    planner: Any = make_scheduler("sjf-bco", params)
    makespan = simulate(case.jobs, case.cluster, planner, case.cost, quantum=1.0, whole_slots=True).makespan_s
    theta, busiest = float(planner.last_plan.theta), planner.last_plan.busiest
    tau_hat, largest = float(params["tau_hat"]), max(problem.gang)
    gang, load = np.array(problem.gang, np.int64), np.array(problem.work, np.int64)
    least_theta = float(smallest_theta(gang, load, sum(problem.capacity), tau_hat).theta)
    best = least_makespan(problem, effort)
    shortest = np.array([problem.shortest(j) for j in range(len(gang))])
    longest = np.array([_longest(problem, j) for j in range(len(gang))])
    phi, over, under = (longest / shortest).max(), (load * tau_hat / shortest).max(), (load * tau_hat / longest).min()
    factor = float(phi * over / under)
    return {
        "lemma2": float(-1e-9 <= theta - busiest < 1.0),
        "lemma3": float(makespan <= largest * busiest + 1e-9),
        "lemma3_printed": float(makespan <= largest * busiest / over + 1e-9),
        "lemma4": float(theta <= factor * least_theta + 1e-9),
        "lemma4_tight": float(busiest <= factor * least_theta + 1e-9),
        "theorem5": _holds(makespan / (largest * factor), best.bound, best.schedule.makespan),
        "lemma3_ratio": makespan / (largest * busiest),
        "lemma4_ratio": theta / least_theta,
        "lemma4_tight_ratio": busiest / least_theta,
        "theorem5_ratio": makespan / best.schedule.makespan,
        "phi": float(phi),
        "u_over_l": float(over / under),
        "guarantee": largest * factor,
        "makespan": makespan,
        "optimum": float(best.schedule.makespan),
        "theta": theta,
        "busiest": busiest,
        "least_theta": least_theta,
    }


def _longest(problem: Slotted, job: int) -> float:
    """Slots of a job on the worst number of servers, with as many sharers as there can be."""
    return max(problem.slots(job, servers, problem.rate.shape[2] - 1) for servers in problem.spreads(job))


def _holds(value: float, low: float, high: float) -> float:
    """Whether a value is at most a number that lies between low and high."""
    if value <= low + 1e-9:
        return 1.0
    return 0.0 if value > high + 1e-9 else float("nan")
