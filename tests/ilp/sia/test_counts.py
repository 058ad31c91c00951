"""Counts of alike jobs, regrets, and what a decision says of itself, by their definitions."""

import numpy as np
import pytest

from rarlib.ilp.sia import decide as module
from rarlib.ilp.sia.counts import best_counts, classes_of
from rarlib.ilp.sia.decide import Decider, RoundDecision, _Round
from rarlib.ilp.sia.labels import MOST_LABELS, NOTHING, Labels
from rarlib.ilp.sia.lagrangian import PRECISION, dual
from rarlib.ilp.sia.problem import SCALE, RoundProblem, choices
from rarlib.ilp.sia.repair import excesses
from tests.ilp.sia.cases import best_by_trying, round_like, small
from tests.ilp.sia.test_dual import relaxed

LABELS = Labels.empty()


def alike(seed):
    """Few jobs, some of them twice or three times, and a random part of their choices."""
    problem, rng = small(seed), np.random.default_rng(seed)
    like = rng.integers(0, len(problem.skip), int(rng.integers(2, 5)))
    problem = problem._replace(**{name: getattr(problem, name)[like] for name in ("cost", "gpus", "skip", "current")})
    c = choices(problem)
    slack = excesses(c, dual(c, problem.capacity))
    return problem, c, slack


def kept_of(c, keep, job):
    return [at for at in range(c.first[job], c.first[job + 1]) if keep[at]]


def test_classes_are_jobs_with_the_same_choices_at_the_same_differences():
    shared = 0
    for seed in range(120):
        _, c, slack = alike(seed)
        keep = slack <= np.random.default_rng(seed).choice([0.0, 10.0, 60.0]) * SCALE
        groups, jobs = classes_of(c, keep), len(c.first) - 1
        looks = []
        for job in range(jobs):
            kept = kept_of(c, keep, job)
            assert groups.choice[job].tolist() == kept + [-1] * (groups.choice.shape[1] - len(kept))
            looks.append(tuple((c.weight[at] - c.weight[kept[0]], c.kind[at], c.size[at]) for at in kept))
        for one in range(jobs):
            for other in range(jobs):
                assert (groups.of_job[one] == groups.of_job[other]) == (looks[one] == looks[other])
        assert groups.jobs.tolist() == np.bincount(groups.of_job).tolist()
        assert groups.example.tolist() == [groups.of_job.tolist().index(k) for k in range(len(groups.jobs))]
        several = [len(looks[job]) for job in groups.example if len(looks[job]) > 1]
        assert groups.variables == sum(several)
        shared += len(groups.jobs) < jobs
    assert shared > 40


def test_counts_find_the_best_decision_within_the_allowance():
    """Also where it is just within, and each choice occurs as often as it can; none exists, none is found."""
    found_none = 0
    for seed in range(60):
        problem, c, slack = alike(seed)
        _, weight = best_by_trying(problem)
        excess = weight - dual(c, problem.capacity).bound[0]
        for allowed in (excess, excess + 0.5, 2.0 * excess + 3.0 * SCALE):
            groups = classes_of(c, slack <= allowed)
            answer, solved = best_counts(c, groups, problem.capacity, slack, allowed, 5.0)
            assert solved
            assert c.weight[answer].sum() == weight
            assert (problem.used(c.column[answer]) <= problem.capacity).all()
            assert (np.diff(c.first) > answer - c.first[:-1]).all() and (answer >= c.first[:-1]).all()
        if excess > SCALE:
            groups = classes_of(c, slack <= 0.0)
            answer, solved = best_counts(c, groups, problem.capacity, slack, 0.0, 5.0)
            assert solved
            assert answer is None or c.weight[answer].sum() >= weight
            found_none += answer is None
    assert found_none > 0


def test_single_choices_that_do_not_fit_leave_nothing():
    problem = RoundProblem(
        cost=np.array([[10], [10]]),
        gpus=np.array([[2], [2]]),
        kind=np.array([0]),
        capacity=np.array([3]),
        skip=np.array([110, 110]),
        current=np.array([-1, -1]),
    )
    c = choices(problem)
    keep = c.size[: c.first[-1]] > 0
    slack = np.zeros(int(c.first[-1]))
    assert best_counts(c, classes_of(c, keep), problem.capacity, slack, 1.0, 1.0) == (None, True)
    wide, solved = best_counts(c, classes_of(c, keep), np.array([4]), slack, 1.0, 1.0)
    assert solved and c.column[wide].tolist() == [0, 0]


def test_regrets_are_what_the_second_best_choice_costs():
    for seed in range(80):
        _, c, slack = alike(seed)
        cheapest, regret = module._regrets(c, slack)
        for job in range(len(c.first) - 1):
            mine = slack[c.first[job] : c.first[job + 1]]
            assert cheapest[job] == c.first[job] + int(np.argmin(mine))
            assert regret[job] == (np.sort(mine)[1] if len(mine) > 1 else np.inf)


def test_what_a_round_knows_before_it_decides():
    """What is proven is a whole number that no decision undercuts; nothing is further away than `_farthest`."""
    for seed in range(60):
        problem = small(seed)
        of = _Round(problem, LABELS, MOST_LABELS)
        _, weight = best_by_trying(problem)
        assert of.changes == sum(problem.current >= 0)
        assert of.dual.bound[0] - 0.02 <= of.proven <= weight
        assert of.proven == int(np.ceil(of.dual.bound[0] - 0.01))
        # In hundredths, rounded up: costs are whole, and at most all running jobs change.
        assert of._bound() == int(np.ceil((of.proven - of.changes) / SCALE))
        column, _ = best_by_trying(problem)
        answer = np.array(
            [
                next(at for at in range(of.choices.first[job], of.choices.first[job + 1]) if of.choices.column[at] == k)
                for job, k in enumerate(column)
            ]
        )
        assert of._weight(answer) == weight
        assert of._excess(answer) == pytest.approx(weight - of.dual.bound[0] + 0.5)
        heaviest = np.array([high - 1 for high in of.choices.first[1:]])
        for one in (answer, heaviest):
            assert of._excess(one) <= of._farthest() + 1e-6
        assert of._better(answer, None) is answer and of._better(None, answer) is answer
        assert of._better(None, None) is None
        assert of._better(answer, heaviest) is answer
        assert of._better(heaviest, answer) is (answer if weight < of._weight(heaviest) else heaviest)
        assert of._target() == max(1e-4 * of.dual.bound[0], 0.5 * SCALE)
        assert of._is_open(None)
        decision = of._decision(answer, "x")
        assert decision.value == problem.value(column) and decision.bound == min(decision.value, of._bound())
        assert of._is_open(answer) == (decision.gap > module.GAP)
        assert of._decision(answer, "x", optimal=True).bound == decision.value


def test_an_allowance_without_decisions_raises_what_is_proven():
    raised = 0
    for seed in range(80):
        problem = small(seed)
        of = _Round(problem, LABELS, MOST_LABELS)
        _, weight = best_by_trying(problem)
        allowed = (weight - of.dual.bound[0]) / 2.0
        if allowed < 1.0:
            continue
        before = of.proven
        found = of._all_within(allowed)
        if isinstance(found, int):
            assert found == NOTHING
            assert of.proven == max(before, int(np.floor(of.dual.bound[0] + allowed)) + 1) <= weight
            raised += of.proven > before
    assert raised > 5


def test_the_relaxation_is_told_and_gaps_are_relative():
    decider = Decider()
    for seed in range(30):
        problem = small(seed)
        found = decider.decide(problem)
        best = relaxed(choices(problem), problem.capacity)
        assert best - PRECISION / SCALE - 1e-6 <= found.relaxed <= best + 1e-6
    one = RoundDecision(np.zeros(0), 105, 100, False, "repair", 99.5)
    assert one.gap == pytest.approx(0.05)
    assert one._replace(value=1, bound=0).gap == 1.0
    assert one._replace(value=-90, bound=-100).gap == pytest.approx(0.1)


def test_another_effort_is_another_question(monkeypatch):
    """The decision that is remembered was made with its effort."""
    asked = []
    monkeypatch.setattr(_Round, "decide", lambda self, effort: asked.append(effort))
    decider, problem = Decider(), round_like(0, 5)
    for effort in (0.1, 0.1, 0.2, 0.2, 0.1):
        decider.decide(problem, effort=effort)
    decider.decide(problem)
    assert asked == [0.1, 0.2, 0.1]
