"""The CP-SAT models of RAR-DDLS hold exactly the schedules that eq. 1-9 allow, checked one schedule at a time."""

from itertools import product

import numpy as np
import pytest

from rarlib.ilp.rar_ddls.gangs import GangModel
from rarlib.ilp.rar_ddls.intervals import add_contention
from rarlib.ilp.rar_ddls.slotted import Slotted, rates

cp_model = pytest.importorskip("ortools.sat.python.cp_model")

HORIZON = 4


def problem_of(seed):
    """Two gangs, mostly equal and spanning, on two or three servers; sharing a server slows or stops them."""
    rng = np.random.default_rng(seed)
    capacity = ((2, 2), (2, 2, 2), (3, 3), (3, 2, 1))[seed % 4]
    gang = rng.integers(2, 4, 2)
    work = rng.integers(2, 7, 2)
    if seed % 3 == 0:
        gang[1], work[1] = gang[0], work[0]
    rate = np.zeros((2, len(capacity) + 1, 3), np.int64)
    rate[:, 1] = rng.integers(2, 5, (2, 1))
    slow = rng.integers(2, 4, (2, len(capacity) - 1))
    rate[:, 2:, :2], rate[:, 2:, 2] = slow[..., None], slow - rng.integers(0, 3, slow.shape).clip(max=slow)
    if seed % 3 == 0:
        rate[1] = rate[0]
    return Slotted(tuple(gang.tolist()), tuple(work.tolist()), capacity, rate)


def placements(problem, job):
    counts = product(*(range(size + 1) for size in problem.capacity))
    return [each for each in counts if sum(each) == problem.gang[job]]


def allowed(problem, starts, ends, where, contended):
    """Gangs hold their GPUs from start to end, in which they can do their work; equal jobs and servers are in order."""
    done = [0, 0]
    for t in range(HORIZON):
        active = [j for j in (0, 1) if starts[j] <= t < ends[j]]
        if any(sum(where[j][s] for j in active) > size for s, size in enumerate(problem.capacity)):
            return False
        for j, rate in zip(active, rates(problem, active, where), strict=True):
            spread = sum(count > 0 for count in where[j])
            done[j] += rate if contended and spread > 1 else int(problem.rate[j, spread, 1])
    if any(d < f for d, f in zip(done, problem.work, strict=True)):
        return False
    if problem.kind(0) == problem.kind(1) and starts[0] > starts[1]:
        return False
    totals = [(size, where[0][s] + where[1][s]) for s, size in enumerate(problem.capacity)]
    return all(a[1] >= b[1] for i, a in enumerate(totals) for b in totals[i + 1 :] if a[0] == b[0])


def status(model, starts, ends, where, makespan):
    """Whether the model has a solution with these starts, ends, placements and makespan."""
    fixed = model.model.clone()
    chosen = [*zip(model.start, starts, strict=True), *zip(model.end, ends, strict=True), (model.makespan, makespan)]
    chosen += [pair for j in (0, 1) for pair in zip(model.gpus[j], where[j], strict=True)]
    for variable, value in chosen:
        fixed.add(fixed.get_int_var_from_proto_index(variable.index) == int(value))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    return solver.solve(fixed) in (cp_model.OPTIMAL, cp_model.FEASIBLE)


@pytest.mark.parametrize("contended", [False, True])
def test_the_models_hold_all_schedules_that_are_allowed_and_no_others(contended):
    """Every start, end and placement of two gangs; the makespan may be any from the last end on."""
    found, decided, rng = {True: 0, False: 0}, 0, np.random.default_rng(1)
    runs = [(a, b) for a in range(HORIZON) for b in range(a + 1, HORIZON + 1)]
    for seed in range(8):
        problem = problem_of(seed)
        if any(not placements(problem, j) or problem.shortest(j) == float("inf") for j in (0, 1)):
            continue
        model = GangModel(problem, HORIZON)
        if contended:
            add_contention(model)
        every = list(product(runs, runs, placements(problem, 0), placements(problem, 1)))
        plain = [allowed(problem, (a[0], b[0]), (a[1], b[1]), (p, q), contended) for a, b, p, q in every]
        free = [allowed(problem, (a[0], b[0]), (a[1], b[1]), (p, q), False) for a, b, p, q in every]
        yes, no = np.flatnonzero(plain), np.flatnonzero(~np.array(plain))
        only = np.flatnonzero(np.array(free) & ~np.array(plain))
        decided += len(only)
        for at in [*rng.permutation(yes)[:15], *rng.permutation(no)[:10], *rng.permutation(only)[:10]]:
            a, b, *where = every[at]
            last = max(a[1], b[1])
            for makespan in {last, HORIZON}:
                assert status(model, (a[0], b[0]), (a[1], b[1]), where, makespan) == plain[at], (seed, every[at])
            assert not status(model, (a[0], b[0]), (a[1], b[1]), where, last - 1)
            found[plain[at]] += 1
    assert min(found.values()) > 60
    assert (decided > 60) == contended
