"""The search for prices step by step: the ellipsoids, and what a first step already knows."""

import numpy as np
import pytest

from rarlib.ilp.sia import lagrangian
from rarlib.ilp.sia.lagrangian import Dual, bound_at, dual
from rarlib.ilp.sia.problem import choices
from tests.ilp.sia.cases import small


def empty(n):
    return Dual(np.zeros(n), np.full(1, -np.inf), np.zeros(1, np.int64), np.zeros((3, n)), np.zeros((n, n)))


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_a_cut_leaves_the_smallest_ellipsoid_around_the_rest(n):
    """It touches the rest at its tip and all around the cut, which only one ellipsoid of this axis does at least size.

    Of all ellipsoids through the tip and the rim, centres differ along the axis; the volume has its least here.
    """
    for seed in range(20):
        rng = np.random.default_rng(seed)
        root = rng.normal(size=(n, n)) + 2 * np.eye(n)
        shape, centre, slope, depth = root @ root.T, rng.normal(size=n), rng.normal(size=n), rng.uniform(0.0, 0.9)
        d, width = empty(n), float(np.sqrt(slope @ shape @ slope))
        d.shape[:], d.scratch[0], d.scratch[2] = shape, centre, shape @ slope
        lagrangian._cut(d, depth, width)
        axis = shape @ slope / width
        inverse = np.linalg.inv(d.shape)

        def level(x, at=d.scratch[0], inverse=inverse):
            return float((x - at) @ inverse @ (x - at))

        assert level(centre + axis) == pytest.approx(1.0)
        rim = np.linalg.cholesky(shape) @ rng.normal(size=(n, 8))
        rim -= np.outer(axis, slope @ rim / width)  # along the cut
        size = np.sqrt(np.einsum("ik,ij,jk->k", rim, np.linalg.inv(shape), rim))
        if n == 1:
            assert level(centre + depth * axis) == pytest.approx(1.0)
            continue
        for k in range(8):
            point = centre + depth * axis + np.sqrt(1 - depth**2) * rim[:, k] / size[k]
            assert level(point) == pytest.approx(1.0)
        # In the ball into which `shape` maps: half axes a along the axis and b across, centre at s.
        volumes = []
        shift = float(np.sqrt((d.scratch[0] - centre) @ np.linalg.inv(shape) @ (d.scratch[0] - centre)))
        for s in (shift - 1e-3, shift, shift + 1e-3):
            a = 1.0 - s
            volumes.append(a * np.sqrt((1 - depth**2) / (1 - ((depth - s) / a) ** 2)) ** (n - 1))
        assert volumes[1] == pytest.approx(float(np.sqrt(np.linalg.det(d.shape) / np.linalg.det(shape))))
        assert volumes[1] <= min(volumes) * (1 + 1e-9)


def test_the_first_ellipsoid_holds_all_prices_that_anybody_pays():
    """From 0 to the dearest at which a job still takes a GPU rather than its heaviest choice, and little more."""
    for seed in range(60):
        problem = small(seed)
        c, n = choices(problem), len(problem.capacity)
        d = empty(n)
        lagrangian._begin(c, problem.capacity, d)
        top = np.zeros(n)
        for job in range(len(problem.skip)):
            at = range(c.first[job], c.first[job + 1])
            for one in at:
                for other in at:
                    if c.size[one]:
                        gain = (c.weight[other] - c.weight[one]) / c.size[one]
                        top[c.kind[one]] = max(top[c.kind[one]], gain)
        centre = d.scratch[0]
        for corner in (np.zeros(n), top, np.where(np.arange(n) % 2, top, 0.0)):
            assert (corner - centre) @ np.linalg.inv(d.shape) @ (corner - centre) <= 1.0 + 1e-12
        assert centre @ np.linalg.inv(d.shape) @ centre == pytest.approx(1.0)  # no larger than it has to be
        assert (d.shape == np.diag(np.diag(d.shape))).all()
        np.testing.assert_allclose(centre, top / 2, atol=1.5)


def test_without_precision_the_first_prices_do():
    for seed in range(30):
        problem = small(seed)
        c, n = choices(problem), len(problem.capacity)
        begun = empty(n)
        lagrangian._begin(c, problem.capacity, begun)
        found = dual(c, problem.capacity, np.inf)
        assert found.steps[0] == 1
        assert found.price.tolist() == begun.scratch[0].tolist()
        assert found.bound[0] == bound_at(c, problem.capacity, found.price, np.zeros(n))


def test_a_finer_precision_takes_more_steps_and_proves_as_much():
    """Each halving of the distance takes about as many steps again: a method that converges, not one that wanders."""
    for seed in range(30):
        problem = small(seed)
        c, n = choices(problem), len(problem.capacity)
        rough, fine = dual(c, problem.capacity, 1e6), dual(c, problem.capacity, 1e2)
        assert fine.bound[0] <= rough.bound[0] + 1e6
        assert fine.bound[0] >= rough.bound[0] - 1e2
        # Central cuts alone shrink the volume by exp(-1/(2n + 2)) each: about 2 n (n + 1) log(1e4) more of them.
        assert rough.steps[0] <= fine.steps[0] <= rough.steps[0] + 2 * n * (n + 1) * np.log(1e4) + 10
