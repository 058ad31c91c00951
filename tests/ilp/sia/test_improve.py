"""How a decision is improved where the search holds too few labels: shaken weights, and more and more jobs at once."""

from itertools import pairwise

import numpy as np
import pytest

from rarlib.ilp.sia import decide as module
from rarlib.ilp.sia.decide import _Round
from rarlib.ilp.sia.labels import FULL, MOST_LABELS, NOTHING, Labels
from rarlib.ilp.sia.problem import SCALE
from tests.ilp.sia.cases import round_like

LABELS = Labels.empty()


def round_of(seed=0, jobs=40):
    return _Round(round_like(seed, jobs), LABELS, MOST_LABELS)


def test_shaken_weights_are_a_little_heavier_each_by_something_else(monkeypatch):
    """By less than a 250th of a hundredth, spread evenly, and differently in each of five tries."""
    seen = []
    monkeypatch.setattr(module, "repaired", lambda c, *_: seen.append(c))
    of = round_of()
    used = int(of.choices.first[-1])
    for shake in range(5):
        answer, cheapest, ranked = of._repaired(shake)
        assert answer is None
        noise = (seen[shake].weight - of.choices.weight)[:used]
        assert (noise >= 0).all() and noise.max() < 0.004 * SCALE
        assert len(np.unique(noise)) > used / 2
        counts = np.histogram(noise, 8, (0, 0.004 * SCALE))[0]
        assert counts.max() - counts.min() <= 4  # the golden ratio spreads them
        assert np.array_equal(seen[shake].size, of.choices.size)
        for job, at in enumerate(cheapest):
            assert of.choices.first[job] <= at < of.choices.first[job + 1]
        assert sorted(ranked.tolist()) == list(range(40))
    shifts = [((seen[k].weight - seen[0].weight)[:used] % (0.004 * SCALE)) / (0.004 * SCALE) for k in range(1, 5)]
    for k, shift in enumerate(shifts, 1):
        np.testing.assert_allclose(shift, k / 5, atol=2e-3)


def asked(monkeypatch, of, states):
    """The searches of an improvement, each with the jobs that have several choices; their outcomes are given."""
    calls, jobs = [], len(of.problem.skip)
    ranked, cheapest = np.arange(jobs)[::-1], of.choices.first[:-1]
    monkeypatch.setattr(of, "_repaired", lambda shake: (None, cheapest, ranked))

    def search(keep, allowed):
        free = [job for job in range(jobs) if keep[of.choices.first[job] : of.choices.first[job + 1]].sum() > 1]
        assert keep[cheapest].all()
        others = np.flatnonzero(keep & ~np.isin(np.arange(len(keep)), cheapest))
        assert (of.slack[others] <= allowed).all()
        calls.append((free, allowed))
        return states(len(calls))

    monkeypatch.setattr(of, "_search", search)
    return calls, of._improve()


def test_ever_more_jobs_are_decided_again_within_ever_larger_distances(monkeypatch):
    """The first of those ranked by regret; if there is nothing to be found, all sizes at all distances."""
    of = round_of(1, 130)
    calls, best = asked(monkeypatch, of, lambda _: NOTHING)
    assert best is None
    distances = [allowed / of._target() for _, allowed in calls]
    assert distances == pytest.approx(np.repeat([0.9, 2.0, 4.0, 8.0], 5))
    sizes = list(module._CORES)
    assert all(1.45 < more / fewer < 1.55 for fewer, more in pairwise(sizes))  # half as many again
    for (free, _), size in zip(calls, sizes * 4, strict=True):
        assert set(free) <= set(range(130 - size, 130))
    assert [len(free) for free, _ in calls[-5:]] == sorted(len(free) for free, _ in calls[-5:])


def test_too_many_labels_end_a_distance_and_a_good_decision_ends_all(monkeypatch):
    of = round_of(2)
    calls, best = asked(monkeypatch, of, lambda call: FULL if call % 2 == 0 else NOTHING)
    assert best is None and len(calls) == 8
    good = round_of(2)
    answer = good._search(good.slack <= 8.0 * SCALE, 8.0 * SCALE)
    assert isinstance(answer, np.ndarray)
    calls, best = asked(monkeypatch, good, lambda call: answer if call == 3 else NOTHING)
    assert best is answer
    distance = good._excess(answer)
    assert len(calls) == 3 if distance <= 0.9 * good._target() else len(calls) > 3


def test_the_best_of_the_repaired_decisions_counts(monkeypatch):
    """Five tries at most, fewer if one is close; None is worse than any."""
    of = round_of(3)
    answer = of._search(of.slack <= 8.0 * SCALE, 8.0 * SCALE)
    heavy = of.choices.first[1:] - 1
    for found, tries in (([None, None, answer, heavy, None], 5), ([heavy, answer, heavy, heavy, heavy], 5)):
        seen = []

        def repaired(shake, found=found, seen=seen):
            seen.append(shake)
            return found[shake], of.choices.first[:-1], np.arange(40)

        monkeypatch.setattr(of, "_repaired", repaired)
        monkeypatch.setattr(of, "_search", lambda keep, allowed: FULL)
        monkeypatch.setattr(of, "_target", lambda: of._excess(answer) / 10.0)
        assert of._improve() is answer
        assert seen == list(range(tries))
    monkeypatch.setattr(of, "_target", lambda: of._excess(answer) / 0.9 + 1e-6)
    for first, tries in ((answer, [0]), (None, [0, 1])):
        seen.clear()
        found = [first, answer, heavy, heavy, heavy]
        monkeypatch.setattr(of, "_repaired", lambda shake, found=found: repaired(shake, found))
        assert of._improve() is answer
        assert seen == tries
