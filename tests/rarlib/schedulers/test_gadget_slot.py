"""LP-RS-MDE: guarantees, feasibility, both roundings."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from rarlib.cost.utilities import Sigmoid, SquareRoot
from rarlib.ilp.gadget.augmented import augmented_optimum, limit_of
from rarlib.ilp.gadget.columns import Columns
from rarlib.ilp.gadget.exact import exact_slot
from rarlib.ilp.gadget.problem import SlotJobs, SlotProblem
from rarlib.ilp.gadget.relaxation import relax
from rarlib.model.tree_network import TreeNetwork
from rarlib.schedulers.gadget_parts.rounding import limits
from rarlib.schedulers.gadget_parts.slot import SlotResult, solve_slot


def crowded(seed: int, *, jobs: int = 12, servers: int = 6, wide: float = 1.0, concave: bool = False) -> SlotProblem:
    """A slot in which jobs ask for about twice the GPUs there are."""
    rng = np.random.default_rng(seed)
    racks = int(rng.integers(1, 4))
    network = TreeNetwork.build(
        rng.integers(1, 5, servers),
        wide * rng.uniform(1, 6, servers),
        rng.integers(0, racks, servers),
        wide * rng.uniform(1, 6, racks),
    )
    scale = rng.uniform(1, 9, jobs)
    utility = SquareRoot(scale) if concave else Sigmoid(scale, rng.uniform(0.3, 2, jobs), rng.uniform(1, 8, jobs))
    table = SlotJobs.build(utility=utility, largest=rng.integers(1, 6, jobs), bandwidth=rng.uniform(0.2, 2, jobs))
    return table.slot(network, np.arange(jobs), rng.integers(0, 4, jobs).astype(float))


def solve(problem: SlotProblem, seed: int = 0, **options: object) -> SlotResult:
    return solve_slot(problem, np.random.default_rng(seed), **options)  # type: ignore[arg-type]


@given(st.integers(0, 10**6))
@settings(max_examples=20)
def test_bounds_hold_and_the_allocation_is_feasible(seed: int) -> None:
    """LP >= ILP >= rounded; the checker knows nothing of the solvers."""
    problem = crowded(seed)
    found = solve(problem, seed)
    best = exact_slot(problem)
    assert problem.broken(found.workers) == ""
    assert found.value == pytest.approx(problem.value(found.workers))
    slack = 1e-5 * found.lp_value
    assert found.value <= best.value + slack
    assert best.value <= found.lp_value + slack
    assert found.value <= found.augmented_value + slack <= found.lp_value + 2 * slack
    ones = np.flatnonzero(found.workers.any(axis=1))
    assert (found.workers.sum(axis=1)[ones] == found.sizes[ones]).all()
    assert (found.sizes <= found.ceiling).all()


@pytest.mark.parametrize("seed", range(6))
def test_vanilla_rounding_is_worth_a_third_in_the_mean(seed: int) -> None:
    """Theorem 8, and that violations beyond beta and gamma are as rare as it says: here, none in 200 draws."""
    problem = crowded(seed, jobs=20)
    columns = Columns(problem.network)
    found = [solve(problem, draw, fits=False, draws=1, columns=columns) for draw in range(200)]
    assert np.mean([f.value for f in found]) >= found[0].augmented_value / 3
    # Unbiased: every job is embedded with the probability that the LP gives it.
    assert np.mean([f.value for f in found]) == pytest.approx(found[0].augmented_value, rel=0.1)
    assert all((f.node_excess <= f.beta).all() and f.link_excess <= f.gamma for f in found)
    network = problem.network
    for one in found[:20]:  # what is reported is what the allocation does
        loads = network.loads(one.workers, problem.demand, problem.bandwidth)
        assert one.node_excess == pytest.approx((loads.node / network.capacity).max(axis=0))
        links = max((loads.link / network.link_gbps).max(), (loads.uplink / network.rack_gbps).max())
        assert one.link_excess == pytest.approx(links)


def test_vanilla_rounding_violates_and_the_heuristic_does_not() -> None:
    """If vanilla never overloaded a server, the test above would say nothing about violations."""
    problem = crowded(3, jobs=20)
    columns = Columns(problem.network)
    vanilla = [solve(problem, draw, fits=False, draws=1, columns=columns) for draw in range(50)]
    heuristic = [solve(problem, draw, draws=1, columns=columns) for draw in range(50)]
    assert np.mean([f.node_excess[0] > 1 for f in vanilla]) > 0.2
    assert all(problem.broken(f.workers) == "" for f in heuristic)
    assert np.mean([f.value for f in heuristic]) < np.mean([f.value for f in vanilla])


def test_limits_of_theorem_8_by_hand() -> None:
    """Two servers of 4 and 2 GPUs, two jobs of 1 GPU per worker and rings of 3 and 2.

    Nodes: eps = 1/2, Delta = 3^2 + 2^2 on the large server, so beta = 1 + sqrt(2 * 13 * log 2) / 2. Links: bandwidths 1
    and 2 on links of 4 (and an uplink of 8), eps = 1/2, Delta = 2, |E| = 2 * 3.
    """
    jobs = SlotJobs.build(utility=SquareRoot([1.0, 1.0]), largest=[3, 2], bandwidth=[1.0, 2.0])
    problem = jobs.slot(TreeNetwork.build([4, 2], 4, [0, 0], 8), np.arange(2), np.zeros(2))
    sizes = np.array([3, 2])
    found = limits(problem, sizes, limit_of(problem, sizes))
    assert found.beta == pytest.approx([1 + 0.5 * np.sqrt(2 * 13 * np.log(2))])
    assert found.gamma == pytest.approx(1 + 0.5 * np.sqrt(2 * 2 * np.log(6)))


def test_all_draws_are_looked_at_when_a_third_is_not_enough() -> None:
    """With alpha = 1 the best of many draws wins; with the printed alpha the first that is good enough."""
    better = 0
    for seed in range(5):
        problem = crowded(seed, jobs=20)
        first, best = solve(problem), solve(problem, alpha=1.0, draws=300)
        assert (first.draws, first.approximate) == (1, True)
        assert best.draws == 300 or best.approximate
        assert best.value >= first.value
        better += best.value > first.value
    assert better >= 3


@pytest.mark.parametrize("seed", range(10))
def test_without_links_a_concave_slot_is_the_marginal_greedy(seed: int) -> None:
    """Infinite bandwidth, concave utilities: one GPU after the other to whoever gains most is optimal."""
    problem = crowded(seed, wide=1e6, concave=True)
    counts = np.zeros(len(problem), np.int64)
    marginal = np.diff(problem.gain, axis=1)
    marginal[np.arange(1, problem.gain.shape[1]) > problem.largest[:, None]] = -1.0
    for _ in range(int(problem.network.capacity.sum())):
        following = [marginal[i, c] if c < problem.largest[i] else -1.0 for i, c in enumerate(counts)]
        if max(following) > 0.0:
            counts[int(np.argmax(following))] += 1
    greedy = float(problem.gain[np.arange(len(problem)), counts].sum())
    assert exact_slot(problem).value == pytest.approx(greedy, rel=1e-6)
    relaxed = relax(problem)
    assert relaxed.value == pytest.approx(greedy, rel=1e-6)
    fixed = augmented_optimum(problem, relaxed.sizes, Columns(problem.network))
    assert fixed.value == pytest.approx(greedy, rel=1e-5)


def every_allocation(jobs: SlotJobs, network: TreeNetwork) -> NDArray[np.int64]:
    """Workers by job of all feasible allocations of a slot, tried one by one."""
    problem = jobs.slot(network, np.arange(len(jobs)), np.zeros(len(jobs)))
    each = [w for w in product(*(range(int(c) + 1) for c in network.capacity[:, 0])) if sum(w) <= problem.largest.max()]
    found = {
        tuple(sum(row) for row in rows)
        for rows in product(each, repeat=len(jobs))
        if problem.broken(np.array(rows)) == ""
    }
    return np.array(sorted(found))


@pytest.mark.parametrize("seed", range(6))
def test_horizon_is_competitive(seed: int) -> None:
    """Theorem 10: Alg. 1 with Alg. 2 reaches OPT / (3 Gamma + 1), OPT over all sequences of allocations."""
    rng = np.random.default_rng(seed)
    network = TreeNetwork.build(rng.integers(1, 3, 3), rng.uniform(1, 3, 3), [0, 0, 1], rng.uniform(1, 3, 2))
    jobs = SlotJobs.build(
        utility=SquareRoot(rng.uniform(1, 5, 3)),
        largest=rng.integers(1, 4, 3),
        bandwidth=rng.uniform(0.5, 2, 3),
        budget=rng.integers(2, 7, 3),
        budget_counts="worker-slots",
    )
    arrival, slots = np.array([0, 0, 1]), 3
    choices = every_allocation(jobs, network)
    ends = np.zeros((1, 3))
    for t in range(slots):
        allowed = choices[(choices[:, arrival > t] == 0).all(axis=1)]
        ends = np.unique((ends[:, None] + allowed[None]).reshape(-1, 3), axis=0)
        ends = ends[(ends <= jobs.limit).all(axis=1)]
    best = max(float(jobs.value(end).sum()) for end in ends)
    done, gamma, columns = np.zeros(3), 1, Columns(network)
    for t in range(slots):
        active = jobs.active(arrival <= t, done)
        if len(active):
            found = solve(jobs.slot(network, active, done), t, columns=columns)
            gamma = max(gamma, int(found.ceiling.max()))
            done[active] += found.workers.sum(axis=1)
    reached = float(jobs.value(done).sum())
    assert best / (3 * gamma + 1) <= reached <= best + 1e-9
