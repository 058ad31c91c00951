"""The smallest limit of eq. 11-16: against trying every assignment, a second solver, hand-solved cases, paper scale."""

from itertools import combinations, product
from math import ceil

import numpy as np
import pytest
from scipy.optimize import linprog

from artifact.papers.sjf_bco.instance import instance
from rarlib.ilp.rar_ddls import brute_force
from rarlib.ilp.rar_ddls.feasibility import smallest_theta
from rarlib.ilp.rar_ddls.patterns import Patterns
from rarlib.model.errors import InputError
from rarlib.model.seeds import stream
from tests.artifact.papers.sjf_bco.setups import SETUPS
from tests.rarlib.ilp.cases import KINDS, case


def _small(seed):
    rng = stream(seed, "test-theta")
    gpus, jobs = int(rng.integers(2, 5)), int(rng.integers(2, 6))
    return rng.integers(1, gpus + 1, jobs), rng.integers(1, 13, jobs), gpus


def _by_trying_everything(gang, load, gpus):
    """Least load of the busiest GPU over every choice of GPUs for every gang."""
    best = int(load.sum())
    for chosen in product(*(list(combinations(range(gpus), int(g))) for g in gang)):
        busy = np.zeros(gpus, int)
        for job, workers in enumerate(chosen):
            busy[list(workers)] += load[job]
        best = min(best, int(busy.max()))
    return best


def _check(found, gang, load, gpus, unit=1.0):
    """Every gang whole, on distinct GPUs, no GPU above the limit."""
    assert len(found.served) <= gpus
    assert max(sum(load[j] for j in jobs) for jobs in found.served) * unit <= found.theta + 1e-9
    assert all(len(set(jobs)) == len(jobs) for jobs in found.served)
    assert np.bincount([j for jobs in found.served for j in jobs], minlength=len(gang)).tolist() == gang.tolist()


def test_smallest_theta_against_trying_everything():
    """Proven and right on every one of 150 instances, with loads in slots and in fractions of a slot."""
    for seed in range(150):
        gang, load, gpus = _small(seed)
        least = _by_trying_everything(gang, load, gpus)
        for unit in (1.0, 0.3):
            found = smallest_theta(gang, load, gpus, unit)
            assert (found.theta, found.bound, found.status) == (*[ceil(least * unit - 1e-9)] * 2, "optimal"), seed
            _check(found, gang, load, gpus, unit)


def test_relaxation_against_all_patterns_at_once():
    """Column generation decides on both sides of the value of a second solver that is given every pattern."""
    for seed in range(60):
        gang, load, _ = _small(seed)
        room = int(load.max() + stream(seed, "test-room").integers(0, 10))
        sets = [s for k in range(1, len(load) + 1) for s in combinations(range(len(load)), k)]
        sets = [s for s in sets if load[list(s)].sum() <= room]
        holds = np.array([[float(j in s) for s in sets] for j in range(len(load))])
        all_at_once = linprog(np.ones(len(sets)), A_ub=-holds, b_ub=-gang.astype(float)).fun
        for how in (False, True):
            above, below = (Patterns(gang, load, room).cover(all_at_once + by, 1000, how) for by in (1e-6, -1e-6))
            assert above.enough and above.bound <= all_at_once + 1e-9  # a bound at any stop
            assert not below.enough and all_at_once - 1e-6 < below.bound <= all_at_once + 1e-9


def test_gpus_are_not_fractions_of_a_server():
    """Three jobs of 1 GPU and 1 slot on 2 GPUs: 1.5 slots per GPU, yet two share one."""
    assert smallest_theta(np.array([1, 1, 1]), np.array([1, 1, 1]), 2).theta == 2


def test_a_gang_takes_distinct_gpus():
    """Gangs of 2 on 3 GPUs, 3 of them, 1 slot each: 6 workers on 3 GPUs; a gang of 3 more fills every GPU once more."""
    assert smallest_theta(np.array([2, 2, 2]), np.array([1, 1, 1]), 3).theta == 2
    assert smallest_theta(np.array([2, 2, 2, 3]), np.array([1, 1, 1, 5]), 3).theta == 7


def test_relaxation_that_is_not_whole():
    """5 loads of 3 and room for 2.5 of them: every GPU serves 2, so 2 GPUs need room 9 though 5 x 3 / 2 = 7.5."""
    assert smallest_theta(np.ones(5, int), np.full(5, 3), 2).theta == 9


@pytest.mark.parametrize("kind", list(KINDS))
def test_loads_of_shortest_times_bound_the_makespan(kind):
    """A job keeps its GPUs to its end, so what a GPU serves ends by the makespan."""
    for seed in range(20):
        p = case(kind, seed, 5).problem
        shortest = np.array([int(p.shortest(j)) for j in range(5)])
        bound = smallest_theta(np.array(p.gang), shortest, sum(p.capacity)).bound
        assert bound <= brute_force.least_makespan(p).makespan


@pytest.mark.parametrize("setup", ["P200", "PNAT"])
def test_at_the_size_of_the_evaluation(setup):
    """160 jobs on 20 servers: proven to within a slot, above the area bound, and the same every time."""
    c = instance(0, 20, SETUPS[setup])
    gang, load, gpus = c.jobs.gpus, c.cost.iterations.astype(np.int64), c.cluster.total_gpus
    found = smallest_theta(gang, load, gpus, 0.05)
    _check(found, gang, load, gpus, 0.05)
    assert ceil(int(gang @ load) * 0.05 / gpus) <= found.bound <= found.theta <= found.bound + 1
    if setup == "PNAT":
        assert found == smallest_theta(gang, load, gpus, 0.05)


def test_a_limit_of_effort_is_told():
    """Two rounds prove little: the bound stays below the optimum and the result says so."""
    c = instance(1, 20, SETUPS["PNAT"])
    gang, load, gpus = c.jobs.gpus, c.cost.iterations.astype(np.int64), c.cluster.total_gpus
    some, full = (smallest_theta(gang, load, gpus, 0.05, rounds=rounds) for rounds in (2, 4000))
    assert (some.status, full.status) == ("limit", "optimal")
    assert some.bound <= full.theta <= some.theta
    _check(some, gang, load, gpus, 0.05)


def test_impossible_inputs():
    with pytest.raises(InputError, match="3 GPUs on a cluster of 2"):
        smallest_theta(np.array([3]), np.array([1]), 2)
    with pytest.raises(InputError, match="at least one unit"):
        smallest_theta(np.array([1]), np.array([0]), 2)
