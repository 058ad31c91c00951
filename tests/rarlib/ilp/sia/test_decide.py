"""Sia's decisions: against all there are, against CP-SAT, against the linear relaxation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.sparse import csr_matrix

from rarlib.ilp.programs import Program, linear_optimum
from rarlib.ilp.sia.counts import best_counts, classes_of
from rarlib.ilp.sia.decide import GAP, Decider
from rarlib.ilp.sia.exact import exact
from rarlib.ilp.sia.lagrangian import PRECISION, bound_at, dual
from rarlib.ilp.sia.problem import MUST_RUN, SCALE, Choices, RoundProblem, choices
from rarlib.ilp.sia.repair import repaired
from rarlib.model.seeds import stream
from tests.rarlib.ilp.sia.cases import best_by_trying, round_like, small

DECIDER = Decider()


def changed(problem: RoundProblem, column: np.ndarray) -> int:
    """Running jobs that would get something else than they hold."""
    return int(np.count_nonzero((problem.current >= 0) & (column != problem.current)))


@given(st.integers(0, 10**6))
def test_best_of_all_decisions_ties_included(seed: int) -> None:
    problem = small(seed)
    column, weight = best_by_trying(problem)
    found = DECIDER.decide(problem)
    assert found.column.tolist() == column.tolist()
    assert found.value == found.bound == weight // SCALE
    assert found.settled and found.gap == 0.0
    assert changed(problem, found.column) == weight % SCALE


@given(st.integers(0, 10**6), st.sampled_from(["cost", "gpus", "capacity", "skip", "current"]))
def test_a_round_that_differs_in_one_number_is_decided_anew(seed: int, name: str) -> None:
    """A decider remembers the last round: it must not take another one for it."""
    problem, decider = small(seed), Decider()
    first = decider.decide(problem)
    assert decider.decide(problem._replace(cost=problem.cost.copy())).column.tolist() == first.column.tolist()
    numbers = getattr(problem, name).copy()
    numbers.flat[seed % numbers.size] = -1 if name == "current" else numbers.flat[seed % numbers.size] + 1
    other = problem._replace(**{name: numbers})
    fresh, found = Decider().decide(other), decider.decide(other)
    assert found.column.tolist() == fresh.column.tolist()
    assert (found.value, found.bound) == (fresh.value, fresh.bound)


@given(st.integers(0, 10**6))
def test_jobs_that_must_keep_their_gpus_do(seed: int) -> None:
    problem = small(seed)
    free = DECIDER.decide(problem)
    job = seed % len(problem.skip)
    column = int(free.column[job])
    if column < 0:
        return
    gpus = problem.gpus.copy()
    gpus[job, np.arange(gpus.shape[1]) != column] = 0
    skip = problem.skip.copy()
    skip[job] = MUST_RUN
    assert DECIDER.decide(problem._replace(gpus=gpus, skip=skip)).column[job] == column


def test_jobs_that_must_run_but_do_not_fit() -> None:
    problem = RoundProblem(
        cost=np.array([[50], [50]]),
        gpus=np.array([[2], [2]]),
        kind=np.array([0]),
        capacity=np.array([3]),
        skip=np.array([MUST_RUN, MUST_RUN]),
        current=np.array([0, 0]),
    )
    with pytest.raises(ArithmeticError, match="do not fit"):
        DECIDER.decide(problem)
    with pytest.raises(ArithmeticError, match="no choice"):
        DECIDER.decide(problem._replace(gpus=np.array([[2], [4]])))
    with pytest.raises(ArithmeticError, match="INFEASIBLE"):
        exact(problem)


@pytest.mark.parametrize("jobs", [5, 20, 45, 70])
def test_same_optimum_as_cp_sat(jobs: int) -> None:
    """64 GPUs of three types: values, changes and bounds agree, whatever was decided before."""
    for seed in range(4):
        problem = round_like(seed, jobs)
        found, reference = DECIDER.decide(problem), exact(problem)
        assert reference.settled
        assert (found.value, changed(problem, found.column)) == (reference.value, changed(problem, reference.column))
        assert found.bound == found.value and found.method == "search"
        assert (problem.used(found.column) <= problem.capacity).all()
        assert Decider().decide(problem).column.tolist() == found.column.tolist()


@pytest.mark.parametrize("nodes", [(16,), (6, 3), (6, 3, 2), (48, 24, 16)])
def test_dual_is_the_linear_relaxation(nodes: tuple[int, ...]) -> None:
    """GLOP's optimum of the relaxation, with the weights of changes, is what the prices prove up to their precision."""
    for seed, jobs in ((0, 12), (1, 40), (2, 90)):
        problem = round_like(seed, jobs, nodes, room=(4, 8, 8)[: len(nodes)])
        job, column = np.nonzero(problem.gpus)
        runs = problem.current[job] >= 0
        weight = problem.cost[job, column] + (runs & (problem.current[job] != column)) / SCALE
        idle = problem.skip + (problem.current >= 0) / SCALE
        rows = np.concatenate([job, jobs + problem.kind[column]])
        entries = np.concatenate([np.ones(len(job)), problem.gpus[job, column]])
        matrix = csr_matrix((entries, (rows, np.tile(np.arange(len(job)), 2))))
        most = np.concatenate([np.ones(jobs), problem.capacity])
        program = Program(idle[job] - weight, matrix, np.full(len(most), -np.inf), most, np.ones(len(job)))
        relaxed = idle.sum() - linear_optimum(program).value
        bound = dual(choices(problem), problem.capacity).bound[0] / SCALE
        assert relaxed - PRECISION / SCALE - 1e-6 <= bound <= relaxed + 1e-6


@pytest.mark.parametrize("clones", [0.0, 0.9])
def test_large_rounds_fit_and_are_near_their_bound(clones: float) -> None:
    """512 GPUs: bounds hold against what CP-SAT finds, too."""
    problem = round_like(1, 160, (48, 24, 16), clones=clones)
    found = DECIDER.decide(problem, effort=0.2)
    assert (problem.used(found.column) <= problem.capacity).all()
    assert problem.value(found.column) == found.value
    assert found.bound <= exact(problem, effort=1.0).value
    assert found.gap <= GAP or found.method == "exact"


def test_without_room_and_effort_repair_and_the_program_of_single_jobs_decide() -> None:
    """No label and no time for counts: still a decision that fits, with a bound that holds."""
    for seed in range(4):
        problem = round_like(seed, 40)
        best, found = DECIDER.decide(problem), Decider(most=1).decide(problem, effort=1e-6)
        assert found.method in ("repair", "counts")
        assert found.bound <= best.value <= found.value == problem.value(found.column)
        assert (problem.used(found.column) <= problem.capacity).all()


def test_counts_of_alike_jobs_are_the_optimum_and_few() -> None:
    """Five jobs, each four times: five classes, and the same optimum as with one variable per job and choice."""
    few = round_like(3, 5)._replace(current=np.full(5, -1))
    per_job = {name: np.repeat(getattr(few, name), 4, axis=0) for name in ("cost", "gpus", "skip", "current")}
    problem = few._replace(**per_job)
    c = choices(problem)
    groups = classes_of(c, np.ones(int(c.first[-1]), np.bool_))
    assert groups.jobs.tolist() == [4] * 5
    slack, allowed = dual(c, problem.capacity).slack, float(MUST_RUN * SCALE)
    answer, solved = best_counts(c, groups, problem.capacity, slack, allowed, 10.0)
    assert solved and answer is not None
    column = c.column[answer]
    reference = exact(problem)
    assert reference.settled and problem.value(column) == reference.value
    assert (problem.used(column) <= problem.capacity).all()
    for first in range(0, 20, 4):
        assert (np.diff(answer[first : first + 4] - c.first[first : first + 4]) >= 0).all()


@given(st.integers(0, 10**6))
def test_repair_fits_and_no_single_move_helps(seed: int) -> None:
    problem = round_like(seed, 30)
    c = choices(problem)
    prices = dual(c, problem.capacity)
    answer = repaired(c, problem.capacity, prices)
    assert answer is not None
    left = problem.capacity - problem.used(c.column[answer])
    assert (left >= 0).all()
    assert (prices.slack >= 0.0).all()
    for job, now in enumerate(answer.tolist()):
        for at in range(int(c.first[job]), int(c.first[job + 1])):
            room = left[c.kind[at]] + (c.size[now] if c.kind[now] == c.kind[at] else 0)
            assert c.size[at] > room or c.weight[at] >= c.weight[now]


def relaxed(c: Choices, capacity: np.ndarray) -> float:
    """Least weight of fractions of choices, in hundredths."""
    used = int(c.first[-1])
    job = np.repeat(np.arange(len(c.first) - 1), np.diff(c.first))
    one = np.equal.outer(np.arange(len(c.first) - 1), job).astype(float)
    takes = np.equal.outer(np.arange(len(capacity)), c.kind[:used]) * c.size[:used]
    weight = c.weight[:used] / SCALE
    return float(linprog(weight, takes, capacity, one, np.ones(len(one))).fun)


@given(st.integers(0, 10**6))
def test_any_prices_bound_every_decision(seed: int) -> None:
    """And the excess demand is a slope: no other prices prove more than along it."""
    problem, rng = small(seed), stream(seed, "prices")
    c, types = choices(problem), len(problem.capacity)
    _, weight = best_by_trying(problem)
    one, other = rng.integers(0, 60 * SCALE, (2, types)).astype(float)
    slope, ignored = np.zeros(types), np.zeros(types)
    value, elsewhere = bound_at(c, problem.capacity, one, slope), bound_at(c, problem.capacity, other, ignored)
    assert max(value, elsewhere) <= weight
    assert elsewhere <= value + slope @ (other - one) + 1e-3
