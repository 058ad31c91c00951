"""Random numbers, heaps and reaches of gangs, which compiled loops use, computed once more in plain Python."""

import heapq

import numpy as np
import pytest

from rarlib.cost.table import price_table
from rarlib.model.cluster import Cluster
from rarlib.model.draws import below, halves, remainder, stream_of, uniform
from rarlib.model.errors import InputError
from rarlib.model.forecast import Forecast
from rarlib.model.heap import before, pop, rise, sink
from rarlib.model.jobs import Jobs
from rarlib.model.prices import BY_JOB, REWRITTEN, factor_of, own_rows, reach, refuse_links, slot_end, stretched_s

SEEDS = range(8)


def xorshift(state):
    """Marsaglia's generator with the shifts 13, 7 and 17, on Python's integers."""
    while True:
        state ^= (state << 13) % 2**64
        state ^= state >> 7
        state ^= (state << 17) % 2**64
        yield state


@pytest.mark.parametrize("seed", SEEDS)
def test_draws_are_those_of_marsaglia(seed):
    """The upper 53 bits as a fraction, two halves of 32 bits, a share of a bound, and the upper 48 bits modulo it."""
    state = stream_of(np.random.default_rng(seed))
    assert state.tolist() == [int(np.random.default_rng(seed).integers(1, 2**64, dtype=np.uint64))]
    numbers = xorshift(int(state[0]))
    for bound in (1, 2, 3, 10, 1_000_003):
        assert uniform(state) == (next(numbers) >> 11) / 2**53
        upper, lower = divmod(next(numbers), 2**32)
        assert halves(state) == (upper / 2**32, lower / 2**32)
        assert below(state, bound) == (next(numbers) >> 11) * bound // 2**53
        assert remainder(state, bound) == (next(numbers) >> 16) % bound
    assert stream_of(np.random.default_rng(seed))[0] != 0


class Heap:
    """A heap as compiled loops keep it, with keys that tie often."""

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        self.key = rng.integers(0, 4, 12).astype(float)
        self.heap, self.place, self.size = np.full(12, -7), np.full(12, -7), 0

    def add(self, item):
        self.heap[self.size] = item
        rise(self.heap, self.key, self.place, self.size)
        self.size += 1

    def items(self):
        """Those in use; every one knows its place, and comes after its parent."""
        held = self.heap[: self.size].tolist()
        for at, item in enumerate(held):
            assert self.place[item] == at
            assert at == 0 or (self.key[held[(at - 1) // 2]], held[(at - 1) // 2]) < (self.key[item], item)
        return held


@pytest.mark.parametrize("seed", range(30))
def test_a_heap_gives_what_the_library_s_heap_gives(seed):
    """Items are added, moved when their keys change, and taken out in the order of key and item."""
    mine, rng = Heap(seed), np.random.default_rng(seed + 100)
    theirs = []
    for item in rng.permutation(12).tolist():
        mine.add(item)
        theirs.append(item)
        assert sorted(mine.items()) == sorted(theirs)
    for _ in range(20):
        item, key = int(rng.integers(12)), float(rng.integers(-1, 6))
        moves = rise if key <= mine.key[item] else None
        mine.key[item] = key
        if moves is not None:
            rise(mine.heap, mine.key, mine.place, int(mine.place[item]))
        else:
            sink(mine.heap, mine.key, mine.place, mine.size, int(mine.place[item]))
        mine.items()
    queue = [(mine.key[item], item) for item in theirs]
    heapq.heapify(queue)
    while queue:
        assert pop(mine.heap, mine.key, mine.place, mine.size) == heapq.heappop(queue)[1]
        mine.size -= 1
        mine.items()


def test_the_smaller_key_is_before_and_then_the_smaller_item():
    """Every pair of two keys."""
    key = np.array([1.0, 0.0, 1.0])
    for a in range(3):
        for b in range(3):
            assert before(key, a, b) == ((key[a], a) < (key[b], b))


def drawn(seed, **columns):
    """A price table of five jobs on six nodes in three racks, every column of its own."""
    rng = np.random.default_rng(seed)
    cluster = Cluster(np.full(6, 8), ("gpu",) * 6, np.array([2, 0, 1, 1, 0, 2]), np.ones(6), 10.0, np.full(3, np.inf))
    jobs = Jobs.build(submit_s=np.zeros(5), gpus=[4] * 5, duration_s=rng.uniform(1, 9, 5))
    prices = price_table(jobs, cluster, work=jobs.duration_s)
    made = {name: rng.uniform(0.1, 2.0, 5) for name in BY_JOB} | {"curve": np.arange(5)}
    made |= {name: rng.uniform(0.5, 2.0, 6) for name in ("node_speed", "node_link")}
    return rng, prices._replace(**{**made, "rack_link": rng.uniform(0.5, 4.0, 3), **columns})


@pytest.mark.parametrize("seed", range(40))
def test_what_a_gang_runs_across(seed):
    """Nodes counted once, the slowest node, the slowest link; uplinks only of gangs in several racks."""
    rng, prices = drawn(seed)
    nodes = np.sort(rng.integers(0, 6, int(rng.integers(1, 5))))
    used = sorted(set(nodes.tolist()))
    racks = {int(prices.rack[node]) for node in used}
    links = [prices.node_link[node] for node in used]
    links += [prices.rack_link[rack] for rack in racks] if len(racks) > 1 else []
    assert reach(prices, nodes) == (len(used), min(prices.node_speed[node] for node in used), max(links))


@pytest.mark.parametrize("seed", range(5))
def test_time_of_an_iteration_with_any_factor(seed):
    """Eq. 8 with every term; the factor is read at one sharer at least, and at the last that is known at most."""
    _, prices = drawn(seed, sharing=np.array([9.0, 1.0, 1.5, 2.5]))
    assert [factor_of(prices, sharers) for sharers in (0, 1, 2, 3, 4, 99)] == [1.0, 1.0, 1.5, 2.5, 2.5, 2.5]
    for cap in (0.01, 1e9):
        table = prices._replace(cap_s=np.full(5, cap))
        for job in range(5):
            alone = prices.base_s[job] + prices.local_s[job]
            assert stretched_s(table, job, 1, 3.0, 2.0) == min(cap, alone)
            spread = prices.base_s[job] + prices.link_s[job] * 3.0 * 2.0 + prices.server_s[job] * 2
            assert stretched_s(table, job, 2, 3.0, 2.0) == pytest.approx(min(cap, spread))


def test_a_table_of_some_jobs():
    """Columns by job are those of the rows, in their order; everything else is the whole table's."""
    _, prices = drawn(0)
    some = prices.take(np.array([3, 1]))
    for name, column, part in zip(prices._fields, prices, some, strict=True):
        expected = [column[3], column[1]] if name in BY_JOB else np.ravel(column).tolist()
        assert np.ravel(part).tolist() == expected, name


def test_rows_of_a_training_are_its_own():
    """Writing them changes nothing that others read; speeds of nodes and curves no longer count."""
    _, prices = drawn(1)
    own = own_rows(prices)
    for name, column, mine in zip(prices._fields, prices, own, strict=True):
        if name in REWRITTEN:
            assert mine.tolist() == column.tolist() and not np.shares_memory(mine, column), name
        elif name not in ("node_speed", "curve", "unmeasured"):
            assert mine is column, name
    assert own.node_speed.tolist() == [1.0] * 6 and own.curve.tolist() == [-1] * 5
    assert not own.unmeasured.any() and own.unmeasured.shape == (5,)


def test_a_table_of_linked_jobs_is_refused_where_links_are_not_known():
    """Unless they are linked, nothing happens; a table is not linked and reserves nothing unless it says so."""
    _, prices = drawn(2)
    assert prices.linked is False and prices.gbps.shape == (0,)
    refuse_links(prices, "the planner")
    with pytest.raises(InputError, match="field fabric: the planner knows jobs by server only"):
        refuse_links(prices._replace(linked=True), "the planner")


def test_a_slot_ends_at_once_only_at_its_end():
    """On the clock of the trace; without slots, at any time."""
    assert slot_end(0.3, -1.0, 5.0) == 0.3
    assert [slot_end(time, 1.0) for time in (0.0, 0.25, 1.0, 1.0 + 1e-6)] == [0.0, 1.0, 1.0, 2.0]
    assert slot_end(0.25, 1.0, 0.5) == 0.5


@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_predicted_to_be_left(seed):
    """The predicted total less what is done; a tenth of it once that is used up; what is predicted exactly is true."""
    rng = np.random.default_rng(seed)
    factor = np.array([1.0, 0.3, 0.9, 1.1, 4.0])
    forecast = Forecast(factor, np.ones(5, bool))
    jobs = rng.integers(0, 5, 40)
    total = rng.uniform(1, 9, 40)
    left = total * rng.choice([0.0, 0.05, 0.5, 0.9, 1.0], 40)
    for job, rest, whole, found in zip(jobs, left, total, forecast.left(jobs, left, total), strict=True):
        believed = factor[job] * whole
        done = whole - rest
        expected = rest if factor[job] == 1.0 else min(believed, max(believed - done, 0.1 * believed))
        assert found == pytest.approx(expected)
    assert not forecast.is_exact
    exact = Forecast.exact(3)
    assert exact.is_exact and exact.factor.tolist() == [1.0] * 3 and exact.predictable.tolist() == [True] * 3
