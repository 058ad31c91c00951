"""Parts of a slot's programs by their definitions: what fits where, whom a wish serves, and what columns load."""

from dataclasses import replace

import numpy as np
import pytest

from rarlib.cost.utilities import SquareRoot
from rarlib.ilp.gadget import relaxation as module
from rarlib.ilp.gadget.augmented import Mixture, _Search, augmented_optimum, limit_of
from rarlib.ilp.gadget.columns import Columns
from rarlib.ilp.gadget.mappings import best_of
from rarlib.ilp.gadget.packing import Packing, pack
from rarlib.ilp.gadget.pricing import tree_of
from rarlib.ilp.gadget.problem import SlotJobs
from rarlib.ilp.gadget.relaxation import attainable, best_sizes, considered, relax, relaxed_bound, unseen
from rarlib.ilp.gadget.sparse import SparseRows
from rarlib.model.tree_network import TreeNetwork
from tests.ilp.gadget_cases import best_by_vectors, limits_of, loads_of, small_problem, vectors

SEEDS = range(30)


def of_seed(seed):
    return small_problem(seed, resources=1 + seed % 2, wide=0.8, whole=seed % 3 == 0)


@pytest.mark.parametrize("seed", SEEDS)
def test_attainable_is_the_largest_ring_that_fits_alone(seed):
    problem = of_seed(seed)
    for job in range(len(problem)):
        sizes = [
            size
            for size in range(1, int(problem.largest[job]) + 1)
            for way in vectors(problem.network.servers, size, problem.most_workers[job])
            if (loads_of(problem, job, way) <= limits_of(problem) + 1e-9).all()
        ]
        assert attainable(problem)[job] == max(sizes, default=0)
        seen = [int(size) for size in np.flatnonzero(considered(problem)[job])]
        assert seen == [k for k in range(1, max(sizes, default=0) + 1) if problem.gain[job, k] > 0]


def with_gains(gain, servers=(2, 2), bandwidth=0.1, smallest=1):
    """Jobs of one GPU per worker with gains by ring size, on wide links."""
    gain = np.array(gain)
    network = TreeNetwork.build(list(servers), 10.0, [0] * len(servers), [10.0])
    jobs = SlotJobs.build(
        utility=SquareRoot(np.ones(len(gain))), largest=gain.shape[1] - 1, bandwidth=bandwidth, smallest=smallest
    )
    problem = jobs.slot(network, np.arange(len(gain)), np.zeros(len(gain)))
    return replace(problem, gain=gain)


def test_gains_of_a_billionth_are_no_choices_but_belong_to_bounds():
    problem = with_gains([[0.0, 1.0, 2.0], [0.0, 1e-9, 1.9e-9]])
    assert considered(problem).tolist() == [[False, True, True], [False, False, False]]
    assert unseen(problem) == pytest.approx(1.9e-9, rel=1e-12)
    assert with_gains([[0.0, 1.0], [0.0, 1.1e-9]]).gain.shape == (2, 2)
    assert considered(with_gains([[0.0, 1.0], [0.0, 1.1e-9]])).tolist() == [[False, True], [False, True]]
    nothing = with_gains([[0.0, 0.0], [0.0, 0.0]])
    assert relaxed_bound(nothing) == unseen(nothing) == 0.0
    assert best_sizes(nothing).sizes.tolist() == [0, 0] and best_sizes(nothing).bound == 0.0
    assert relax(nothing).sizes.tolist() == [0, 0]


def wish(problem):
    job, size = np.nonzero(considered(problem))
    found = module._wishes(problem, job, size)
    return None if found is None else found.tolist()


def test_wishes_settle_a_slot_that_has_room_for_them():
    """Everybody's best ring, if all fit into the GPUs there are and none is almost as good as another."""
    assert wish(with_gains([[0.0, 1.0, 2.0], [0.0, 3.0, 1.0]])) == [2, 1]
    assert wish(with_gains([[0.0, 1.0, 2.0], [0.0, 1.0, 3.0]])) == [2, 2]  # all four GPUs
    assert wish(with_gains([[0.0, 1.0, 2.0], [0.0, 1.0, 3.0], [0.0, 1.0, 0.5]])) is None  # five
    # Told apart by a millionth of the largest gain, not by less.
    assert wish(with_gains([[0.0, 3.0 - 4e-6, 3.0]])) == [2]
    assert wish(with_gains([[0.0, 3.0 - 2e-6, 3.0]])) is None
    assert wish(with_gains([[0.0, -1.0, -2.0]])) == [0]
    found = relax(with_gains([[0.0, 1.0, 2.0], [0.0, 3.0, 1.0]]))
    assert found.value == 5.0
    assert found.chosen.tolist() == [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0]]
    assert (found.ceiling.tolist(), found.sizes.tolist()) == ([2, 1], [2, 1])


@pytest.mark.parametrize("seed", SEEDS)
def test_pools_are_servers_that_host_the_same_jobs(seed):
    """With several resources, also of the same capacities; capacities add up."""
    problem = of_seed(seed)
    hosts, capacity = module._pools(problem)
    can = problem.most_workers > 0
    several = problem.network.capacity.shape[1] > 1
    kinds: dict[tuple, np.ndarray] = {}
    for s in range(problem.network.servers):
        key = (*can[:, s], *(problem.network.capacity[s] if several else ()))
        kinds[key] = kinds.get(key, 0) + problem.network.capacity[s]
    assert hosts.shape[1] == len(capacity) == len(kinds)
    assert sorted(map(tuple, capacity)) == sorted(map(tuple, kinds.values()))
    if not several:
        found = {tuple(hosts[:, k]): float(capacity[k, 0]) for k in range(len(capacity))}
        assert found == {k: float(v[0]) for k, v in kinds.items()}


@pytest.mark.parametrize("seed", SEEDS)
def test_best_sizes_are_the_best_that_the_gpus_of_pools_allow(seed):
    """Every choice of sizes, whole workers in pools; links do not count."""
    problem = small_problem(seed, jobs=3, servers=3)
    found = best_sizes(problem)
    reach = attainable(problem)
    best = 0.0
    for sizes in np.ndindex(*(reach + 1)):
        if sum(sizes) <= problem.network.capacity.sum():
            best = max(best, float(problem.gain[np.arange(len(sizes)), list(sizes)].sum()))
    value = float(problem.gain[np.arange(len(reach)), found.sizes].sum())
    assert value == pytest.approx(best)
    assert best <= found.bound <= best * (1 + 3e-6) + 1e-9


@pytest.mark.parametrize("seed", SEEDS)
def test_columns_know_what_they_have(seed):
    """Loads as written down anew; a mapping is taken in once; others are forgotten and can come again."""
    problem, rng = of_seed(seed), np.random.default_rng(seed)
    columns = Columns(problem.network)
    assert columns.limits.tolist() == limits_of(problem).tolist()
    rows, ways = [], []
    for job in range(len(problem)):
        for size in (1, 2, 3):
            for way in vectors(problem.network.servers, size, np.full(problem.network.servers, 3)):
                rows.append(job)
                ways.append(way)
    rows, ways = np.array(rows), np.array(ways)

    def add(at):
        return columns.add(problem.job[rows[at]], problem.demand[rows[at]], problem.bandwidth[rows[at]], ways[at])

    half = rng.permutation(len(rows))[: len(rows) // 2]
    assert add(half) == len(half) == len(columns)
    assert add(np.concatenate([half[:3], half[:3]])) == 0
    assert add(np.arange(len(rows))) == len(rows) - len(half)
    for at in range(len(columns)):
        workers = columns.workers.toarray()[at].astype(int)
        assert columns.size[at] == workers.sum()
        assert columns.loads.toarray()[at] == pytest.approx(loads_of(problem, int(columns.job[at]), workers))
    columns.prices = rng.random(len(columns.limits)) * (rng.random(len(columns.limits)) < 0.5)
    assert columns.worth == pytest.approx(float(columns.prices @ columns.limits))
    columns.forget_others(np.array([0]))
    assert set(columns.job.tolist()) == {0} and len(columns.loads.toarray()) == len(columns)
    assert add(np.arange(len(rows))) == (rows != 0).sum()


@pytest.mark.parametrize("seed", range(15))
def test_search_offers_cost_what_their_mappings_load(seed):
    """At any prices: the surplus and the bound are those of all mappings written out."""
    problem, rng = of_seed(seed), np.random.default_rng(seed)
    sizes = problem.largest * (rng.random(len(problem)) < 0.8)
    columns = Columns(problem.network)
    search = _Search(problem, sizes, limit_of(problem, sizes, True))
    prices = rng.random(len(columns.limits))
    offers = search.offers(prices)
    assert offers.row.tolist() == np.flatnonzero(sizes).tolist()
    won = 0.0
    for at, job in enumerate(offers.row):
        ways = vectors(problem.network.servers, int(sizes[job]), problem.most_workers[job])
        loads = [loads_of(problem, job, way) for way in ways]
        costs = [float(load @ prices) for load in loads if (load <= limits_of(problem) + 1e-9).all()]
        assert offers.cost[at].min() == pytest.approx(min(costs, default=np.inf))
        won += max(problem.gain[job, sizes[job]] - min(costs, default=np.inf), 0.0)
    assert search.surplus(offers) == pytest.approx(won)
    assert search.gain.tolist() == [problem.gain[job, sizes[job]] for job in range(len(problem))]


@pytest.mark.parametrize("seed", range(15))
def test_the_bound_of_the_augmented_lp_is_within_a_millionth(seed):
    problem = of_seed(seed)
    mixture = augmented_optimum(problem, problem.largest, Columns(problem.network))
    best = best_by_vectors(problem, [[int(k)] for k in problem.largest], integer=False)
    assert best * (1 - 1e-9) <= mixture.bound <= max(best * (1 + 3e-6), 1e-12)
    assert (np.diff(mixture.row) >= 0).all() and (mixture.weight > 0.0).all()
    picked = best_of(mixture, problem.gain[np.arange(len(problem)), problem.largest], limits_of(problem))
    loads, value = np.zeros(len(limits_of(problem))), 0.0
    for job, at in enumerate(picked):
        if at >= 0:
            assert mixture.row[at] == job
            loads += mixture.loads.toarray()[at]
            value += problem.gain[job, problem.largest[job]]
    assert (loads <= limits_of(problem) + 1e-9).all()
    choices = [[-1, *np.flatnonzero(mixture.row == job)] for job in range(len(problem))]
    every = 0.0
    for chosen in np.array(np.meshgrid(*choices)).reshape(len(choices), -1).T:
        at = chosen[chosen >= 0].astype(int)
        if (mixture.loads.toarray()[at].sum(axis=0) <= limits_of(problem) + 1e-9).all():
            every = max(every, sum(problem.gain[j, problem.largest[j]] for j in mixture.row[at]))
    assert value == pytest.approx(every)


def test_nothing_to_choose_from():
    empty = Mixture(0.0, 0.0, np.zeros(0, np.int64), np.zeros(0), SparseRows.none(2), SparseRows.none(2), np.zeros(0))
    assert best_of(empty, np.ones(3), np.ones(2)).tolist() == [-1, -1, -1]


@pytest.mark.parametrize("seed", SEEDS)
def test_places_are_the_fewest_racks_then_servers_then_the_tightest(seed):
    """Among all mappings that fit into what is free, by trying them; then the largest rings are packed first."""
    problem = small_problem(seed, jobs=3, servers=4, wide=1.5)
    packing, tree = Packing(problem), tree_of(problem.network)
    assert tree.first[-1] == problem.network.servers
    free = limits_of(problem).copy()
    for row in range(len(problem)):
        size = int(problem.largest[row])
        servers = problem.network.servers
        tight = 1.0 + free[:servers] / max(free[:servers].max(), 1.0)
        ranks = []
        for way in vectors(servers, size, np.full(servers, size)):
            if (loads_of(problem, row, way) <= free + 1e-9).all():
                racks = len({int(problem.network.rack[s]) for s in np.flatnonzero(way)})
                used = int((way > 0).sum())
                ranks.append((racks if racks > 1 else 0, used if used > 1 else 0, round(float(way @ tight), 9)))
        placed = packing.place(row, size)
        assert placed == bool(ranks)
        if placed:
            way = packing.workers[row]
            racks, used = len({int(problem.network.rack[s]) for s in np.flatnonzero(way)}), int((way > 0).sum())
            rank = (racks if racks > 1 else 0, used if used > 1 else 0, round(float(way @ tight), 9))
            assert rank == min(ranks)
            free -= loads_of(problem, row, way)
    packed = pack(problem, problem.largest)
    again = Packing(problem)
    for row in sorted(range(len(problem)), key=lambda row: -problem.largest[row]):
        again.place(row, int(problem.largest[row]))
    assert packed.tolist() == again.workers.tolist()
    assert not pack(problem, np.zeros(len(problem), np.int64)).any()


@pytest.mark.parametrize("spread", [True, False])
def test_first_mappings_are_spread_over_the_servers_or_start_at_one(spread):
    """At equal prices all jobs would ask for the same of four servers that are alike; disturbed ones part them."""
    problem = with_gains([[0.0, 1.0]] * 4, (4, 4, 4, 4))
    columns, sizes = Columns(problem.network, spread=spread), np.ones(4, np.int64)
    _Search(problem, sizes, limit_of(problem, sizes, True)).begin(columns)
    used = [set(np.nonzero(columns.workers.toarray()[columns.job == job])[1].tolist()) for job in range(4)]
    assert all(len(each) > 2 if spread else len(each) == 1 for each in used)
    if not spread:
        assert len(set.union(*used)) == 1
    before = len(columns)
    _Search(problem, sizes, limit_of(problem, sizes, True)).begin(columns)
    assert len(columns) == before
