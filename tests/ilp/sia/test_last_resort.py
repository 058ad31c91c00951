"""Sia's decision by CP-SAT: what the solver is given, and what is made of its answer, whatever it is."""

from math import ceil

import numpy as np
import pytest

from rarlib.ilp.sia import decide
from rarlib.ilp.sia import exact as module
from rarlib.ilp.sia.decide import _Round
from rarlib.ilp.sia.exact import _Exact, exact
from rarlib.ilp.sia.labels import MOST_LABELS, Labels
from rarlib.ilp.sia.problem import SCALE
from tests.ilp.sia.cases import best_by_trying, small

LABELS = Labels.empty()


def solver_that(status, known=0.0, says=None):
    """A solver that ends with this status and this bound; a variable is true if it is hinted at, or as `says` lists."""

    class Solver:
        """Notes its parameters and its model."""

        told: list[tuple[int, int, float]] = []  # noqa: RUF012
        hint: dict[int, int] = {}  # noqa: RUF012
        best_objective_bound = known

        def __init__(self):
            self.parameters = type("Parameters", (), {})()

        def solve(self, model):
            p, hint = self.parameters, model.proto.solution_hint
            Solver.told.append((p.num_workers, p.random_seed, p.max_deterministic_time))
            Solver.hint = dict(zip(hint.vars, hint.values, strict=True))
            return status

        def boolean_value(self, variable):
            return bool(Solver.hint[variable.index] if says is None else says[variable.index])

        def status_name(self, status):
            return "ended"

    return Solver


def literals(problem, column):
    """Whether each variable holds in a decision: choices that fit into their type, job by job, then jobs left out."""
    rows = [
        (job, at)
        for job in range(len(problem.skip))
        for at in range(len(problem.kind))
        if 0 < problem.gpus[job, at] <= problem.capacity[problem.kind[at]]
    ]
    return [int(column[job] == at) for job, at in rows] + [int(at < 0) for at in column]


def test_the_solver_begins_at_the_decision_given(monkeypatch):
    """Every variable has its value there; one worker, one seed, the effort asked for; without one, no hints."""
    for seed in range(40):
        problem = small(seed)
        column, weight = best_by_trying(problem)
        watched = solver_that(module.cp_model.OPTIMAL)
        monkeypatch.setattr(module.cp_model, "CpSolver", watched)
        found = exact(problem, hint=column, effort=1.5)
        assert watched.told == [(1, 0, 1.5)]
        assert watched.hint == dict(enumerate(literals(problem, column)))
        assert found.column.tolist() == column.tolist()
        assert (found.value, found.bound, found.settled) == (weight // SCALE, weight // SCALE, True)
        plain = solver_that(module.cp_model.OPTIMAL, says=literals(problem, column))
        monkeypatch.setattr(module.cp_model, "CpSolver", plain)
        assert exact(problem).column.tolist() == column.tolist()
        assert plain.hint == {}
        assert plain.told == [(1, 0, 10.0)]


@pytest.mark.parametrize("solved", [True, False])
def test_what_a_stopped_solver_proves(monkeypatch, solved):
    """Costs are whole: its bound on weights, less one for every running job, rounded up, and never above the value."""
    status = module.cp_model.FEASIBLE if solved else module.cp_model.UNKNOWN
    below = 0
    for seed in range(40):
        problem = small(seed)
        column, weight = best_by_trying(problem)
        idle = np.full(len(column), -1)
        running = sum(int(each) >= 0 for each in problem.current)
        for known in (0.5 * weight, weight - 1.0, 3.0 * weight, float(running), running + 0.5 * SCALE):
            given = solver_that(status, known, literals(problem, column))
            monkeypatch.setattr(module.cp_model, "CpSolver", given)
            found = exact(problem, hint=idle, effort=0.1)
            kept = column if solved else idle
            value = problem.value(kept)
            assert found.column.tolist() == kept.tolist()
            assert not found.settled and found.value == value
            assert found.bound == min(value, ceil((known - running) / SCALE - 1e-6))
            below += found.bound < value
        if not solved:
            with pytest.raises(ArithmeticError, match="CP-SAT ended with ended"):
                exact(problem)
    assert below > 40


def test_the_last_resort_knows_the_prices_too(monkeypatch):
    """The larger one of both bounds, but none above the value; it is not said to settle ties."""
    sides = set()
    for seed in range(25):
        problem = small(seed)
        of = _Round(problem, LABELS, MOST_LABELS)
        column, _ = best_by_trying(problem)
        value = problem.value(column)
        for name in ("_grow", "_improve", "_count"):
            monkeypatch.setattr(of, name, lambda *_: None)
        for known in (value, value - 7, 0):
            asked = []

            def given(problem, *, effort, known=known, asked=asked, column=column, value=value):
                asked.append(effort)
                return _Exact(column, value, known, known == value)

            monkeypatch.setattr(decide, "exact", given)
            found = of.decide(0.3)
            assert asked == [0.3]
            assert (found.column.tolist(), found.value, found.method) == (column.tolist(), value, "exact")
            assert found.bound == max(known, min(value, of._bound())) <= value
            assert not found.settled
            assert found.relaxed == of.dual.bound[0] / SCALE
            sides.add(bool(known < of._bound()))
    assert len(sides) == 2
