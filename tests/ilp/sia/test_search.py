"""The search for decisions near a bound, against the same search in plain Python: what it finds and what it keeps."""

from itertools import product

import numpy as np
import pytest

from rarlib.ilp.sia import labels as module
from rarlib.ilp.sia.labels import FOUND, FULL, NOTHING, Labels, Stages, Task, search_labels
from rarlib.ilp.sia.lagrangian import around, dual
from rarlib.ilp.sia.problem import SCALE, choices
from tests.ilp.sia.cases import small

LABELS = Labels.empty()


def task_of(seed):
    """Few jobs, a random part of their choices, in a random order, at rough prices."""
    problem, rng = small(seed), np.random.default_rng(seed)
    c = choices(problem)
    keep = rng.random(int(c.first[-1])) < 0.8
    keep[[rng.integers(low, high) for low, high in zip(c.first[:-1], c.first[1:], strict=True)]] = True
    d = dual(c, problem.capacity, 5.0 * SCALE)
    return Task(c, keep, rng.permutation(len(problem.skip)), problem.capacity, d, around(d.price))


def kept_of(task, job):
    c = task.choices
    return [at for at in range(c.first[job], c.first[job + 1]) if task.keep[at]]


def stages_of(task):
    """Undecided jobs in order, and what is left of every type once the others have their only choice."""
    left = task.capacity.copy()
    core = []
    for job in task.order:
        kept = kept_of(task, job)
        if len(kept) == 1:
            left[task.choices.kind[kept[0]]] -= task.choices.size[kept[0]]
        else:
            core.append(int(job))
    return core, left


def by_type(task, job, of):
    """The fewest or most GPUs of each type among a job's choices."""
    c = task.choices
    return np.array(
        [of(c.size[at] if c.kind[at] == t else 0 for at in kept_of(task, job)) for t in range(len(task.capacity))]
    )


def cheapest(task, job, price):
    c = task.choices
    return min(c.weight[at] + price[c.kind[at]] * c.size[at] for at in kept_of(task, job))


def search(task, allowed):
    """State, number of labels, and the choices: every stage keeps the lightest label for what is left."""
    c = task.choices
    core, left = stages_of(task)
    if (left < 0).any():
        return NOTHING, 1, None
    single = {int(job): kept_of(task, job)[0] for job in task.order if int(job) not in core}
    limit = task.dual.bound[0] + allowed + 1.0
    now = {tuple(left): (sum(int(c.weight[at]) for at in single.values()), ())}
    count = 1
    for i in range(len(core) - 1, -1, -1):
        before = core[:i]
        least, most = (sum((by_type(task, job, of) for job in before), np.zeros(len(left), int)) for of in (min, max))
        after = {}
        for state, (weight, chosen) in now.items():
            for at in kept_of(task, core[i]):
                rest = np.array(state)
                rest[c.kind[at]] -= c.size[at]
                heavier = weight + int(c.weight[at])
                cost = heavier + sum(cheapest(task, job, task.dual.price) for job in before)
                hopeful = (rest >= least).all() and cost - task.dual.price @ np.minimum(rest, most) <= limit
                for price in task.prices:
                    elsewhere = heavier + sum(cheapest(task, job, price) for job in before)
                    hopeful = hopeful and elsewhere - price @ rest <= limit
                if hopeful:
                    # Equal weights: the better choice of the job decided last, then the first one found.
                    found = (heavier, at, len(after), chosen)
                    old = after.get(tuple(rest))
                    if old is None or found[:2] < old[:2]:
                        after[tuple(rest)] = found
        now = {state: (weight, (at, *chosen)) for state, (weight, at, _, chosen) in after.items()}
        count += len(now)
        if not now:
            return NOTHING, count, None
    weight, chosen = min(now.values())
    return FOUND, count, single | dict(zip(core, chosen, strict=True))


def test_it_keeps_the_labels_that_may_lead_to_a_decision_and_no_others():
    """The state, the decision with its ties, and the number of labels, which is the least room that suffices."""
    states = set()
    for seed in range(150):
        task = task_of(seed)
        jobs, types = len(task.order), len(task.capacity)
        for allowed in (0.5 * SCALE, 8.0 * SCALE, 60.0 * SCALE):
            state, count, chosen = search(task, allowed)
            answer = np.zeros(jobs, np.int64)
            stages = Stages.of(jobs, types)
            assert search_labels(task, allowed, count + 1, LABELS, stages, answer) == state, seed
            if state == FOUND:
                assert answer.tolist() == [chosen[job] for job in range(jobs)]
            if count > 1:
                assert search_labels(task, allowed, count, LABELS, Stages.of(jobs, types), answer) == FULL
            states.add(state)
    assert states == {FOUND, NOTHING}


def test_what_is_found_is_the_best_of_all_decisions_kept():
    """Whatever the pruning: if a decision lies within the allowance, the lightest one is found."""
    found = 0
    for seed in range(150):
        task = task_of(seed)
        c = task.choices
        jobs = range(len(task.order))
        best = np.inf
        for answer in product(*(kept_of(task, job) for job in jobs)):
            at = list(answer)
            used = np.bincount(c.kind[at], c.size[at], len(task.capacity))
            if (used <= task.capacity).all():
                best = min(best, int(c.weight[at].sum()))
        for allowed in (3.0 * SCALE, 40.0 * SCALE):
            answer = np.zeros(len(jobs), np.int64)
            state = search_labels(task, allowed, 1 << 16, LABELS, Stages.of(len(jobs), len(task.capacity)), answer)
            if best <= task.dual.bound[0] + allowed:
                assert state == FOUND
                found += 1
            if state == FOUND:
                assert c.weight[answer].sum() == best
    assert found > 100


def test_tables_of_what_the_jobs_left_can_take():
    for seed in range(100):
        task = task_of(seed)
        s, answer = Stages.of(len(task.order), len(task.capacity)), np.zeros(len(task.order), np.int64)
        core, left = stages_of(task)
        found = module._prepare(task, s, answer)
        assert found == (-1 if (left < 0).any() else len(core))
        if found < 0:
            continue
        assert s.job[:found].tolist() == core
        assert s.most_left.tolist() == left.tolist()
        for i in range(found + 1):
            jobs = core[:i]
            assert s.least[i].tolist() == sum((by_type(task, job, min) for job in jobs), np.zeros_like(left)).tolist()
            assert s.most[i].tolist() == sum((by_type(task, job, max) for job in jobs), np.zeros_like(left)).tolist()
            assert s.cheapest[i] == pytest.approx(sum(cheapest(task, job, task.dual.price) for job in jobs))
            for k, price in enumerate(task.prices):
                assert s.other[i, k] == pytest.approx(sum(cheapest(task, job, price) for job in jobs))
        for job in range(len(answer)):
            assert answer[job] == (-1 if job in core else kept_of(task, job)[0])


def test_what_is_left_of_all_types_is_one_number():
    """Mixed radix: every combination has its own, and it is read back."""
    most = np.array([2, 0, 3], np.int64)
    states = list(product(range(3), range(1), range(4)))
    keys = [module._key(np.array(state), most) for state in states]
    assert sorted(keys) == list(range(12)) and module._keys(most) == 12.0
    for key, state in zip(keys, states, strict=True):
        left = np.zeros(3, np.int64)
        module._read(key, most, left)
        assert tuple(left) == state


def test_labels_in_the_same_place_of_the_table_are_kept_apart():
    """Keys that differ by the size of the table follow each other; the lighter of two equal keys replaces the other."""
    size = module._PLACES
    LABELS.stages[0] += 1
    end = 10
    for key, weight, choice in ((5, 7, 1), (5 + size, 3, 2), (6, 1, 3)):
        assert module._enter(LABELS, key, weight, 0, choice, 10, end) == end + 1
        end += 1
    assert LABELS.key[10:13].tolist() == [5, 5 + size, 6]
    for weight, choice, kept in ((8, 9, (7, 1)), (7, 2, (7, 1)), (7, 0, (7, 0)), (6, 4, (6, 4))):
        assert module._enter(LABELS, 5, weight, 1, choice, 10, end) == end
        assert (LABELS.weight[10], LABELS.choice[10]) == kept
    assert (LABELS.weight[11], LABELS.choice[11]) == (3, 2)
    # The last place is followed by the first one.
    assert module._enter(LABELS, size - 1, 1, 0, 1, 10, end) == end + 1
    assert module._enter(LABELS, 2 * size - 1, 1, 0, 1, 10, end + 1) == end + 2
    assert LABELS.place[0] == end + 1 and LABELS.stamp[0] == LABELS.stages[0]
