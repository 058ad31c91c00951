"""GADGET's competitive ratios on instances that are small enough to try every allocation.

Theorems 6 and 10 and Lemma 7 compare with an optimum, and Theorems 6 and 10 need a concave utility (Lemma 5), which the
sigmoid of the evaluation is not. So they are checked on small networks with square roots. The optima need no solver:
the feasible allocations of a slot are found by trying all placements, the best horizon by trying all sequences.
"""

from itertools import product

import numpy as np
from numpy.typing import NDArray

from artifact.papers.gadget.instance import Instance
from artifact.papers.gadget.slots import run_horizon
from rarlib.cost.utilities import SquareRoot
from rarlib.ilp.gadget.problem import SlotJobs
from rarlib.model.seeds import stream
from rarlib.model.tree_network import TreeNetwork
from rarlib.schedulers.gadget import Gadget
from rarlib.schedulers.gadget_parts.stated import Solved, Stated

_JOBS, _SLOTS, _SERVERS, _LIMIT = 3, 4, 3, 3
_TINY = 1e-9


def small_case(seed: int) -> Instance:
    """Three jobs on three servers of one or two GPUs, in one or two racks, with links too narrow for some rings."""
    rng = stream(seed, "gadget", "small")
    network = TreeNetwork.build(
        rng.integers(1, 3, _SERVERS), rng.uniform(2, 6, _SERVERS), rng.integers(0, 2, _SERVERS), rng.uniform(2, 6, 2)
    )
    jobs = SlotJobs.build(
        utility=SquareRoot(rng.integers(1, 10, _JOBS)),
        largest=rng.integers(1, _LIMIT + 1, _JOBS),
        bandwidth=rng.uniform(1, 5, _JOBS),
        efficiency=rng.integers(1, 5, _JOBS),
        budget=rng.integers(4, 13, _JOBS),
        budget_counts="worker-slots",
    )
    return Instance(network, jobs, jobs, np.sort(rng.integers(0, 2, _JOBS)))


def feasible_counts(case: Instance) -> NDArray[np.int64]:
    """All combinations of workers by job that one slot can place when all jobs are active; shape (n, jobs)."""
    problem = case.jobs.slot(case.network, np.arange(len(case.jobs)), np.zeros(len(case.jobs)))
    options = [
        [place for place in product(range(most + 1), repeat=case.network.servers) if sum(place) <= most]
        for most in problem.largest
    ]
    found: set[tuple[int, ...]] = set()
    for places in product(*options):
        counts = tuple(sum(place) for place in places)
        if counts not in found and not problem.broken(np.array(places, dtype=np.int64)):
            found.add(counts)
    return np.array(sorted(found), dtype=np.int64)


def best_horizon(case: Instance, counts: NDArray[np.int64]) -> float:
    """Largest total utility after `_SLOTS` slots with known arrivals, over all sequences of allocations."""
    reached = np.zeros((1, len(case.jobs)))
    for slot in range(_SLOTS):
        present = case.arrival <= slot
        options = counts[~counts[:, ~present].any(axis=1)]
        ends = (reached[:, None, :] + options[None]).reshape(-1, len(case.jobs))
        reached = np.unique(np.minimum(ends, case.jobs.limit), axis=0)
    return max(float(case.jobs.value(done).sum()) for done in reached)


def greedy_horizon(case: Instance, counts: NDArray[np.int64]) -> float:
    """Total utility of Alg. 1 when every slot is solved to optimality: alpha = 1 in Theorem 6."""
    jobs = case.jobs
    done = np.zeros(len(jobs))
    for slot in range(_SLOTS):
        options = counts[~counts[:, case.arrival > slot].any(axis=1)]
        ends = np.minimum(done + options, jobs.limit)
        done = ends[np.argmax([jobs.value(end).sum() for end in ends])]
    return float(jobs.value(done).sum())


def competitive(seed: int) -> list[tuple[str, float, str]]:
    """Theorems 6 and 10 and Lemma 7 on a small instance: the fraction of the optimum reached, and whether it suffices.

    Lemma 7 is checked for the best allocation with the ring sizes chosen, not only for its relaxation.
    """
    case = small_case(seed)
    counts = feasible_counts(case)
    best = best_horizon(case, counts)
    stated = Stated(case.jobs, stream(seed, "gadget", "small-rounding"))
    reached = float(run_horizon(case, case.jobs, Gadget(slot_s=1.0, stated=stated), _SLOTS).utility.sum())
    largest = max(int(s.result.ceiling.max()) for s in stated.solved)
    kept = [(_with_sizes(s, counts), int(s.result.ceiling.max())) for s in stated.solved]
    greedy = greedy_horizon(case, counts)
    return [
        ("theorem6_ratio", greedy / best, "1"),
        ("theorem6", float(greedy >= best / 2 - _TINY), "1"),
        ("theorem10_ratio", reached / best, "1"),
        ("theorem10", float(reached >= best / (3 * largest + 1) - _TINY), "1"),
        ("lemma7_ratio", min(share for share, _ in kept), "1"),
        ("lemma7", float(all(share >= 1 / gamma - _TINY for share, gamma in kept)), "1"),
        ("gamma", float(largest), "workers"),
    ]


def _with_sizes(solved: Solved, counts: NDArray[np.int64]) -> float:
    """Best gain of a slot in which each job has the ring size chosen by Alg. 2 or none, over the best gain."""
    problem, sizes = solved.problem, solved.result.sizes
    absent = np.setdiff1d(np.arange(counts.shape[1]), problem.job)
    options = counts[~counts[:, absent].any(axis=1)][:, problem.job]
    options = options[(options <= problem.largest).all(axis=1)]
    gains = problem.gain[np.arange(len(problem)), options].sum(axis=1)
    return float(gains[((options == sizes) | (options == 0)).all(axis=1)].max() / gains.max())
