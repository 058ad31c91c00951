"""The fast law: theory on one link, properties, and the exact mode on cases of a seed that nothing was chosen by."""

from itertools import combinations
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rarlib.fabric.case import BYTES_PER_GBIT, flow_table
from rarlib.fabric.law import law_space, law_times, mean_times
from rarlib.fabric.rates import fair_shares
from rarlib.fabric.sharing import enter, leave, sharing_of
from rarlib.model.errors import InputError
from tests.rarlib.fabric.cases import GBPS, sender, shared
from tests.rarlib.fabric.drawn import fabric_case
from tests.rarlib.fabric.error_map import one_link_errors, several_links_errors, spread_of

HELD_OUT = 77


def product_form(jobs, alpha):
    """Mean iteration times on one link, from the stationary law of the closed network, set by set."""
    for job, (c, s) in enumerate(jobs):
        others = [other for i, other in enumerate(jobs) if i != job]
        total = meets = 0.0
        for m in range(len(others) + 1):
            f = [q + alpha * (q - 1) for q in range(1, m + 2)]
            for chosen in combinations(range(len(others)), m):
                weight = prod(f[:-1]) * prod(own[i in chosen] for i, own in enumerate(others))
                total += weight
                meets += weight * f[-1]
        yield c + s * meets / total


JOBS = st.lists(st.tuples(st.floats(0.05, 2.0), st.floats(0.05, 2.0)), min_size=1, max_size=9)


@given(JOBS, st.sampled_from([0.0, 0.3, 1.0]))
def test_on_one_link_it_is_the_product_form(jobs, alpha):
    """With up to nine jobs, so that some are in the chain and others outside of it."""
    case = shared(*(sender(f"j{i}", c, s) for i, (c, s) in enumerate(jobs)), alpha=alpha)
    np.testing.assert_allclose(mean_times(case), list(product_form(jobs, alpha)), rtol=1e-5)


def test_with_many_jobs_on_a_link_it_is_the_product_form_too():
    """More users than a link remembers sets of: the sums over sets of one size are coefficients of a polynomial."""
    rng = np.random.default_rng(3)
    jobs = rng.uniform(0.5, 2.0, (70, 2)) * (20.0, 0.2)
    found = mean_times(shared(*(sender(f"j{i}", c, s) for i, (c, s) in enumerate(jobs))))
    for job, (c, s) in enumerate(jobs):
        sums = np.ones(1)
        for other in np.delete(jobs, job, axis=0):
            sums = np.convolve(sums, other / other.sum())
        chance = sums * np.cumprod([1.0, *range(1, len(sums))])
        assert found[job] == pytest.approx(c + s * (1.0 + chance @ np.arange(len(sums)) / chance.sum()), rel=1e-5)


@given(st.integers(0, 2**31), st.sampled_from([0.0, 0.3]))
@settings(max_examples=20)
def test_what_links_remember_changes_nothing(seed, alpha):
    """Jobs come and go; values from memory are those that nothing was remembered for, to the bit."""
    case = fabric_case(seed, 0, 9, (0.2, 0.8))._replace(alpha=alpha)
    rng, sharing = np.random.default_rng(seed), sharing_of(case)
    space, here = law_space(sharing), np.zeros(len(case.jobs), bool)
    for job in rng.integers(0, len(here), 25):
        (leave if here[job] else enter)(sharing, int(job))
        here[job] = not here[job]
        np.testing.assert_array_equal(law_times(sharing, here, space), law_times(sharing, here, law_space(sharing)))


def stationary(case):
    """Mean iteration times if times are exponential, by the generator of the chain over all sets."""
    table, n = flow_table(case), len(case.jobs)
    moves = np.zeros((2**n, 2**n))
    for sending in range(2**n):
        active = np.array([job for job in range(n) if sending >> job & 1], dtype=np.int64)
        rate = dict(zip(active, fair_shares(table, active) / table.size[active], strict=True))
        for job in range(n):
            moves[sending, sending ^ 1 << job] = rate.get(job, 1.0 / case.jobs[job].compute_s)
    balance = moves.T - np.diag(moves.sum(axis=1))
    balance[0] = 1.0
    chance = np.linalg.solve(balance, np.eye(2**n)[0])
    idle = [sum(chance[s] for s in range(2**n) if not s >> job & 1) for job in range(n)]
    return [job.compute_s / part for job, part in zip(case.jobs, idle, strict=True)]


@settings(max_examples=40)
@given(
    st.lists(
        st.tuples(st.floats(0.1, 1.0), st.floats(0.1, 1.0), st.sets(st.sampled_from("abc"))), min_size=2, max_size=5
    )
)
def test_over_several_links_it_is_the_chain(jobs):
    """Where all jobs share one link, and have others besides, all are in the chain: exact for exponential times."""
    senders = [sender(f"j{i}", c, s, "".join(sorted({"x", *more}))) for i, (c, s, more) in enumerate(jobs)]
    case = shared(*senders, links={"x": GBPS, "a": GBPS / 2, "b": GBPS / 3, "c": 0.8 * GBPS})
    np.testing.assert_allclose(mean_times(case), stationary(case), rtol=1e-6)


@given(st.floats(0.05, 2.0), st.floats(0.05, 2.0), st.floats(0.05, 2.0), st.floats(0.05, 2.0))
def test_two_jobs_lengthen_by_the_same_factor(c1, s1, c2, s2):
    """1 + d_1 d_2, with d the duties."""
    factor = 1.0 + s1 / (c1 + s1) * s2 / (c2 + s2)
    found = mean_times(shared(sender("a", c1, s1), sender("b", c2, s2)))
    np.testing.assert_allclose(found, [(c1 + s1) * factor, (c2 + s2) * factor], rtol=1e-6)


@pytest.mark.parametrize("k", [2, 5, 9, 40])
def test_jobs_that_always_send_share_evenly(k):
    """c -> 0: F = k, today's law."""
    case = shared(*(sender(f"j{i}", 0.0, 0.2) for i in range(k)))
    np.testing.assert_allclose(mean_times(case), 0.2 * k, rtol=1e-3)


def test_a_thousand_jobs_on_a_link_overflow_nothing():
    """Saturated: each gets a thousandth of the link."""
    case = shared(*(sender(f"j{i}", 0.2, 0.2) for i in range(1000)))
    np.testing.assert_allclose(mean_times(case), 1000 * 0.2, rtol=1e-6)


def test_alone_it_is_exact():
    """F = 1 to the bit, with another job on other links, and for jobs that never send or never compute."""
    a, b = sender("a", 0.3, 0.1, "xy"), sender("b", 0.4, 0.0, "xz")
    silent = sender("c", 0.7, 0.1)._replace(flows=())
    case = shared(a, b, silent, sender("d", 0.5, 0.25, "z"), links="xyz")
    assert list(mean_times(case)) == [0.3 + 0.1, 0.4, 0.7, 0.5 + 0.25]


def test_a_job_that_is_held_back_elsewhere_takes_no_more_than_it_can():
    """y lets a have a quarter of x; max-min gives it that, and b the rest: a is never slowed."""
    a = sender("a", 0.5, 0.1, {"x": 1, "y": 1})
    case = shared(a, sender("b", 0.2, 0.3, "x"), links={"x": GBPS, "y": GBPS / 4})
    first, second = mean_times(case)
    assert first == pytest.approx(0.5 + 0.4, rel=1e-7)
    assert 0.2 + 0.3 < second < 0.2 + 0.3 / 0.75


def drawn(number, jobs=8):
    return fabric_case(3, number, jobs, (0.1, 0.8))


@pytest.mark.parametrize("number", range(12))
def test_names_order_time_and_idle_links_change_nothing(number):
    case = drawn(number)
    found = mean_times(case)
    turned = case._replace(jobs=list(reversed(case.jobs)), links={"idle": 1.0, **case.links})
    np.testing.assert_allclose(mean_times(turned)[::-1], found, rtol=1e-7)
    jobs = [
        job._replace(compute_s=3 * job.compute_s, flows=tuple(f._replace(bytes_=3 * f.bytes_) for f in job.flows))
        for job in case.jobs
    ]
    np.testing.assert_allclose(mean_times(case._replace(jobs=jobs)), 3 * found, rtol=1e-7)


@pytest.mark.parametrize("number", range(12))
def test_nobody_is_faster_than_alone(number):
    case = drawn(number, jobs=20)
    alone = [mean_times(case._replace(jobs=[job]))[0] for job in case.jobs]
    assert (mean_times(case) >= np.array(alone) * (1 - 1e-9)).all()


@pytest.mark.parametrize("seed", range(6))
def test_nobody_beyond_three_steps_matters(seed):
    """What makes it incremental. Of ten jobs in a row, each shares a link with the next one only."""
    rng = np.random.default_rng(seed)
    jobs = [sender(f"j{i}", *rng.uniform((0.01, 0.3), (0.2, 1.0)), f"{i}{i + 1}") for i in range(9)]
    jobs.append(sender("last", 0.01, 0.9, "9"))
    links = [str(i) for i in range(10)]
    whole, without = mean_times(shared(*jobs, links=links)), mean_times(shared(*jobs[:-1], links=links))
    assert (whole[:6] == without[:6]).all()
    assert (whole[7:9] > without[7:9]).any()


@pytest.mark.parametrize("number", range(12))
def test_no_link_carries_more_than_it_can(number):
    """Summed over its users, seconds of sending over a link stay below the seconds that pass."""
    case = fabric_case(3, number, 24, (0.6, 0.95))
    busy = dict.fromkeys(case.links, 0.0)
    for job, taken_s in zip(case.jobs, mean_times(case), strict=True):
        crossed = [(link, flow.bytes_ * times) for flow in job.flows for link, times in flow.links.items()]
        for link, sent in crossed:
            busy[link] += sent / (case.links[link] * BYTES_PER_GBIT) / taken_s
    assert max(busy.values()) <= 1.0 + 1e-9
    assert max(busy.values()) > 0.97, "some link must be full, or this shows nothing"


def test_jobs_that_come_and_go_advance_by_the_law_of_each_set():
    """b is there during a part of a's life only; by hand, in three intervals."""
    a, b = sender("a", 0.5, 0.5, iterations=10), sender("b", 0.5, 0.5, start_s=4.0, iterations=2)
    together = 1.25
    end_b = 4.0 + 2 * together
    end_a = end_b + (10 - 4 - 2) * 1.0
    np.testing.assert_allclose(mean_times(shared(a, b, leave=True)), [end_a / 10, together], rtol=1e-6)


def test_priorities_are_refused():
    with pytest.raises(InputError, match="no priorities"):
        mean_times(shared(sender("a", 0.1, 0.1, priority=1), sender("b", 0.1, 0.1)))


def test_on_one_link_only_chance_is_left():
    """The exact mode with noise agrees with theory, whatever the number of sharers and the duty."""
    found = one_link_errors(HELD_OUT, 1)
    law, counted = spread_of(e.law for e in found), spread_of(e.counted for e in found)
    assert law[0] <= 0.003 and law[1] <= 0.015
    assert counted[0] > 0.1, "the law that counts sharers is far away on the same cases"


def test_over_several_links_it_is_near_the_exact_mode():
    """Cases of a seed that no choice in the law was made by."""
    found = several_links_errors(HELD_OUT, 3)
    median, high = spread_of(e.law for e in found)
    assert len(found) > 500
    assert median <= 0.015 and high <= 0.11
    assert spread_of(e.counted for e in found)[0] > 0.1


@pytest.mark.parametrize("compute_s", [1.6e-9, 1e-3])
@pytest.mark.parametrize("iterations", [1, 7, 1000])
def test_short_iterations_late_in_time_are_no_faster_than_alone(compute_s, iterations):
    """Seconds are differences of large times here."""
    jobs = [sender(f"j{i}", compute_s, 0.0, start_s=1e5 + i / 7, iterations=iterations) for i in range(3)]
    times = mean_times(shared(*jobs, leave=True))
    assert (times >= compute_s).all()
