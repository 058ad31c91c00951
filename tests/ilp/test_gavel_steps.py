"""The interior-point method step by step: Newton's system solved whole, step lengths and slacks by definition."""

import numpy as np
import pytest

from rarlib.ilp.gavel import central_path as module
from rarlib.ilp.gavel.central_path import CENTRED, CONSTANT, HYPERBOLIC, PROPORTIONAL, ShareProgram, centre

KINDS = (CONSTANT, PROPORTIONAL, HYPERBOLIC)


def program(seed, kind):
    rng = np.random.default_rng(seed)
    jobs, types = int(rng.integers(1, 5)), int(rng.integers(1, 4))
    return ShareProgram(
        gain=rng.uniform(0.0, 1.0, (jobs, types)) * (kind == CONSTANT),
        gpus=rng.integers(1, 5, jobs).astype(float),
        capacity=rng.integers(2, 9, types).astype(float),
        speed=rng.uniform(0.2, 1.0, (jobs, types)),
        kind=kind,
        slope={CONSTANT: 0.0, PROPORTIONAL: 1.0, HYPERBOLIC: -1.0}[kind],
        work=rng.uniform(1.0, 9.0, jobs),
        base=rng.uniform(1.0, 9.0, jobs),
        age=rng.uniform(0.0, 5.0, jobs),
    )


def point(p):
    n, types = p.gain.shape
    rows, wide = 2 * n + types, types + 2
    shapes = ((n, types), (n, types), (1,), rows, rows, (n, types), rows, rows, (wide, wide), (n, wide, wide))
    return module._Point(*(np.zeros(s) for s in (*shapes, (wide - 1, wide - 1), (wide - 1, 1))))


def slacks(p, x, level):
    """Of time, demands and capacities, straight from the program."""
    speed = (p.speed * x).sum(axis=1)
    if p.kind == CONSTANT:
        left = np.ones(len(speed))
    elif p.kind == PROPORTIONAL:
        left = speed - level
    else:
        excess = level * p.base - p.age
        left = np.where(excess > 0.0, speed - p.work / np.where(excess > 0.0, excess, 1.0), -np.inf)
    return np.concatenate([1.0 - x.sum(axis=1), left, p.capacity - p.gpus @ x])


def started(seed, kind, mu=0.5):
    p = program(seed, kind)
    at = point(p)
    module._start(p, at, mu)
    return p, at


@pytest.mark.parametrize("kind", KINDS)
def test_it_starts_inside_with_prices_on_the_path(kind):
    for seed in range(40):
        p, at = started(seed, kind)
        n = len(p.gpus)
        assert (at.x > 0.0).all() and (at.slack > 0.0).all()
        np.testing.assert_allclose(at.slack, slacks(p, at.x, at.level[0]))
        np.testing.assert_allclose(at.x * at.z, 0.5)
        priced = np.ones(len(at.slack), bool)
        priced[n : 2 * n] = kind != CONSTANT
        np.testing.assert_allclose((at.slack * at.price)[priced], 0.5)
        assert not at.price[~priced].any()
        # At most half of every type is taken, and of every share no more than equal parts with an idle one.
        assert (p.gpus @ at.x <= p.capacity / 2 + 1e-12).all()
        assert (at.x <= 1.0 / (at.x.shape[1] + 1) + 1e-12).all()
        assert at.x.max() == pytest.approx(
            min(1.0 / (at.x.shape[1] + 1), float(p.capacity.min()) / (2.0 * p.gpus.sum()))
        )
        speed = (p.speed * at.x).sum(axis=1)
        if kind == PROPORTIONAL:
            assert at.level[0] == pytest.approx(speed.min() / 2)
        if kind == HYPERBOLIC:
            # Everybody's demand is at most half of what it gets; of one, just half.
            asked = p.work / (at.level[0] * p.base - p.age)
            assert (asked / speed).max() == pytest.approx(0.5)


def test_slopes_of_the_demand():
    """Against differences; out of reach, it is infinite."""
    for seed in range(40):
        p = program(seed, HYPERBOLIC)
        for j in range(len(p.gpus)):
            level = p.age[j] / p.base[j] + 0.5
            value, slope, curvature = module._demand(p, j, level)
            assert value == pytest.approx(p.work[j] / (level * p.base[j] - p.age[j]))
            above, below = (module._demand(p, j, level + h)[0] for h in (1e-4, -1e-4))
            assert slope == pytest.approx((above - below) / 2e-4, rel=1e-4)
            assert curvature == pytest.approx((above - 2 * value + below) / 1e-8, rel=1e-3)
            assert module._demand(p, j, p.age[j] / p.base[j] * 0.999)[0] == np.inf
            assert module._demand(p._replace(age=np.zeros(len(p.age))), j, 0.0) == (np.inf, 0.0, 0.0)
        assert module._demand(p._replace(kind=PROPORTIONAL), 0, 0.7) == (0.7, 1.0, 0.0)
        assert module._demand(p._replace(kind=CONSTANT), 0, 0.7) == (0.0, 0.0, 0.0)


def whole_system(p, at, mu):
    """Newton's equations for all unknowns at once: shares, level, and prices after the step."""
    n, types = p.gain.shape
    rows = 2 * n + types
    size = n * types + 1 + rows
    matrix, right = np.zeros((size, size)), np.zeros(size)
    level, prices = n * types, n * types + 1
    for j in range(n):
        _, slope, curvature = module._demand(p, j, at.level[0])
        for t in range(types):
            v = j * types + t
            # gain + z after the step - price of time - gpus x price of the type + speed x price of the demand = 0
            matrix[v, v] = -at.z[j, t] / at.x[j, t]
            matrix[v, prices + j] = -1.0
            matrix[v, prices + n + j] = p.speed[j, t]
            matrix[v, prices + 2 * n + t] = -p.gpus[j]
            right[v] = -p.gain[j, t] - mu / at.x[j, t]
        matrix[level, prices + n + j] = -slope
        matrix[level, level] -= at.price[n + j] * curvature
        # slack x price after + price x (change of the slack) = mu
        for row, change in (
            (j, {j * types + t: -1.0 for t in range(types)}),
            (n + j, {j * types + t: p.speed[j, t] for t in range(types)} | {level: -slope}),
        ):
            matrix[prices + row, prices + row] = at.slack[row]
            for column, value in change.items():
                matrix[prices + row, column] = at.price[row] * value
            right[prices + row] = mu
    right[level] = -p.slope
    for t in range(types):
        row = 2 * n + t
        matrix[prices + row, prices + row] = at.slack[row]
        for j in range(n):
            matrix[prices + row, j * types + t] = -at.price[row] * p.gpus[j]
        right[prices + row] = mu
    if p.kind == CONSTANT:
        matrix[level, level] = 1.0  # no level, no price of demands
        for j in range(n):
            matrix[prices + n + j] = 0.0
            matrix[prices + n + j, prices + n + j], right[prices + n + j] = 1.0, 0.0
    found = np.linalg.solve(matrix, right)
    return found[:level].reshape(n, types), found[level], found[prices:]


@pytest.mark.parametrize("kind", KINDS)
def test_newton_steps_solve_the_whole_system(kind):
    """At the start, and after a step from it."""
    for seed in range(25):
        p, at = started(seed, kind)
        for mu in (0.5, 0.1):
            wanted = whole_system(p, at, mu)
            dlevel = module._newton(p, mu, at)
            np.testing.assert_allclose(at.dx, wanted[0], rtol=1e-6, atol=1e-9)
            np.testing.assert_allclose(at.after, wanted[2], rtol=1e-6, atol=1e-9)
            assert dlevel == pytest.approx(wanted[1], rel=1e-6, abs=1e-9)
            length, other = module._lengths(p, mu, at, dlevel)
            x, z, price, level = at.x.copy(), at.z.copy(), at.price.copy(), float(at.level[0])
            dz = mu / x - z - z * at.dx / x
            # As far as to 0.995 of the way to 0, at most 1; shares shorter, in fifths, until all slacks are positive.
            down = [0.995 * a / -b for a, b in zip(z.ravel(), dz.ravel(), strict=True) if b < 0.0]
            down += [0.995 * a / (a - b) for a, b in zip(price, at.after, strict=True) if b < a]
            assert other == pytest.approx(min([1.0, *down]))
            longest = min([1.0, *(0.995 * a / -b for a, b in zip(x.ravel(), at.dx.ravel(), strict=True) if b < 0.0)])
            while not (slacks(p, x + longest * at.dx, level + longest * dlevel) > 0.0).all():
                longest *= 0.8
            assert length == pytest.approx(longest)
            gap, largest = module._go(mu, at, dlevel, length, other)
            np.testing.assert_allclose(at.x, x + length * at.dx)
            np.testing.assert_allclose(at.z, z + other * dz)
            np.testing.assert_allclose(at.price, price + other * (at.after - price))
            np.testing.assert_allclose(at.slack, slacks(p, at.x, at.level[0]), atol=1e-12)
            assert at.level[0] == pytest.approx(level + length * dlevel)
            assert gap == pytest.approx((at.x * at.z).sum() + (at.slack * at.price).sum())
            assert largest == np.abs(at.dx).max()


@pytest.mark.parametrize("kind", KINDS)
def test_the_end_is_centred(kind):
    """The mean complementarity is at most twice that of the path's end, which is about that of every constraint."""
    for seed in range(25):
        p = program(seed, kind)
        at, (n, types) = point(p), p.gain.shape
        mu = max(float(p.gain.max()), abs(p.slope))
        gap = module._follow(p, at, mu)
        last = mu * CENTRED
        priced = np.ones(len(at.slack), bool)
        priced[n : 2 * n] = kind != CONSTANT
        products = np.concatenate([(at.x * at.z).ravel(), (at.slack * at.price)[priced]])
        assert gap == pytest.approx(products.mean(), rel=1e-9)
        assert last * 0.5 <= gap <= 2.0 * last
        assert products.min() > 0.0
        assert 0.5 * last < np.median(products) < 2.0 * last
        shares, level, mean = centre(p)
        assert (shares.tolist(), level, mean) == (at.x.tolist(), float(at.level[0]), gap)
        assert types == shares.shape[1]


@pytest.mark.parametrize("kind", KINDS)
def test_the_path_is_left_for_its_centre_and_then_for_good(kind):
    """A tenth of the gap after a long step, three tenths after a shorter one, the same again after a short one.

    Once the end is reached, the point is centred until shares stand still, in 30 more steps at most.
    """
    factors, ends = set(), set()
    for seed in range(25):
        p = program(seed, kind)
        at, (n, types) = point(p), p.gain.shape
        mu = max(float(p.gain.max()), abs(p.slope))
        module._start(p, at, mu)
        last, centrings = mu * 1e-9, 0
        count = n * (types + 1) + types + n * (kind != CONSTANT)
        for _ in range(200):
            dlevel = module._newton(p, mu, at)
            length, other = module._lengths(p, mu, at, dlevel)
            total, largest = module._go(mu, at, dlevel, length, other)
            mean = total / count
            centrings += mean <= 2.0 * last
            still = length * largest < 1e-6
            if centrings > 30 or (centrings > 0 and still):
                ends.add(still)
                break
            step = min(length, other)
            factor = 0.1 if step > 0.7 else 0.3 if step > 0.2 else 1.0
            factors.add(factor)
            mu = last if centrings else max(last, mean * factor)
        shares, level, gap = centre(p)
        np.testing.assert_allclose(shares, at.x, rtol=1e-10, atol=1e-14)
        assert level == pytest.approx(float(at.level[0]), rel=1e-10)
        assert gap == pytest.approx(mean, rel=1e-9)
    assert {0.1, 0.3} <= factors
    assert True in ends
