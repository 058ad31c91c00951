"""What the exact methods of RAR-DDLS make of a solver's answers, whatever these are: the rule in plain Python."""

from math import ceil
from types import SimpleNamespace

import numpy as np
import pytest

from rarlib.ilp.rar_ddls import brute_force, exact, feasibility
from rarlib.ilp.rar_ddls.gangs import GangModel
from rarlib.ilp.rar_ddls.patterns import Cover
from rarlib.ilp.rar_ddls.slotted import each_from_others, start_in_order
from tests.ilp.cases import KINDS, case

cp_model = pytest.importorskip("ortools.sat.python.cp_model")

EFFORT = 8.0


def answer(bound, seconds, status, schedule=None):
    """Of a solver; with a schedule, its starts and placements are the solution."""
    proto = SimpleNamespace(status=status, solution=[0] * (schedule is not None), deterministic_time=seconds)
    return SimpleNamespace(best_objective_bound=bound, response_proto=proto, schedule=schedule)


def some_answers(rng, problem, least):
    """One of the relaxation and one of the program with contention, with or without a solution, bounds on any side."""
    each = each_from_others(problem)
    status = rng.choice([cp_model.OPTIMAL, cp_model.FEASIBLE, cp_model.UNKNOWN, cp_model.INFEASIBLE])
    first = answer(
        float(rng.integers(1, least.makespan + 1)) + rng.choice([0.0, 5e-7, -0.5]),
        float(rng.integers(1, 4)),
        cp_model.FEASIBLE,
        (None, least, each)[rng.integers(0, 3)],
    )
    solved = status in (cp_model.OPTIMAL, cp_model.FEASIBLE)
    bound = float(rng.integers(1, least.makespan + 1)) + rng.choice([0.0, 5e-7, -0.5])
    return first, answer(bound, float(rng.integers(1, 4)), status, least if solved else None)


def by_rule(problem, first, second):
    """Makespan, bound, effort, and what the second program was told: latest end, least makespan and effort left."""
    makespan = each_from_others(problem).makespan
    shortest = max(problem.shortest(j) for j in range(len(problem.gang)))
    bound, spent, told = (
        max(shortest, ceil(first.best_objective_bound - 1e-6)),
        first.response_proto.deterministic_time,
        None,
    )
    if first.schedule:
        makespan = min(makespan, start_in_order(problem, first.schedule.starts, first.schedule.placements).makespan)
    if makespan > bound:
        told = (makespan - 1, bound, EFFORT - spent)
        spent += second.response_proto.deterministic_time
        infeasible = second.response_proto.status == cp_model.INFEASIBLE
        bound = makespan if infeasible else max(bound, ceil(second.best_objective_bound - 1e-6))
        makespan = second.schedule.makespan if second.schedule else makespan
    return makespan, bound, spent, told


@pytest.mark.parametrize("kind", list(KINDS))
def test_the_better_schedule_counts_and_the_larger_bound(monkeypatch, kind):
    """Nothing better than the replay: it is optimal; nothing found: what was known before stands."""
    paths = set()
    monkeypatch.setattr(GangModel, "choices", lambda self, solver: (solver.schedule.starts, solver.schedule.placements))
    known = [(problem, brute_force.least_makespan(problem)) for problem in (case(kind, k, 4).problem for k in range(3))]
    for seed in range(30):
        problem, least_schedule = known[seed % 3]
        replies = some_answers(np.random.default_rng(seed), problem, least_schedule)
        asked = []

        def solve(gangs, effort, asked=asked, replies=replies):
            asked.append((gangs, effort))
            return replies[len(asked) - 1]

        monkeypatch.setattr(exact, "_solve", solve)
        found = exact.least_makespan(problem, EFFORT)
        makespan, bound, spent, told = by_rule(problem, *replies)
        assert (found.schedule.makespan, found.bound, found.effort) == (makespan, bound, spent), seed
        assert found.status == ("optimal" if makespan == bound else "limit")
        assert found.gap == pytest.approx(makespan / bound - 1.0)
        assert asked[0][1] == EFFORT / 2.0 and asked[0][0].horizon == each_from_others(problem).makespan
        assert len(asked) == 1 + (told is not None)
        if told is not None:
            gangs, effort = asked[1]
            least = max(
                each.linear.domain[0]
                for each in gangs.model.proto.constraints
                if list(each.linear.vars) == [gangs.makespan.index]
            )
            assert (gangs.horizon, least, effort) == told
        paths.add((told is None, found.status))
    assert paths >= {(False, "optimal"), (False, "limit")}


def test_limits_are_tried_until_one_is_feasible(monkeypatch):
    """The bound rises only over limits that are refuted without a gap; a limit that stays open ends that."""
    statuses, ends = (feasibility.INFEASIBLE, "open", feasibility.FEASIBLE), set()
    for seed in range(120):
        rng = np.random.default_rng(seed)
        gang, load, gpus = rng.integers(1, 3, 4), rng.integers(3, 9, 4), 2
        unit = float(rng.choice([0.5, 1.0]))
        outcome = rng.choice(3, 60, p=[0.5, 0.3, 0.2])
        tried, lows, skips = [], [], int(rng.integers(0, 3))
        served = [np.array([3, 0]), np.array([], np.int64), np.array([1])]

        def relaxed(self, low, high, lows=lows, skip=skips):
            lows.append((low, high))
            return min(low + skip, high)

        def place(self, limit, tried=tried, outcome=outcome, served=served):
            tried.append(limit)
            status = statuses[outcome[len(tried) - 1]]
            return status, served if status == feasibility.FEASIBLE else None

        monkeypatch.setattr(feasibility._Search, "least_relaxed", relaxed)
        monkeypatch.setattr(feasibility._Search, "place", place)
        found = feasibility.smallest_theta(gang, load, gpus, unit)
        greedy = feasibility._longest_first(gang, load, gpus)
        high = ceil(max(load[jobs].sum() for jobs in greedy) * unit - 1e-9)
        low = max(ceil(gang @ load / gpus * unit - 1e-9), ceil(load.max() * unit - 1e-9))
        assert lows == [(low, high)]
        bound = limit = relaxed(None, low, high)
        theta, count = high, 0
        while limit < high and theta == high:
            status = statuses[outcome[count]]
            count += 1
            if status == feasibility.FEASIBLE:
                theta = limit
            elif status == feasibility.INFEASIBLE and bound == limit:
                bound += 1
            limit += 1
        assert (found.theta, found.bound) == (theta, bound), seed
        assert found.status == ("optimal" if theta == bound else "limit")
        assert tried == list(range(limit - count, limit))
        jobs = served if theta < high else greedy
        assert found.served == tuple(tuple(sorted(each.tolist())) for each in jobs if len(each))
        ends.add((theta < high, found.status))
    assert len(ends) == 4


def test_a_limit_is_rounded_first_and_then_given_to_the_solver_if_it_is_small(monkeypatch):
    """As many literals as allowed are few enough; what the relaxation needs counts beyond a billionth of a GPU."""
    gang, load = np.array([1, 2]), np.array([2, 3])
    asked = []

    def by_gpu(gang, load, gpus, capacity, effort):
        asked.append((gang.tolist(), load.tolist(), gpus, capacity, effort))
        return feasibility.INFEASIBLE, None

    monkeypatch.setattr(feasibility, "by_gpu", by_gpu)
    search = feasibility._Search(gang, load, 3, 0.5, 7, 1.25)
    whole = SimpleNamespace(whole=lambda gpus, rounds: [np.array([0])] if (gpus, rounds) == (3, 7) else None)
    monkeypatch.setattr(search, "_program", lambda limit: whole)
    assert search.place(2)[0] == feasibility.FEASIBLE and not asked
    whole.whole = lambda gpus, rounds: None
    monkeypatch.setattr(feasibility, "_MOST_LITERALS", 6)
    assert search.place(2) == (feasibility.INFEASIBLE, None)
    assert asked == [([1, 2], [2, 3], 3, 4, 1.25)]  # two slots are four units
    monkeypatch.setattr(feasibility, "_MOST_LITERALS", 5)
    assert search.place(3) == ("open", None) and len(asked) == 1
    for needed, enough, refuted in ((3.0, False, False), (3.0 + 2e-9, False, True), (3.5, True, False)):
        cover = Cover(needed, enough)
        whole.cover = lambda gpus, rounds, cover=cover: cover if (gpus, rounds) == (3, 7) else None
        assert search._refuted(4) == refuted
    statuses = [step.status for step in search.steps]
    assert statuses == ["feasible", "infeasible", "open", "open", "infeasible", "open"]
    assert [step.theta for step in search.steps] == [2, 2, 3, 4, 4, 4]
