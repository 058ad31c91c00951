"""One fast machine against all orders, gangs that stay against exhaustive packing, closed forms by definition."""

from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rarlib.bounds import completion
from rarlib.bounds.dual_feasible import gangs_that_stay
from rarlib.bounds.one_machine import longest_job, released_area, serve
from rarlib.bounds.processing import Demand


def instance(seed, most=5):
    """Whole numbers, so that ends fall on releases and areas on each other."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, most + 1))
    release = np.sort(rng.integers(0, 7, n)).astype(float)
    area = rng.integers(0 if seed % 3 == 0 else 1, 6, n).astype(float)
    return release, area, float(rng.choice([1.0, 2.0, 4.0]))


def by_order(order, release, area, capacity):
    """Always the first released job of an order that has work left: completions, mean busy times, and the pieces."""
    left, now, finish, middle, pieces = area.copy(), 0.0, release.copy(), release.copy(), []
    middle[area > 0.0] = 0.0
    while (left > 0.0).any():
        ready = [job for job in order if left[job] > 0.0 and release[job] <= now]
        later = release[release > now]
        if not ready:
            now = later.min()
            continue
        job = ready[0]
        until = min([now + left[job] / capacity, *later])
        middle[job] += (until - now) * capacity / area[job] * (now + until) / 2.0
        left[job] -= (until - now) * capacity
        pieces.append((now, until, job))
        now = finish[job] = until
    return finish, middle, pieces


def test_least_sums_over_all_orders():
    """A schedule of one machine that is interrupted by releases only has a fixed order of jobs; no order is better."""
    for seed in range(60):
        release, area, capacity = instance(seed)
        area = np.maximum(area, 1.0)
        tried = [by_order(order, release, area, capacity) for order in permutations(range(len(area)))]
        remaining = serve(release, area, capacity, True)
        assert remaining.finish.sum() == pytest.approx(min(finish.sum() for finish, *_ in tried), rel=1e-12)
        whole = serve(release, area, capacity, False)
        assert whole.middle.sum() == pytest.approx(min(middle.sum() for _, middle, _ in tried), rel=1e-12)


def demand_of(seed):
    rng = np.random.default_rng(seed)
    release, area, capacity = instance(seed, 6)
    n = len(area)
    width = rng.integers(1, 4, n).astype(float)
    time = area / width + rng.integers(0, 3, n) * (area > 0)
    # The same for jobs released at once, of which the closed form may also take some.
    slack = rng.choice([0.0, 0.5], 7)[release.astype(int)] if seed % 2 else np.zeros(n)
    submit = release - rng.choice([0.0, 0.25], n)
    return Demand(np.ones(n, np.int64), submit, release, time, area, width, slack, capacity, int(capacity))


def test_closed_forms_of_the_makespan():
    """Each by its definition, over every job or every release, with the release at which it is attained."""
    for seed in range(150):
        need = demand_of(seed)
        ends = need.release + need.time - need.slack
        value, since = longest_job(need)
        assert value == max(ends)
        assert since in need.release[ends == value]
        areas = {}
        for begin in need.release.tolist():
            late = need.release >= begin
            areas[begin] = begin + need.area[late].sum() / need.capacity - need.slack[late].max()
        value, since = released_area(need)
        assert value == pytest.approx(max(areas.values()), rel=1e-12, abs=1e-12)
        assert areas[since] == pytest.approx(value, rel=1e-12, abs=1e-12)


def test_closed_forms_of_the_mean_jct():
    """Completions less submissions and slack, averaged."""
    for seed in range(100):
        need = demand_of(seed)
        off = need.submit + need.slack
        assert completion.alone(need) == pytest.approx((need.release + need.time - off).mean())
        shortest = serve(need.release, need.area, need.capacity, True).finish
        assert completion.squashed_areas(need) == pytest.approx((shortest - off).mean())
        served = serve(need.release, need.area, need.capacity, False)
        half = need.area / need.width / 2.0
        assert completion.mean_busy_times(need, served) == pytest.approx((served.middle + half - off).mean())


def least_makespan(time, gpus):
    """Shortest makespan of single-GPU jobs: every assignment is tried."""
    loads = (np.bincount(at, weights=time, minlength=gpus).max() for at in product(range(gpus), repeat=len(time)))
    return min(loads)


@settings(max_examples=150)
@given(st.lists(st.integers(1, 30), min_size=1, max_size=7), st.integers(1, 3), st.booleans())
def test_never_above_the_optimum(durations, gpus, whole):
    time = np.array(durations, float)
    known = max(time.max(), time.sum() / gpus)
    bound = gangs_that_stay(np.ones(len(time), np.int64), time, gpus, np.ceil(known) if whole else known, float(whole))
    assert known <= bound <= least_makespan(time, gpus) + 1e-9


@pytest.mark.parametrize(
    ("time", "gpus", "optimum"),
    [
        ([6, 6, 6], 2, 12),  # two jobs longer than half the makespan never share a GPU: area says 9
        ([7, 7, 7, 4, 4], 3, 11),  # a 4 fits beside a 7 only from 11 on: area says 9.67
        ([4, 4, 4, 4, 4], 2, 12),  # three thirds of 12 on one GPU: below 12 none holds three, area says 10
    ],
)
def test_meets_the_optimum_where_the_area_does_not(time, gpus, optimum):
    time = np.array(time, float)
    assert least_makespan(time, gpus) == optimum
    area = np.ceil(time.sum() / gpus)
    assert gangs_that_stay(np.ones(len(time), np.int64), time, gpus, max(area, time.max()), 1.0) == optimum
