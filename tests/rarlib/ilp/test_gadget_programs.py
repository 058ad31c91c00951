"""The relaxation, the optimum, the pricing and the augmented LP, against HiGHS and against trying everything."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rarlib.cost.utilities import Sigmoid, SquareRoot
from rarlib.ilp.gadget.augmented import augmented_optimum
from rarlib.ilp.gadget.columns import Columns
from rarlib.ilp.gadget.exact import Packing, exact_slot, pack
from rarlib.ilp.gadget.pricing import LoadPrices, cheapest, tree_of
from rarlib.ilp.gadget.problem import SlotJobs
from rarlib.ilp.gadget.relaxation import attainable, best_sizes, relax, relaxed_bound
from rarlib.model.tree_network import TreeNetwork
from tests.rarlib.ilp.gadget_cases import as_printed, best_by_vectors, limits_of, loads_of, small_problem, vectors

SEEDS = range(12)


@pytest.mark.parametrize("seed", SEEDS)
def test_relaxation_is_that_of_the_printed_program(seed: int) -> None:
    """HiGHS gets (12)-(19) with all flow variables; if links mattered in its relaxation, the values would differ."""
    problem = small_problem(seed, jobs=3, whole=seed % 3 == 0)
    reachable = problem.limited(attainable(problem))
    assert relax(problem).value == pytest.approx(as_printed(reachable, integer=False), rel=1e-6)


@pytest.mark.parametrize("seed", SEEDS)
def test_optimum_is_that_of_the_printed_program(seed: int) -> None:
    """The program over workers per server must lose nothing against ring nodes and edges placed one by one."""
    problem = small_problem(seed, jobs=2, servers=3, whole=seed % 3 == 0)
    found = exact_slot(problem)
    assert found.status == "optimal"
    assert problem.broken(found.workers) == ""
    assert found.value == pytest.approx(problem.value(found.workers))
    assert found.value == pytest.approx(as_printed(problem, integer=True), rel=1e-5)


def test_optimum_with_links_that_bind() -> None:
    """Against all vectors by HiGHS; both the packed answer and the full program must have been needed."""
    packed = 0
    for seed in range(40):
        problem = small_problem(seed, resources=1 + seed % 2, whole=seed % 3 == 0)
        ideal = best_sizes(problem)
        packed += problem.value(pack(problem, ideal.sizes)) >= ideal.bound * (1 - 1e-6)
        found = exact_slot(problem)
        sizes = [list(range(1, int(n) + 1)) for n in problem.largest]
        assert problem.broken(found.workers) == ""
        assert found.value == pytest.approx(best_by_vectors(problem, sizes, integer=True), rel=1e-5), seed
        assert found.value <= found.bound <= found.value * (1 + 1e-5)
    assert 5 <= packed <= 35


def test_a_bound_is_a_bound() -> None:
    """Slots of 1 to 8 jobs: no bound lies below the value of any allocation, not even by rounding, and it is close."""
    for seed in range(200):
        problem = small_problem(seed, jobs=4 if seed % 2 else 8, resources=1 + seed % 2, wide=0.8)
        sizes = [list(range(1, int(n) + 1)) for n in problem.largest]
        best, bound, found = best_by_vectors(problem, sizes, integer=True), relaxed_bound(problem), exact_slot(problem)
        assert best <= min(found.bound, bound), seed
        assert bound == pytest.approx(relax(problem).value, rel=1e-8)
        assert found.bound <= best * (1 + 1e-5), seed


def test_limit_is_reported() -> None:
    """With no effort at all the hint comes back, and the value, the bound and the status must still be true."""
    rng = np.random.default_rng(1)
    network = TreeNetwork.build(
        rng.integers(1, 4, 12), rng.uniform(1, 2, 12), rng.integers(0, 3, 12), rng.uniform(1, 2, 3)
    )
    jobs = SlotJobs.build(
        utility=SquareRoot(rng.uniform(1, 5, 25)), smallest=3, largest=4, bandwidth=rng.uniform(0.5, 1, 25)
    )
    problem = jobs.slot(network, np.arange(25), np.zeros(25))
    best = exact_slot(problem)
    hint = best.workers.copy()
    hint[hint.any(axis=1).argmax()] = 0
    found = exact_slot(problem, hint=hint, effort=1e-4)
    assert (best.status, found.status) == ("optimal", "limit")
    assert found.value == problem.value(hint) < best.value <= found.bound


@given(st.integers(0, 10**6))
@settings(max_examples=40)
def test_pricing_finds_the_cheapest_mapping(seed: int) -> None:
    """All vectors are tried; a dynamic program that forgets a link or a rack would find a dearer or a too cheap one."""
    problem = small_problem(seed, whole=seed % 3 == 0)
    rng = np.random.default_rng(seed)
    places = len(limits_of(problem))
    price = rng.uniform(0, 1, places) * (rng.random(places) < 0.7)
    servers = problem.network.servers
    node, link, uplink = np.split(price, [servers, 2 * servers])
    sizes, room = problem.largest, problem.most_workers
    prices = LoadPrices(problem.demand @ node[None, :], link, uplink)
    cost, workers = cheapest(tree_of(problem.network), prices, sizes, problem.bandwidth, room)
    for job in range(len(problem)):
        ways = [loads_of(problem, job, way) for way in vectors(servers, int(sizes[job]), room[job])]
        fitting = [float(load @ price) for load in ways if (load <= limits_of(problem) + 1e-9).all()]
        assert cost[job].min() == pytest.approx(min(fitting, default=np.inf))
        if fitting:
            best = workers[job, cost[job].argmin()]
            assert best.sum() == sizes[job]
            assert float(loads_of(problem, job, best) @ price) == pytest.approx(min(fitting), abs=1e-12)


@pytest.mark.parametrize("seed", range(25))
def test_augmented_lp_is_the_convex_hull_of_mappings(seed: int) -> None:
    """HiGHS gets every mapping as a column; column generation must reach the same value with few of them."""
    problem = small_problem(seed, resources=1 + seed % 2, whole=seed % 3 == 0)
    sizes = problem.largest
    columns = Columns(problem.network)
    mixture = augmented_optimum(problem, sizes, columns)
    expected = best_by_vectors(problem, [[int(k)] for k in sizes], integer=False)
    assert mixture.value == pytest.approx(expected, rel=2e-6)
    assert mixture.value <= mixture.bound * (1 + 1e-12)
    total = np.bincount(mixture.row, mixture.weight)
    assert (total <= 1 + 1e-9).all()
    load = mixture.weight @ mixture.loads.toarray()
    assert (load <= limits_of(problem) * (1 + 1e-7)).all()
    gain = problem.gain[np.arange(len(problem)), sizes]
    assert float((mixture.weight * gain[mixture.row]).sum()) == pytest.approx(mixture.value, rel=1e-6)
    for row, workers, loads in zip(mixture.row, mixture.workers.toarray(), mixture.loads.toarray(), strict=True):
        assert loads == pytest.approx(loads_of(problem, int(row), workers))


def test_ring_selection_takes_arg_max() -> None:
    """One job, two GPUs, steep utility: one worker wins next to nothing, two win 10, and two is the answer."""
    network = TreeNetwork.build([2], 1.0, [0], [1.0])
    jobs = SlotJobs.build(utility=Sigmoid(10.0, 20.0, 1.5), largest=2, bandwidth=0.1)
    relaxed = relax(jobs.slot(network, np.array([0]), np.zeros(1)))
    assert relaxed.sizes.tolist() == [2]
    assert relaxed.ceiling.tolist() == [2]


def test_ceiling_of_concave_utilities_rounds_q_up() -> None:
    """Two equal jobs share three GPUs: q = 1.5 each is one optimum, 1 and 2 another; ceilings are at most 2."""
    network = TreeNetwork.build([3], 1.0, [0], [1.0])
    jobs = SlotJobs.build(utility=SquareRoot([1.0, 1.0]), largest=3, bandwidth=0.1)
    relaxed = relax(jobs.slot(network, np.arange(2), np.zeros(2)))
    workers = relaxed.chosen @ np.arange(4)
    assert workers.sum() == pytest.approx(3.0)
    assert (relaxed.ceiling == np.ceil(workers - 1e-9)).all()


def test_packing_prefers_one_server_then_one_rack() -> None:
    """Racks {0, 1}, {2, 3}: a ring of 2 takes the tight server, one of 3 stays in a rack, one of 6 must cross."""
    network = TreeNetwork.build([2, 1, 3, 1], 10.0, [0, 0, 1, 1], [10.0, 10.0])
    jobs = SlotJobs.build(utility=SquareRoot(np.ones(3)), largest=6, bandwidth=1.0)
    problem = jobs.slot(network, np.arange(3), np.zeros(3))
    packing = Packing(problem)
    assert packing.place(0, 2)
    assert packing.workers[0].tolist() == [2, 0, 0, 0]
    assert packing.place(1, 4)
    assert packing.workers[1].tolist() == [0, 0, 3, 1]
    assert not packing.place(2, 2)
    assert packing.place(2, 1)
    assert packing.workers[2].tolist() == [0, 1, 0, 0]
    assert not packing.fits(0, np.array([0, 0, 0, 1]))
    alone = Packing(problem)
    assert alone.place(0, 6)
    assert problem.broken(alone.workers) == ""
