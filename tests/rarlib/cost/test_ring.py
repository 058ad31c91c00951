"""Ring cost models against eq. 6-8 worked out by hand, and the properties section 4 of the paper states."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rarlib.cost.contention import sharing_factors
from rarlib.cost.named import parse
from rarlib.cost.ring import PhysicalRingCost, RingCost
from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError
from rarlib.model.jobs import Jobs
from rarlib.model.prices import iteration_s

CLUSTER = Cluster.of([4, 8])


def _jobs(gpus, **more):
    n = len(gpus)
    return Jobs.build(submit_s=np.zeros(n), gpus=gpus, duration_s=np.full(n, 100.0), **more)


def _physical(between=10.0, **more):
    return PhysicalRingCost(
        iterations=np.array([1000.0]),
        gradient=100.0,
        batch=32.0,
        forward_s=0.01,
        backward_s=0.08,
        between=between,
        within=150.0,
        reduce=300.0,
        overhead_s=0.5,
        **more,
    )


def test_equation_8_by_hand():
    prices = _physical(alpha=0.3).price(_jobs([4]), CLUSTER)
    # m/w = 25, w-1 = 3: reduce 75/300 = 0.25, forward 0.32, backward 0.08; ring 150 data over the link
    compute = 0.25 + 0.32 + 0.08
    assert iteration_s(prices, 0, 1, 0) == pytest.approx(compute + 150 / 150 + 0.5)
    assert iteration_s(prices, 0, 2, 1) == pytest.approx(compute + 150 / 10 + 2 * 0.5)
    # three sharers: f = 3 + 0.3 * 2 = 3.6
    assert iteration_s(prices, 0, 3, 3) == pytest.approx(compute + 15 * 3.6 + 3 * 0.5)


def test_equation_1_of_gadget_by_hand():
    """10 data, 5 workers: 10 x 4/5 x (2/4 + 1/8) = 5, plus 0.5 x 6 + 2 + 1; a worker alone does not communicate."""
    jobs = _jobs([5, 1, *range(2, 200)])
    cost = PhysicalRingCost(
        iterations=np.ones(len(jobs)), gradient=10, batch=6, forward_s=0.5, backward_s=2,
        between=1, within=4, reduce=8, overhead_s=1,
    )  # fmt: skip
    prices = cost.price(jobs, Cluster.of([200]))
    times = [iteration_s(prices, job, 1, 1) for job in range(len(jobs))]
    assert times[:2] == pytest.approx([11.0, 6.0])
    assert (np.diff(times[1:]) > 0).all()
    assert times[-1] < 10 * (2 / 4 + 1 / 8) + 6  # the bound of section III


@given(st.floats(0, 5), st.floats(0.01, 1))
def test_degradation_is_monotone_and_one_for_a_job_alone(alpha, xi):
    """xi p below 1 must not make a shared link faster than an idle one (the repaired eq. 7)."""
    factor = sharing_factors(32, alpha, xi)
    assert factor[0] == factor[1] == 1.0
    assert (np.diff(factor) >= 0).all()


def test_another_degradation_can_be_plugged_in():
    """f is a parameter: a quadratic one reaches the price table; one that rewards sharing is refused."""
    prices = RingCost(degradation=lambda alpha, k: k**2).price(_jobs([2]), CLUSTER)
    assert prices.sharing[3] == 9.0
    with pytest.raises(InputError, match="must not fall"):
        RingCost(degradation=lambda alpha, k: 1.0 / k)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("beta=1", "unknown key 'beta'"),
        ("alpha=x", "must be a number, found 'x'"),
        ("alpha", "must be a number, found ''"),
        ("alpha=-1", "at least 0"),
        ("xi=0", "above 0"),
        ("share=1", "below 1"),
        ("overhead=nan", "at least 0"),
        ("degradation=1", "unknown key 'degradation'"),
        ("gbps=0", "--contention, field gbps: must be a number above 0"),
        ("gbps=1e-300", "gbps: must be 0 or a number of 1e-06 to"),
        ("alpha=1e308", "alpha: must be 0 or a number of 1e-06 to"),
        ("alpha=0.1,alpha=0.2", "alpha: is given twice"),
        ("x" * 10**6 + "=1", "unknown key 'x{80}\\.\\.\\.'"),
    ],
)
def test_bad_contention_text_is_refused(text, message):
    with pytest.raises(InputError, match=message):
        parse(RingCost, text)


def test_contention_text():
    """Named keys are set, the others keep their defaults, blanks do not matter."""
    assert parse(RingCost, " alpha=0.5, xi=0.5") == RingCost(alpha=0.5, xi=0.5)
    assert parse(RingCost, "") == RingCost()
