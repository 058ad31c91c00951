"""Prices of GPU time: what they prove, against filling a fine grid, and that they are optimal, by strong duality."""

import numpy as np
import pytest
from scipy.optimize import linprog

from rarlib.bounds import completion
from tests.rarlib.bounds.test_one_machine import demand_of


def cheapest(release, area, width, at, price, step):
    """Least integral of h (t - release)/area + h y, with h at most the width, by taking the cheapest cells."""
    begins = np.arange(release, max(at[-1], release) + area / width + step, step)
    middle = begins + step / 2
    cost = (middle - release) / area + np.interp(middle, at, price, right=0.0)
    cells = np.sort(cost)
    count = area / (width * step)
    whole = int(count)
    return width * step * (cells[:whole].sum() + (count - whole) * cells[whole])


def some_prices(rng):
    """A polyline from 0 on, with jumps, that ends at 0."""
    at = np.sort(np.concatenate([[0.0], rng.uniform(0.0, 15.0, 4).repeat(rng.integers(1, 3, 4))]))
    return at, np.append(rng.exponential(0.4, len(at) - 1), 0.0)


def test_the_value_of_prices_is_their_dual_function():
    for seed in range(40):
        need, rng = demand_of(seed), np.random.default_rng(seed + 1000)
        at, price = some_prices(rng)
        total = need.release.sum() - need.submit.sum() - need.slack.sum()
        for job in np.flatnonzero(need.area > 0.0):
            total += cheapest(need.release[job], need.area[job], need.width[job], at, price, 0.002)
            total += need.area[job] / need.width[job] / 2
        total -= need.capacity * np.trapezoid(price, at)
        assert completion._value(need, at, price) == pytest.approx(total / len(need.area), abs=2e-3)


def least_over_buckets(need, at, y):
    """Optimum of the problem with time in parts, and the value that prices `y` of the parts prove for it.

    A job of area a takes x_k of it in part k, at most its width times what is left of the part after its release, and
    waits until the middle of that on average; what it leaves undone costs two horizons. Times in horizons.
    """
    horizon = at[-1]
    edges = np.linspace(0.0, horizon, len(at) - 1)
    some = np.flatnonzero(need.area > 0.0)
    costs, uppers, proven = [], [], 0.0
    for job in some:
        begin = np.maximum(edges[:-1], need.release[job])
        span = np.maximum(edges[1:] - begin, 0.0)
        most = np.minimum(need.width[job] * span / need.area[job], 1.0)
        cost = ((begin + edges[1:]) / 2.0 - need.release[job]) / horizon
        left, full = 1.0, cost + y * need.area[job] / horizon
        for k in np.argsort(full):
            if full[k] < 2.0:
                taken = min(left, most[k])
                proven += taken * full[k]
                left -= taken
        proven += 2.0 * left
        costs.append(np.append(cost, 2.0))
        uppers.append(np.append(most, 1.0))
    part = edges[1]
    proven -= need.capacity * part * y.sum() / horizon
    n, parts = len(some), len(edges) - 1
    cover = np.kron(np.eye(n), np.ones(parts + 1))
    load = np.hstack([np.hstack([need.area[job] * np.eye(parts), np.zeros((parts, 1))]) for job in some])
    found = linprog(
        np.concatenate(costs),
        A_ub=load,
        b_ub=np.full(parts, need.capacity * part),
        A_eq=cover,
        b_eq=np.ones(n),
        bounds=np.column_stack([np.zeros(n * (parts + 1)), np.concatenate(uppers)]),
        method="highs",
    )
    return found.fun, proven


@pytest.mark.parametrize("merged", [False, True])
def test_prices_of_the_parts_of_time_are_optimal(monkeypatch, merged):
    """Also where jobs that are alike are merged, if they are the same."""
    monkeypatch.setattr(completion, "_BUCKETS", 12)
    if merged:
        monkeypatch.setattr(completion, "_MOST_SHARES", 0)
    paid = 0
    for seed in range(40):
        need = demand_of(seed)
        if merged:
            rng = np.random.default_rng(seed)
            area = np.array([1.0, 16.0, 256.0])
            need = need._replace(**{name: getattr(need, name)[:1] for name in need._fields[:7]})
            need = need.take(np.zeros(6, np.int64))._replace(area=area.repeat(2), width=rng.integers(1, 4, 3).repeat(2))
            need = need._replace(release=rng.integers(0, 40, 3).repeat(2).astype(float))
            need = need._replace(time=need.area / need.width)
        if not need.area.any():
            continue
        at, price = completion._bucket_prices(need)
        last = max((need.release + need.time)[need.area > 0.0].max(), need.release[need.area > 0.0].max())
        last = max(last, need.release[need.area > 0.0].max() + need.area.sum() / need.capacity)
        assert last * 1.1 < at[-1] < last * 1.5
        part = at[-1] / 12
        np.testing.assert_allclose(at[1:-1], part * (np.arange(12) + 0.5))
        assert at[0] == 0.0
        assert price[-1] == 0.0
        # To the left of the first middle, on as in the first step.
        assert price[0] == pytest.approx(max(price[1] + (price[1] - price[2]) / 2.0, 0.0))
        optimum, proven = least_over_buckets(need, at, price[1:-1])
        assert proven == pytest.approx(optimum, rel=1e-6, abs=1e-9)
        paid += price.any()
    assert paid > 15
