"""The choices of jobs by their definition, and the program of counts: its limits, and what its solver's end means."""

import numpy as np
import pytest

from rarlib.ilp.sia import counts as module
from rarlib.ilp.sia.counts import best_counts, classes_of
from rarlib.ilp.sia.lagrangian import dual
from rarlib.ilp.sia.problem import MUST_RUN, SCALE, choices
from rarlib.ilp.sia.repair import excesses
from tests.ilp.sia.cases import small


def worth_considering(problem, job):
    """Weight, size, column and kind, lightest first; none that another one is as light as with as few of its GPUs."""
    held, rows = int(problem.current[job]), []
    if problem.skip[job] < MUST_RUN:
        rows.append((int(problem.skip[job]) * SCALE + (held >= 0), 0, -1, 0))
    for column, kind in enumerate(problem.kind.tolist()):
        size = int(problem.gpus[job, column])
        if 0 < size <= problem.capacity[kind]:
            changed = held not in (-1, column)
            rows.append((int(problem.cost[job, column]) * SCALE + changed, size, column, kind))
    rows.sort(key=lambda row: row[:3])
    kept = []
    for row in rows:
        if not any(size <= row[1] and (kind == row[3] or size == 0) for _, size, _, kind in kept):
            kept.append(row)
    return kept


def test_choices_are_those_that_nothing_dominates():
    """Also of jobs that must run, of which the first one without a choice is refused."""
    refused, dropped, forced = 0, 0, 0
    for seed in range(400):
        problem, rng = small(seed), np.random.default_rng(seed)
        problem = problem._replace(skip=np.where(rng.random(len(problem.skip)) < 0.3, MUST_RUN, problem.skip))
        if seed % 2:  # few costs, so that many choices are as light as others
            problem = problem._replace(cost=problem.cost // 40 * 40, skip=np.minimum(problem.skip, MUST_RUN))
        wanted = [worth_considering(problem, job) for job in range(len(problem.skip))]
        if not all(wanted):
            with pytest.raises(ArithmeticError, match="no choice left"):
                choices(problem)
            refused += 1
            continue
        c = choices(problem)
        assert c.first.tolist() == np.cumsum([0, *map(len, wanted)]).tolist()
        used = slice(0, int(c.first[-1]))
        found = zip(c.weight[used], c.size[used], c.column[used], c.kind[used], strict=True)
        assert [tuple(map(int, row)) for row in found] == [row for rows in wanted for row in rows], seed
        dropped += int(c.first[-1]) < int((problem.gpus > 0).sum())
        forced += bool((problem.skip == MUST_RUN).any())
    assert min(refused, dropped, forced) > 20


def four_times(seed):
    """Each job four times, on three times as many GPUs."""
    problem = small(seed)
    like = {name: np.repeat(getattr(problem, name), 4, axis=0) for name in ("cost", "gpus", "skip", "current")}
    problem = problem._replace(**like, capacity=3 * problem.capacity)
    c = choices(problem)
    return problem, c, excesses(c, dual(c, problem.capacity))


def solver_that(status, told):
    """A solver that ends with this status; every class takes its last choices as often as it may."""

    class Solver:
        """Notes what it was told."""

        def __init__(self):
            self.parameters = type("Parameters", (), {})()
            self.chosen = {}

        def solve(self, model):
            p = self.parameters
            told["parameters"] = (p.num_workers, p.random_seed, p.max_deterministic_time)
            told["most"] = [tuple(each.domain) for each in model.proto.variables]
            rows = [each.linear for each in model.proto.constraints]
            for row in rows[: told["classes"]]:
                left = row.domain[0]
                for at in reversed(list(row.vars)):
                    self.chosen[at] = min(left, told["most"][at][1])
                    left -= self.chosen[at]
            return status

        def value(self, variable):
            return variable if isinstance(variable, int) else self.chosen[variable.index]

    return Solver


def test_counts_are_limited_by_slack_and_an_end_without_proof_is_told(monkeypatch):
    """A choice occurs at most as often as the allowance permits; in a class, earlier jobs get lighter choices."""
    solver = module.cp_model
    ends = ((solver.OPTIMAL, True), (solver.FEASIBLE, False), (solver.UNKNOWN, False), (solver.INFEASIBLE, True))
    limited = 0
    for seed in range(60):
        problem, c, slack = four_times(seed)
        allowed = float(np.random.default_rng(seed).choice([0.5, 20.0, 60.0])) * SCALE
        groups = classes_of(c, slack <= allowed)
        several = [k for k, job in enumerate(groups.example) if (groups.choice[job] >= 0).sum() > 1]
        wanted = []
        for k in several:
            kept = groups.choice[groups.example[k]]
            for at in kept[kept >= 0]:
                often = int(groups.jobs[k])
                while often and often * max(slack[at], 1e-9) > allowed:
                    often -= 1
                wanted.append((0, often))
                limited += often < groups.jobs[k]
        for status, solved in ends:
            told = {"classes": len(several)}
            monkeypatch.setattr(module.cp_model, "CpSolver", solver_that(status, told))
            answer, proven = best_counts(c, groups, problem.capacity, slack, allowed, 0.75)
            if "parameters" not in told:  # single choices alone need too many GPUs
                assert (answer, proven) == (None, True)
                continue
            assert told["parameters"] == (1, 0, 0.75)
            assert told["most"] == wanted
            assert proven == solved
            assert (answer is None) == (status in (solver.UNKNOWN, solver.INFEASIBLE))
            if answer is not None:
                for k in range(len(groups.jobs)):
                    jobs = np.flatnonzero(groups.of_job == k)
                    place = [groups.choice[job].tolist().index(answer[job]) for job in jobs]
                    assert place == sorted(place)
    assert limited > 10
