"""Gains of any size: what Alg. 2's programs come to against brute force in rational numbers."""

from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from rarlib.cost.utilities import SquareRoot
from rarlib.ilp.gadget.columns import Columns
from rarlib.ilp.gadget.levels import LogSlot, _JobByJob, _rational_mixture, exact_mixture, relax_exactly
from rarlib.ilp.gadget.logarithms import log_gains
from rarlib.ilp.gadget.problem import SlotJobs
from rarlib.ilp.gadget.rational import rational_optimum
from rarlib.model.tree_network import TreeNetwork
from rarlib.schedulers.gadget_parts.slot import solve_exactly
from tests.rarlib.ilp.gadget_cases import limits_of, loads_of, vectors

STEPS = (0.0, 1e-13, -1e-13, 3e-10, 0.3, -0.3, 1.0, -20.0, 40.0)
"""Differences of logarithms from worker to worker: ties, near ties, convex and concave gains."""


def power(log, digits=60):
    """An exponential as a rational number, by its own way."""
    with localcontext(prec=digits):
        return Fraction(Decimal(log).exp())


def tiny_slot(rng, *, links=False, resources=1):
    """Up to four jobs of up to three workers on up to three servers; gains from 1e-300 to 1."""
    jobs, servers = int(rng.integers(1, 5)), int(rng.integers(1, 4))
    wide = rng.uniform(1, 4, servers) if links else 1e6
    network = TreeNetwork.build(
        rng.integers(1, 4, (servers, resources)),
        wide,
        rng.integers(0, 2, servers),
        rng.uniform(1, 4, 2) if links else [1e6, 1e6],
    )
    table = SlotJobs.build(
        utility=SquareRoot(np.ones(jobs)), largest=rng.integers(1, 4, jobs), bandwidth=rng.uniform(0.5, 3, jobs),
        demand=rng.integers(1, 3, (jobs, resources)) if resources > 1 else 1.0,
    )  # fmt: skip
    problem = table.slot(network, np.arange(jobs), np.zeros(jobs))
    first = rng.uniform(-690, -60, jobs)
    first = rng.choice([first[0], -300.0, -60.0], jobs) if rng.random() < 0.5 else first
    more = rng.choice(STEPS, (jobs, problem.gain.shape[1] - 2)).cumsum(axis=1)
    return LogSlot.of(problem, np.hstack([first[:, None], first[:, None] + more]))


def exact_gains(slot):
    """Gain of each number of workers, job by job."""
    gains = [[Fraction(0)] for _ in slot.marginal]
    for row, found, most in zip(slot.marginal.tolist(), gains, slot.problem.largest.tolist(), strict=True):
        for log in row[:most]:
            found.append(found[-1] + power(log))
    return gains


def pooled_bound(gains, most, capacity):
    """The dual of (12) for one capacity: a convex function of one price, at each of its kinks."""
    slopes = {Fraction(0)}
    for row, size in zip(gains, most, strict=True):
        slopes |= {(row[b] - row[a]) / (b - a) for a, b in combinations(range(size + 1), 2)}
    return min(
        price * capacity
        + sum(max(g - price * k for k, g in enumerate(row[: size + 1])) for row, size in zip(gains, most, strict=True))
        for price in slopes
        if price >= 0
    )


@pytest.mark.parametrize("block", range(4))
def test_relaxation_is_exact(block):
    """2000 slots: the weights, as rational numbers, keep the capacity and attain the bound without any tolerance."""
    rng = np.random.default_rng(block)
    partly = 0
    for _ in range(500):
        slot = tiny_slot(rng)
        gains, capacity = exact_gains(slot), int(slot.problem.network.capacity.sum())
        relaxed = relax_exactly(slot)
        chosen = [[Fraction(x).limit_denominator(100) for x in row] for row in relaxed.chosen.tolist()]
        assert all(sum(row) <= 1 for row in chosen)
        assert sum(k * x for row in chosen for k, x in enumerate(row)) <= capacity
        value = sum(g * x for row, own in zip(chosen, gains, strict=True) for x, g in zip(row, own, strict=False))
        most = np.minimum(slot.problem.largest, capacity).tolist()
        assert value == pooled_bound(gains, most, capacity)
        for row, own, size in zip(chosen, gains, relaxed.sizes.tolist(), strict=True):  # Alg. 2, l. 3
            worth = [g * x for g, x in zip(own, row, strict=False)]
            assert worth.index(max(worth)) == size
        partly += any(0 < x < 1 for row in chosen for x in row)
    assert partly > 50


def every_mapping(slot, sizes):
    """Columns of the augmented LP: owner and entries by row."""
    problem = slot.problem
    limit, columns = limits_of(problem), []
    for job in np.flatnonzero(sizes):
        for way in vectors(problem.network.servers, int(sizes[job]), problem.most_workers[job]):
            load = loads_of(problem, int(job), way)
            if (load <= limit).all():
                entries = {len(sizes) + p: Fraction(float(v)) for p, v in enumerate(load) if v}
                columns.append((int(job), {int(job): Fraction(1), **entries}))
    return columns


def best_masses(slot, sizes):
    """Weights of each job in an optimum over all mappings."""
    columns = every_mapping(slot, sizes)
    gains = [
        sum((power(log, 40) for log in row[:k]), Fraction(0))
        for row, k in zip(slot.marginal.tolist(), sizes, strict=True)
    ]
    limits = [Fraction(1)] * len(sizes) + [Fraction(float(limit)) for limit in limits_of(slot.problem)]
    x = rational_optimum([gains[job] for job, _ in columns], [entries for _, entries in columns], limits).x
    mass = [Fraction(0)] * len(sizes)
    for (job, _), weight in zip(columns, x, strict=True):
        mass[job] += weight
    return np.array([float(m) for m in mass])


def test_mixtures_are_optimal_at_every_level():
    """Links bind: each way of solving finds the weights of the optimum over all mappings, however small the gain."""
    rng = np.random.default_rng(7)
    ways = {"one by one": 0, "left to rational numbers": 0, "bound": 0}
    for _ in range(400):
        slot = tiny_slot(rng, links=True)
        logs = rng.uniform(-690, -688.5 if rng.random() < 0.5 else 0, len(slot.problem))
        slot = LogSlot.of(slot.problem, slot.marginal - slot.marginal[:, :1] + logs[:, None])
        sizes = relax_exactly(slot).sizes
        best = best_masses(slot, sizes)
        found = exact_mixture(slot, sizes, Columns(slot.problem.network))
        assert found.mass == pytest.approx(best, abs=1e-4)
        at = log_gains(slot.marginal)[np.arange(len(sizes)), sizes]
        stepwise = _JobByJob(slot.problem, sizes, Columns(slot.problem.network), at).mixture()
        ways["one by one" if stepwise else "left to rational numbers"] += 1
        if stepwise:
            assert stepwise.mass == pytest.approx(best, abs=1e-4)
        assert _rational_mixture(slot, sizes, Columns(slot.problem.network)).mass == pytest.approx(best, abs=1e-4)
        ways["bound"] += bool((best < 1.0)[sizes > 0].any())
    assert min(ways.values()) > 4


def test_rational_simplex_against_all_vertices():
    """Two rows, up to four columns: the best of all bases."""
    rng = np.random.default_rng(3)
    for _ in range(200):
        columns = [{r: Fraction(int(v), 3) for r, v in enumerate(rng.integers(0, 4, 2))} for _ in range(4)]
        columns = [c if any(c.values()) else {0: Fraction(1)} for c in columns]
        gain = [Fraction(int(g), 7) for g in rng.integers(-1, 9, 4)]
        limits = [Fraction(5), Fraction(int(rng.integers(0, 9)))]
        found = rational_optimum(gain, columns, limits)
        every = [*columns, {0: Fraction(1)}, {1: Fraction(1)}]
        best = Fraction(0)
        for a, b in combinations(range(6), 2):
            (p, q), (r, s) = [(every[c].get(0, Fraction(0)), every[c].get(1, Fraction(0))) for c in (a, b)]
            if det := p * s - q * r:
                x = (limits[0] * s - limits[1] * r) / det, (limits[1] * p - limits[0] * q) / det
                if min(x) >= 0:
                    best = max(best, sum(v * gain[c] for v, c in zip(x, (a, b), strict=True) if c < 4))
        assert sum(g * x for g, x in zip(gain, found.x, strict=True)) == best
        assert sum(p * limit for p, limit in zip(found.price, limits, strict=True)) == best
        assert all(sum(found.price[r] * v for r, v in c.items()) >= g for c, g in zip(columns, gain, strict=True))


@pytest.mark.parametrize("optimum", ["packed", "scattered"])
def test_roundings_are_feasible_and_equal_in_value(optimum):
    """300 slots with wide links: the value of (12)'s augmented LP does not depend on the optimum that is rounded."""
    rng = np.random.default_rng(11)
    for seed in range(300):
        slot = tiny_slot(rng)
        columns = Columns(slot.problem.network)
        found = solve_exactly(slot, np.random.default_rng(seed), columns, optimum=optimum, draws=50)
        assert slot.problem.broken(found.workers) == ""
        other = exact_mixture(slot, found.sizes, Columns(slot.problem.network))
        assert found.augmented_value == pytest.approx(other.value, abs=1e-6)
        assert found.value <= found.augmented_value / min(1.0, *other.mass[other.mass > 0.0], 1.0) + 1e-9
        assert found.augmented_value <= found.lp_value + 1e-6
