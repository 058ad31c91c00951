"""The exact slot: when the full program is asked at all, and what it is told to start from."""

import numpy as np
import pytest

from rarlib.ilp.gadget import exact as module
from rarlib.ilp.gadget.exact import exact_slot
from tests.ilp.gadget_cases import limits_of, loads_of, small_problem


def test_wide_links_need_no_program(monkeypatch):
    """Where the best sizes fit, they are the optimum; the full program, a thousand times slower, is left alone."""
    asked, settled = [], 0
    monkeypatch.setattr(module, "_Slot", asked.append)
    for seed in range(20):
        problem = small_problem(seed, wide=100.0)
        # Whole servers, so that no shape of servers stands in the way of the best sizes.
        if problem.network.capacity.sum() >= problem.demand[:, 0] @ problem.largest:
            found = exact_slot(problem)
            assert found.status == "optimal"
            assert found.value == pytest.approx(problem.value(found.workers))
            assert found.value <= found.bound <= found.value * (1.0 + 3e-6)
            settled += 1
    assert not asked
    assert settled > 3


def test_precision_is_that_of_the_statement(monkeypatch):
    """A packing within 2.5 millionths of the bound counts as optimal; one that lacks 3 does not."""
    problem = small_problem(0, wide=100.0)
    best = exact_slot(problem)
    for lacking, settled in ((2e-6, True), (3e-6, False), (0.1, False)):
        asked = []

        class Program:
            def __init__(self, problem, asked=asked):
                asked.append(problem)

            def solve(self, hint, effort):
                return best

        bound = best.value / (1.0 - lacking)
        monkeypatch.setattr(module, "_Slot", Program)
        monkeypatch.setattr(module, "relaxed_bound", lambda problem, bound=bound: bound)
        monkeypatch.setattr(module, "best_sizes", lambda problem, effort: _Sizes(best.workers.sum(axis=1), np.inf))
        monkeypatch.setattr(module, "pack", lambda problem, sizes: best.workers)
        found = exact_slot(problem)
        assert bool(asked) != settled
        assert found.value == best.value


class _Sizes:
    def __init__(self, sizes, bound):
        self.sizes, self.bound = sizes, bound


def test_a_start_is_a_point_of_the_program(monkeypatch):
    """Rings on one server, in one rack and across racks: each row holds, and the gain is the allocation's."""
    seen, kinds, solve = [], set(), module.integer_optimum

    def watched(program, *, hint, effort):
        seen.append((program, hint))
        return solve(program, hint=hint, effort=effort)

    monkeypatch.setattr(module, "integer_optimum", watched)
    for seed in range(40):
        problem = small_problem(seed, wide=(0.9, 4.0)[seed % 2])
        best = exact_slot(problem)
        module._Slot(problem).solve(best.workers, 10.0)
        program, hint = seen[-1]
        activity = program.matrix @ hint
        assert (activity <= program.upper + 1e-9).all() and (activity >= program.lower - 1e-9).all()
        assert (hint >= 0).all() and (hint <= program.most).all()
        assert program.gain @ hint == pytest.approx(problem.value(best.workers))
        loads = sum(loads_of(problem, job, best.workers[job]) for job in range(len(problem)))
        assert (loads <= limits_of(problem) + 1e-9).all()
        for row in best.workers:
            racks = set(problem.network.rack[row > 0].tolist())
            kinds.add((min(int((row > 0).sum()), 2), len(racks)))
    assert kinds == {(0, 0), (1, 1), (2, 1), (2, 2)}


def test_the_best_known_allocation_and_the_least_bound_count(monkeypatch):
    """Whatever the parts answer: the full program starts from the better one of packing and hint and loses nothing."""
    paths, known = set(), [exact_slot(small_problem(seed)).workers for seed in range(6)]
    for seed in range(60):
        rng = np.random.default_rng(seed)
        problem, good = small_problem(seed % 6), known[seed % 6]
        some = good * (np.arange(len(problem)) > 0)[:, None]
        allocations = [good, some, np.zeros_like(good)]
        packed, answer = (allocations[at] for at in rng.integers(0, 3, 2))
        hint = [*(each.copy() for each in allocations), None][rng.integers(0, 4)]
        top = problem.value(good)
        ideal, relaxed, proven = top * rng.choice([1.0, 1.0 + 1e-6, 1.1, 1.5, 2.0], 3)
        told = []

        class Program:
            def __init__(self, problem):
                pass

            def solve(self, start, effort, told=told, problem=problem, answer=answer, proven=proven):
                told.append((start, effort))
                return module.Exact(answer, problem.value(answer), proven, "limit")

        monkeypatch.setattr(module, "_Slot", Program)
        monkeypatch.setattr(module, "relaxed_bound", lambda problem, relaxed=relaxed: relaxed)
        monkeypatch.setattr(module, "best_sizes", lambda problem, effort, ideal=ideal: _Sizes((effort,), ideal))
        monkeypatch.setattr(module, "pack", lambda problem, sizes, p=packed: p if sizes == (3.0,) else None)
        found = exact_slot(problem, hint=hint, effort=3.0)
        value, bound = problem.value(packed), min(ideal, relaxed)
        if value >= bound * (1.0 - 2.5e-6):
            assert (found.status, found.value, found.bound, told) == ("optimal", value, max(value, bound), [])
            assert found.workers is packed
        else:
            start = hint if hint is not None and problem.value(hint) >= value else packed
            assert told[0][0] is start and told[0][1] == 3.0
            kept = answer if problem.value(answer) >= problem.value(start) else start
            assert found.workers.tolist() == kept.tolist()
            assert (found.value, found.status) == (problem.value(kept), "limit")
            assert found.bound == max(found.value, min(proven, bound))
        paths.add((found.status, hint is None))
    assert len(paths) == 4
