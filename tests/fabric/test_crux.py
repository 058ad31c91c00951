"""Crux against its paper's example, brute force, and the properties that it must have."""

from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rarlib.fabric.arranged import RingJob, arranged, case_view, flows_of, ring_view
from rarlib.fabric.arrangement import link_seconds
from rarlib.fabric.case import job_times, run_case
from rarlib.fabric.intensity import busiest_s, correction, intensity, sending_shares
from rarlib.fabric.levels import best_cut, compressed, random_topological_order
from rarlib.fabric.policies.crux import Crux, least_congested, priorities
from rarlib.fabric.policy_cases import policy_case, utilisations
from rarlib.fabric.policy_study import shares_of_best
from rarlib.fabric.routing import ecmp
from rarlib.fabric.shapes import leaf_spine
from rarlib.model.errors import InputError
from rarlib.model.seeds import stream
from tests.fabric.cases import sender, shared

EXAMPLE = ((2.0, 2.0), (1.0, 1.0))
"""Crux, section 4.2, example 1: seconds of computing and of sending; job 1 does 10 Gflop an iteration, job 2 does 5."""


@pytest.mark.parametrize(("first", "published"), [(0, 37.5), (1, 41.7)])
def test_example_1_of_the_paper(first, published):
    """Utilisation = share of time that a job computes, mean over both (5 Gflop a second each)."""
    shares = sending_shares(EXAMPLE[first], EXAMPLE[1 - first])
    # An iteration computes as long as it sends here, so the share of computing is that of sending.
    assert 100 * np.mean(shares) == pytest.approx(published, abs=0.05)


def test_correction_factor_of_example_1():
    assert correction(*EXAMPLE[1], *EXAMPLE[0]) == pytest.approx(1.5)


def test_example_1_is_arranged_as_in_the_paper():
    """Equal intensities, so the correction factor puts job 2 first; the reference is job 1, with more traffic."""
    case = shared(sender("job1", 2.0, 2.0), sender("job2", 1.0, 1.0))
    view = case_view(case, [1, 1])
    assert [intensity(job, busiest_s(view, job)) for job in view.jobs] == [1.0, 1.0]
    assert priorities(view, {0: (0,), 1: (0,)}) == pytest.approx({0: 1.0, 1: 1.5})
    assert Crux().arrange(view).priorities == {0: 0, 1: 1}


@pytest.mark.parametrize(("c", "s"), [(0.7, 0.3), (0.5, 0.5), (0.2, 0.8)])
def test_pairs_whose_correction_is_known(c, s):
    """Two equal jobs gain the same. A job that always sends gains everything first, and nothing second."""
    assert correction(c, s, c, s) == pytest.approx(1.0)
    assert sending_shares((0.0, s), (c, s)) == pytest.approx((1.0, 0.0), abs=0.01)
    first, second = sending_shares((c, s), (0.0, s))
    assert (first, second) == pytest.approx((s / (c + s), c / (c + s)), abs=0.01)


@settings(max_examples=30)
@given(*[st.floats(0.05, 2.0)] * 4)
def test_shares_of_a_pair(c1, s1, c2, s2):
    """The first is as fast as alone; a link gives no more than all of its time."""
    first, second = sending_shares((c1, s1), (c2, s2))
    assert first == pytest.approx(s1 / (c1 + s1), rel=1e-6)
    assert 0.0 <= second <= min(s2 / (c2 + s2), 1.0 - first) + 0.02


GRAPHS = st.integers(1, 7).flatmap(
    lambda n: st.tuples(
        st.permutations(range(n)),
        st.dictionaries(
            st.sampled_from([(a, b) for a in range(n) for b in range(a + 1, n)] or [(0, 0)]), st.integers(1, 9)
        ),
    )
)


def named(graph):
    """A random acyclic graph, an order of it, and its number of jobs."""
    order, weights = graph
    return order, {(order[a], order[b]): float(w) for (a, b), w in weights.items() if a != b}, len(order)


@settings(max_examples=200)
@given(GRAPHS, st.integers(1, 4))
def test_the_cut_of_an_order_is_the_best_of_all(graph, parts):
    order, edges, n = named(graph)
    found, cut = best_cut(order, edges, parts)
    best = 0.0
    for marks in product(range(parts), repeat=n):
        if list(marks) == sorted(marks):
            part = dict(zip(order, marks, strict=True))
            best = max(best, sum(w for (a, b), w in edges.items() if part[a] != part[b]))
    assert cut == best == sum(w for (a, b), w in edges.items() if found[a] != found[b])
    assert all(found[a] <= found[b] for a, b in edges) and max(found) < parts


@settings(max_examples=100)
@given(GRAPHS, st.integers(0, 2**32))
def test_random_orders_are_topological(graph, seed):
    _, edges, n = named(graph)
    order = random_topological_order(n, edges, stream(seed, "test"))
    assert sorted(order) == list(range(n))
    assert all(order.index(a) < order.index(b) for a, b in edges)


def test_every_topological_order_is_drawn():
    """Two chains of two: six orders."""
    rng = stream(0, "test")
    drawn = {tuple(random_topological_order(4, {(0, 1): 1.0, (2, 3): 1.0}, rng)) for _ in range(300)}
    assert drawn == {o for o in permutations(range(4)) if o.index(0) < o.index(1) and o.index(2) < o.index(3)}


@settings(max_examples=60)
@given(GRAPHS)
def test_many_orders_find_the_best_valid_compression(graph):
    """Over all levels that never turn an edge around, by enumeration; 200 orders of at most 7 jobs."""
    _, edges, n = named(graph)
    levels = compressed(n, edges, 3, 200, stream(1, "test"))
    valid = [marks for marks in product(range(3), repeat=n) if all(marks[a] >= marks[b] for a, b in edges)]
    best = max(sum(w for (a, b), w in edges.items() if marks[a] != marks[b]) for marks in valid)
    ours = sum(w for (a, b), w in edges.items() if levels[a] != levels[b])
    assert tuple(levels) in valid
    assert ours >= 0.9 * best


def test_paths_avoid_one_another_by_falling_intensity():
    """Two jobs between two racks with two spines: each gets a spine of its own, both ways."""
    shape = leaf_spine(2, 4, 2, 10.0, 10.0)
    rings = [RingJob((job, 4 + job), 8, 1e8, 0, 0.1) for job in range(2)]
    view = ring_view(
        shape, lambda _, source, target: shape.path(source, target, (0,) if source // 4 != target // 4 else ()), rings
    )
    chosen = least_congested(view)
    crossed = [{link for flow in flows_of(view, job, chosen[job.row]) for link in flow.links} for job in view.jobs]
    assert not crossed[0] & crossed[1]
    assert sum(len(links) for links in crossed) == 16


def test_a_second_job_on_a_loaded_fabric_takes_what_is_left():
    """Three jobs, two spines: the third joins the job that takes less of an uplink's time."""
    shape = leaf_spine(2, 4, 2, 10.0, 10.0)
    sizes = (4e8, 1e8, 1e8)
    rings = [
        RingJob((job, 4 + job), gpus, size, job, 0.3)
        for job, (gpus, size) in enumerate(zip((64, 8, 1), sizes, strict=True))
    ]
    view = ring_view(shape, ecmp(shape, 0), rings)
    chosen = least_congested(view)
    links = [link_seconds(view, job, chosen[job.row]).keys() for job in view.jobs]
    assert not links[0] & links[1] and not links[0] & links[2]
    assert len(links[1] & links[2]) == 4


def test_small_cases_come_near_the_best():
    """Published shares of the best: 97.69 % (paths), 97.24 % (priorities), 97.12 % (levels), means of 1,500 cases.

    Six cases of ours have a standard error of about one point; chance is five points or more below the best.
    """
    found = [shares_of_best(policy_case(7, number)) for number in range(6)]
    mean = np.mean(found, axis=0)
    paths, by_hash, order, orders, levels, all_levels = mean
    assert np.max(found) <= 1.0
    assert [paths, order, levels] == pytest.approx([0.9769, 0.9724, 0.9712], abs=0.03)
    assert by_hash < paths - 0.04 and orders < order and all_levels < levels


def test_variants_arrange_what_they_say():
    view = policy_case(3, 1).view
    both, first, paths = (Crux(parts=parts).arrange(view) for parts in ("both", "priorities", "paths"))
    assert both.paths == paths.paths and paths.priorities == {} and first.paths == {}
    assert both.priorities and first.priorities and len({*both.priorities.values()}) <= 8
    assert max(Crux(levels=2, spare=False).arrange(view).priorities.values()) == 1


def test_the_same_view_gives_the_same_arrangement():
    view = policy_case(3, 2).view
    assert Crux(levels=2).arrange(view) == Crux(levels=2).arrange(view)


def test_strict_priorities_starve_and_a_spare_level_does_not():
    """Two jobs that take turns on the link keep a third waiting for ever; lifted beside one of them, it goes on."""
    case = shared(sender("a", 0.5, 0.5), sender("b", 0.5, 0.5), sender("c", 0.5, 0.3))
    view = case_view(case, [8, 8, 1])
    strict = Crux(spare=False).arrange(view)
    assert strict.priorities[2] == 0 < min(strict.priorities[0], strict.priorities[1])
    with pytest.raises(InputError, match=r"job c has not done its iterations.*keep it waiting for ever"):
        run_case(arranged(case, view, strict), most=20_000)
    assert run_case(arranged(case, view, Crux().arrange(view))).whole


@pytest.mark.parametrize("number", range(12))
def test_with_spare_levels_every_run_ends(number):
    """Nobody leaves, so a job that is kept waiting for ever would never do its iterations."""
    one = policy_case(11, number, jobs=8)
    case = one.case._replace(leave=False, jobs=[job._replace(iterations=60) for job in one.case.jobs])
    found = arranged(case, one.view, Crux().arrange(one.view))
    run = run_case(found, most=500_000)
    alone = [job.compute_s + busiest_s(one.view, seen) for job, seen in zip(case.jobs, one.view.jobs, strict=True)]
    assert all(
        times.mean_iteration_s >= least * (1 - 1e-9) for times, least in zip(job_times(found, run), alone, strict=True)
    )


def test_priorities_raise_utilisation_on_most_cases():
    """Direction only, since the paper's traffic is not published."""
    gains = []
    for number in range(20):
        one = policy_case(5, number)
        found = Crux(parts="priorities").arrange(one.view).priorities
        fair, first = utilisations(one, one.case, [[0] * 5, [found[row] for row in range(5)]])
        gains.append(first / fair)
    assert np.mean(gains) > 1.02
