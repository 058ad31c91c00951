"""CASSINI: circles against brute force, shifts against the exact mode, drift with and without re-shifting."""

from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rarlib.fabric.affinity import components, demands_of
from rarlib.fabric.arranged import arranged, case_view
from rarlib.fabric.case import job_times, run_case
from rarlib.fabric.circles import Turning, best_turns, circle_of, free_score, link_scores
from rarlib.fabric.policies.cassini import Cassini
from tests.fabric.cases import sender, shared

STEPS = 72


def pulse(period, begin, sending, time):
    """Whether a job sends at an instant: its sending phase ends its iteration."""
    return (time - begin) % period < sending


def overlap(jobs, turns, steps):
    """Mean demand above capacity on one link, in fractions, from every instant at which anything changes."""
    perimeter = Fraction(int(np.lcm.reduce([job.period for job in jobs])))
    phases = []
    for job, turn in zip(jobs, turns, strict=True):
        sending = Fraction(job.duty) * job.period
        phases.append((job.period, Fraction(job.period) - sending + perimeter * turn / steps, sending, job.demand[0]))
    marks = {Fraction(0), perimeter}
    for period, begin, sending, _ in phases:
        for lap in range(int(perimeter / period)):
            marks |= {(begin + lap * period) % perimeter, (begin + lap * period + sending) % perimeter}
    times, above = sorted(marks), Fraction(0)
    for since, until in pairwise(times):
        demand = sum(
            Fraction(share) for period, begin, sending, share in phases if pulse(period, begin, sending, since)
        )
        above += max(demand - 1, Fraction(0)) * (until - since)
    return float(above / perimeter)


DUTIES = st.integers(1, 9).map(lambda n: n / 10)
JOBS = st.builds(
    lambda period, duty, share: Turning(period, duty, np.array([share])),
    st.sampled_from([1, 2, 3, 4]),
    DUTIES,
    st.sampled_from([0.25, 0.5, 1.0]),
)


@settings(max_examples=60)
@given(st.lists(JOBS, min_size=2, max_size=3), st.data())
def test_scores_are_those_of_the_definition(jobs, data):
    turns = [data.draw(st.integers(0, STEPS - 1)) for _ in jobs]
    circle = circle_of(jobs, STEPS, 0.05)
    # Duties are rounded to a thousandth of a step's share of the period.
    assert link_scores(circle, turns)[0] == pytest.approx(1 - overlap(jobs, turns, STEPS), abs=1e-4)


@settings(max_examples=12, deadline=None)
@given(st.lists(JOBS, min_size=2, max_size=3))
def test_best_turns_are_the_best_of_all(jobs):
    """Over every turn of every job, the first one's included: only turns between jobs matter."""
    steps = 6
    circle = circle_of(jobs, steps, 0.0)
    best = max(1 - overlap(jobs, turns, steps) for turns in product(range(steps), repeat=len(jobs)))
    assert link_scores(circle, best_turns(circle))[0] == pytest.approx(best, abs=1e-3)


@settings(max_examples=10)
@given(st.lists(JOBS, min_size=4, max_size=4))
def test_many_jobs_are_turned_each_from_others(jobs):
    """Four jobs have too many turns to try all; no single turn makes what was found better."""
    circle = circle_of(jobs, STEPS, 0.0)
    turns = list(best_turns(circle))
    found = link_scores(circle, turns)[0]
    for job in range(1, 4):
        for turn in range(circle.turns[job]):
            assert link_scores(circle, [*turns[:job], turn, *turns[job + 1 :]])[0] <= found + 1e-9


@pytest.mark.parametrize("jobs", [4, 6, 8])
def test_many_equal_jobs_that_fit_are_interleaved(jobs):
    """Each sends for less than 1/jobs of the period, in whole steps: score 1 exists, and is found."""
    circle = circle_of([Turning(500, (STEPS // jobs) / STEPS, np.array([1.0]))] * jobs, STEPS, 0.05)
    assert link_scores(circle, best_turns(circle))[0] == 1.0


@pytest.mark.parametrize(("one", "other"), [(36, 36), (10, 62), (1, 71), (30, 30), (37, 36), (40, 40), (72, 5)])
def test_the_score_is_1_exactly_if_duties_add_up_to_1_at_most(one, other):
    """Duties in steps of the circle, equal periods."""
    jobs = [Turning(500, n / STEPS, np.array([1.0])) for n in (one, other)]
    circle = circle_of(jobs, STEPS, 0.05)
    found = link_scores(circle, best_turns(circle))[0]
    assert (found == 1.0) == (one + other <= STEPS)
    assert found == pytest.approx(1.0 - max(0, one + other - STEPS) / STEPS)


def test_without_a_common_circle_phases_are_independent():
    """The mean over all turns of two jobs is what independent phases give."""
    jobs = [Turning(1, 0.5, np.array([1.0])), Turning(1, 0.25, np.array([0.75]))]
    circle = circle_of(jobs, STEPS, 0.0)
    mean = np.mean([link_scores(circle, (0, turn))[0] for turn in range(STEPS)])
    assert free_score([0.5, 0.25], [1.0, 0.75]) == pytest.approx(mean) == pytest.approx(1 - 0.5 * 0.25 * 0.75)


def means(case):
    return [times.mean_iteration_s for times in job_times(case, run_case(case))]


def cassini(case, **params):
    view = case_view(case, [1] * len(case.jobs))
    return arranged(case, view, Cassini(**params).arrange(view))


@pytest.mark.parametrize("second", [0.0, 0.1, 0.3, 0.7])
@pytest.mark.parametrize("duties", [(0.5, 0.5), (0.25, 0.625), (0.125, 0.125)])
def test_two_compatible_jobs_end_at_c_plus_s(duties, second):
    """Equal periods and d1 + d2 <= 1: no contention is left, whenever the second one starts."""
    jobs = [sender(f"j{i}", 1 - d, d, start_s=i * second) for i, d in enumerate(duties)]
    case = shared(*jobs)
    found = cassini(case)
    assert run_case(found).ends.reshape(2, -1)[:, 1:] - run_case(found).ends.reshape(2, -1)[:, :-1] == pytest.approx(
        np.ones((2, 59))
    )
    assert Cassini().mean_score(case_view(case, [1, 1])) == 1.0


def test_two_jobs_that_do_not_fit_have_a_lower_score_and_still_contend():
    case = shared(sender("a", 0.4, 0.6), sender("b", 0.4, 0.6))
    assert Cassini().mean_score(case_view(case, [1, 1])) == pytest.approx(0.8, abs=0.02)
    assert min(means(cassini(case))) > 1.1


def test_different_periods_share_a_circle():
    """A job of period 1 and one of period 2 on a circle of 2: each other half of a second is free."""
    case = shared(sender("a", 0.5, 0.5, iterations=80), sender("b", 1.5, 0.5, iterations=40))
    found = cassini(case)
    assert means(case)[0] > 1.05
    assert [np.diff(ends).max() for ends in np.split(run_case(found).ends, [80])] == pytest.approx([1.0, 2.0])


def test_one_shift_for_each_job_serves_a_chain_of_links():
    """a and b share x, b and c share y: a graph without cycles, walked from a."""
    jobs = [sender("a", 0.5, 0.5, "x"), sender("b", 0.5, 0.5, "xy"), sender("c", 0.5, 0.5, "y")]
    case = shared(*jobs, links="xy")
    assert means(case) == pytest.approx([1.5] * 3)
    found = cassini(case)
    assert np.diff(run_case(found).ends.reshape(3, -1)) == pytest.approx(np.ones((3, 59)))


def test_a_graph_with_a_cycle_is_passed_over():
    """Three jobs, each pair on a link of its own: no shifts, no score."""
    pairs = ("xy", "yz", "zx")
    case = shared(*(sender(f"j{i}", 0.7, 0.3, links) for i, links in enumerate(pairs)), links="xyz")
    view = case_view(case, [1] * 3)
    assert [part.cyclic for part in components(demands_of(view))] == [True]
    assert Cassini().mean_score(view) is None
    assert Cassini().arrange(view).shifts == {}


def test_links_that_ask_for_nothing_are_no_cycle():
    """Two jobs that meet on four links are one node; a link wide enough for all its users is none."""
    case = shared(
        sender("a", 0.5, 0.5, "wxyz"), sender("b", 0.5, 0.5, "wxyz"), links=dict.fromkeys("wxy", 8.0) | {"z": 80.0}
    )
    (part,) = components(demands_of(case_view(case, [1, 1])))
    assert not part.cyclic
    assert [node.jobs for node in part.nodes] == [(0, 1)]


def test_the_placement_with_the_best_score_is_chosen():
    """Beside a job that leaves no gap, beside one that does, with a cycle, alone; only the first ten count."""
    crowded = shared(sender("a", 0.2, 0.8), sender("b", 0.2, 0.8))
    fits = shared(sender("a", 0.2, 0.8), sender("b", 0.9, 0.1))
    cyclic = shared(*(sender(f"j{i}", 0.7, 0.3, links) for i, links in enumerate(("xy", "yz", "zx"))), links="xyz")
    views = [case_view(case, [1] * len(case.jobs)) for case in (cyclic, crowded, fits)]
    assert Cassini().choose(views) == 2
    assert Cassini().choose([views[0]] * 2) == 0
    assert Cassini().choose([views[1]] * 10 + [views[2]]) == 0


def test_a_job_in_place_is_not_shifted_and_one_that_drifted_is():
    """Offsets say where the jobs are; 4 % of an iteration is within the drift, 6 % is not."""
    case = shared(sender("a", 0.5, 0.5), sender("b", 0.5, 0.5))
    view = case_view(case, [1, 1])
    for off, shifted in ((0.04, False), (-0.04, False), (0.06, True), (-0.06, True)):
        jobs = (view.jobs[0]._replace(offset_s=0.2), view.jobs[1]._replace(offset_s=0.7 + off))
        shifts = Cassini().arrange(view._replace(jobs=jobs)).shifts
        assert (max(shifts.values()) > 0.0) == shifted
        if shifted:
            assert max(shifts.values()) == pytest.approx(0.06)


def noisy(seed, iterations):
    jobs = [sender(f"j{i}", 0.6, 0.4, iterations=iterations, noise=0.05, seed=1000 * seed + i) for i in range(2)]
    return shared(*jobs)


def late_mean(case, since):
    """Mean iteration time of both jobs after that many iterations."""
    ends = run_case(case).ends.reshape(2, -1)
    return float((ends[:, -1] - ends[:, since - 1]).mean() / (ends.shape[1] - since))


def test_without_shifting_again_noise_undoes_the_gain():
    """5 % noise, d = 0.4: after 300 iterations the mean is that over all phases, (c + s)(1 + d d). Shifted again, the
    jobs keep most of the gain; what they lose is the time that the earlier one waits for the later one."""
    once = [cassini(noisy(seed, 1200), drift=0.0) for seed in range(30)]
    law = 1.0 + 0.4 * 0.4
    assert np.mean([late_mean(case, 300) for case in once]) == pytest.approx(law, abs=0.02)
    early = [run_case(case).ends.reshape(2, -1)[:, 19].mean() / 20 for case in once]
    assert np.mean(early) < 1.0 + 0.25 * (law - 1.0)
    held = np.mean([late_mean(cassini(noisy(seed, 1200)), 300) for seed in range(30)])
    assert held < 1.0 + 0.25 * (law - 1.0)
