"""Shockwave's plans in detail: what they are worth, and what they start from."""

import numpy as np
import pytest

from rarlib.ilp import shockwave
from rarlib.ilp.shockwave import EARLY, plan_rounds


def instance(seed, jobs=3, rounds=3):
    """Gains that do not rise, gangs, and tails that do not rise either."""
    rng = np.random.default_rng(seed)
    gain = -np.sort(-rng.uniform(0.1, 1.0, (jobs, rounds)), axis=1)
    left_s = rng.uniform(0.5, rounds + 2.0, (jobs, 1))
    return gain, rng.integers(1, 4, jobs), 4, rng.uniform(0.1, 3.0) * np.maximum(left_s - np.arange(rounds + 1), 0.0)


def fits(runs, gpus, total):
    return (gpus @ runs <= total).all()


def test_a_plan_in_which_all_run_needs_no_search():
    """Its value is that of all rounds, what running early is worth, and the longest tail at the end."""
    for seed in range(20):
        gain, gpus, _, tail = instance(seed)
        total = int(gpus.sum())
        plan = plan_rounds(gain, gpus, total, np.full(3, 3), limit=1.0, tail=tail)
        assert plan.runs.all() and plan.optimal and plan.value == plan.bound
        unit = max(gain.max(), 1e-8 * tail.max())
        worth = gain.sum() + EARLY * (gain.mean(axis=1) * 3).sum() - tail[:, -1].max()
        assert plan.value * unit == pytest.approx(worth, abs=2e-5)
        # One GPU less, or a round more than there are, and it is another program.
        less = plan_rounds(gain, gpus, total - 1, np.full(3, 3), limit=1.0, tail=tail)
        assert less is None
        assert plan_rounds(gain, gpus, total, np.array([4, 0, 0]), limit=1.0, tail=tail) is None


def test_without_any_gain_or_tail_nothing_is_worth_anything():
    plan = plan_rounds(np.zeros((2, 2)), np.array([1, 1]), 2, np.zeros(2, np.int64), limit=1.0)
    assert plan.value == plan.bound == 0.0


def test_gains_that_tails_dwarf_are_still_whole_numbers():
    """A gain of a hundred-millionth of the largest tail is a million units, a smaller one less, not more."""
    gain, gpus = np.array([[1e-9], [1e-10]]), np.array([1, 1])
    tail = np.array([[1.0, 0.5], [1.0, 0.5]])
    plan = plan_rounds(gain, gpus, 1, np.zeros(2, np.int64), limit=1.0, tail=tail)
    assert plan.optimal
    # In units of 1e-8: 0.1 and EARLY of it, less the tail of the job that does not run.
    assert plan.runs.tolist() == [[True], [False]]
    assert plan.value == pytest.approx(0.1 - 1e8)


def test_out_of_effort_a_plan_built_without_search_is_returned(monkeypatch):
    """If asked for; its value is its own, and no bound is known."""

    class Nothing:
        """A solver that gives up at once."""

        def __init__(self):
            self.parameters = type("Parameters", (), {})()

        def solve(self, model):
            assert self.parameters.num_workers == 1
            return shockwave.cp_model.UNKNOWN

    for seed in range(30):
        gain, gpus, total, tail = instance(seed)
        if gpus.sum() <= total:
            continue
        none = np.zeros(3, np.int64)
        with monkeypatch.context() as patch:
            patch.setattr(shockwave.cp_model, "CpSolver", Nothing)
            plan = plan_rounds(gain, gpus, total, none, limit=1.0, tail=tail)
            assert plan_rounds(gain, gpus, total, none, limit=1.0, tail=tail, built=False) is None
            assert plan_rounds(gain, gpus, total, np.array([1, 0, 0]), limit=1.0, tail=tail) is None
        assert not plan.optimal and plan.bound == np.inf
        assert fits(plan.runs, gpus, total)
        count = plan.runs.sum(axis=1)
        worth = sum(gain[j, : count[j]].sum() for j in range(3)) - max(tail[j, count[j]] for j in range(3))
        assert plan.value * gain.max() == pytest.approx(worth, abs=1e-5)


def test_the_solver_begins_at_the_plan_built_without_search(monkeypatch):
    """Alone, with one seed and within the limit; plans with least rounds begin nowhere."""
    told = []

    class Watched:
        """A solver that notes what it is given, and gives up."""

        def __init__(self):
            self.parameters = type("Parameters", (), {})()

        def solve(self, model):
            p, hint = self.parameters, model.proto.solution_hint
            told.append((p.num_workers, p.random_seed, p.max_deterministic_time))
            told.append(dict(zip(hint.vars, hint.values, strict=True)))
            return shockwave.cp_model.UNKNOWN

    monkeypatch.setattr(shockwave.cp_model, "CpSolver", Watched)
    hinted = 0
    for seed in range(20):
        gain, gpus, total, tail = instance(seed)
        if gpus.sum() <= total:
            continue
        hinted += 1
        for weighted in (None, tail):
            for least in (np.zeros(3, np.int64), np.array([0, 1, 0])):
                told.clear()
                plan_rounds(gain, gpus, total, least, limit=2.5, tail=weighted)
                assert told[0] == (1, 1, 2.5)
                start = shockwave._hint(gain, gpus, total, np.zeros((3, 4)) if weighted is None else weighted)
                # Variables of runs come first, job by job.
                assert told[1] == ({} if least.any() else dict(enumerate(start.astype(int).ravel().tolist())))
    assert hinted > 5


def greedy(gain, gpus, total, need):
    """Needed rounds first, large gangs first; then by gain per GPU; each as early as it fits."""
    jobs, rounds = gain.shape
    pairs = [(j, i) for j in range(jobs) for i in range(rounds)]
    pairs.sort(key=lambda p: -gain[p] / gpus[p[0]])
    pairs.sort(key=lambda p: (p[1] >= need[p[0]], -gpus[p[0]] if p[1] < need[p[0]] else 0))
    runs, free = np.zeros(gain.shape, bool), [total] * rounds
    for j, _ in pairs:
        for r in range(rounds):
            if not runs[j, r] and free[r] >= gpus[j]:
                runs[j, r] = True
                free[r] -= gpus[j]
                break
    return runs


def test_plans_built_without_search_by_their_rule():
    for seed in range(100):
        gain, gpus, total, _ = instance(seed, 4, 4)
        need = np.random.default_rng(seed).integers(0, 3, 4) * (seed % 3 > 0)
        assert shockwave._greedy(gain, gpus, total, need).tolist() == greedy(gain, gpus, total, need).tolist()


def test_the_start_is_the_better_one_of_gains_and_tails():
    """Never worse than either: largest gains alone, and the fewest rounds that cut all tails as far as fits."""
    by_tail = 0
    for seed in range(100):
        gain, gpus, total, tail = instance(seed, 4, 4)

        def value(runs, gain=gain, tail=tail):
            count = runs.sum(axis=1)
            return sum(gain[j, : count[j]].sum() for j in range(4)) - max(tail[j, count[j]] for j in range(4))

        assert shockwave._worth(greedy(gain, gpus, total, np.zeros(4)), gain) == pytest.approx(
            value(greedy(gain, gpus, total, np.zeros(4)), tail=np.zeros((4, 5)))
        )
        found = shockwave._hint(gain, gpus, total, tail)
        plain = greedy(gain, gpus, total, np.zeros(4))
        top = int(np.argmax(tail[:, 0]))
        tried = [plain]
        low, high = 0, 4
        while low < high:
            at = (low + high + 1) // 2
            level = max(tail[top, at], tail[:, -1].max())
            need = [min(i for i in range(5) if tail[j, i] <= level) for j in range(4)]
            runs = greedy(gain, gpus, total, need)
            if (runs.sum(axis=1) >= need).all():
                tried.append(runs)
                low = at
            else:
                high = at - 1
        assert value(found) == pytest.approx(max(value(runs) for runs in tried))
        assert fits(found, gpus, total)
        by_tail += value(found) > value(plain) + 1e-9
        assert shockwave._hint(gain, gpus, total, np.zeros((4, 5))).tolist() == plain.tolist()
    assert by_tail > 5


def test_early_first_keeps_rounds_and_moves_them_forward():
    """Round by round, those that need all rounds left, then the largest mean gains per GPU; or the plan itself."""
    kept = 0
    for seed in range(100):
        gain, gpus, total, _ = instance(seed, 4, 4)
        runs = greedy(gain, gpus, total, np.zeros(4))
        found = shockwave._early_first(runs, gain, gpus, total)
        left, wanted = runs.sum(axis=1), np.zeros_like(runs)
        for r in range(4):
            free = total
            for j in sorted(range(4), key=lambda j: (left[j] < 4 - r, -gain[j].mean() / gpus[j])):
                if left[j] > 0 and gpus[j] <= free:
                    wanted[j, r], left[j], free = True, left[j] - 1, free - gpus[j]
        kept += bool(left.any())
        assert found.tolist() == (runs if left.any() else wanted).tolist()
    assert kept < 50
