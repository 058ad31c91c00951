"""Instances of RAR-DDLS, the patterns of GPUs and the cuts of the exhaustive search, each by its definition."""

from itertools import combinations, product

import numpy as np
import pytest
from scipy.optimize import linprog

from rarlib.cost.table import price_table
from rarlib.ilp.rar_ddls import brute_force, feasibility
from rarlib.ilp.rar_ddls.brute_force import _Running, _Search, _State
from rarlib.ilp.rar_ddls.gangs import _twins
from rarlib.ilp.rar_ddls.patterns import Patterns
from rarlib.ilp.rar_ddls.slotted import Slotted, completions, each_from_others, intervals, rates, slotted
from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError
from rarlib.model.jobs import Jobs
from tests.ilp.cases import KINDS, case, placements


def test_rates_follow_the_price_table():
    """Whole iterations per slot by servers and sharers: on one server, nobody is met; no sharers stand for one."""
    jobs, cluster = Jobs.build(submit_s=[0, 0, 0], gpus=[1, 2, 3], duration_s=[1, 1, 1]), Cluster.of([2, 2])
    prices = price_table(
        jobs,
        cluster,
        work=np.array([5.0, 6.0, 7.0]),
        base_s=np.array([0.2, 0.1, 0.15]),
        link_s=0.1,
        server_s=0.05,
        slot_s=1.0,
        sharing=np.array([1.0, 1.0, 2.5]),
        node_speed=np.full(2, 2.0),
        node_link=np.full(2, 1.5),
    )
    problem = slotted(jobs, cluster, prices)
    assert (problem.gang, problem.work, problem.capacity) == ((1, 2, 3), (5, 6, 7), (2, 2))
    assert problem.rate.shape == (3, 3, 3)
    for job, base in enumerate((0.2, 0.1, 0.15)):
        for p, factor in ((0, 1.0), (1, 1.0), (2, 2.5)):
            assert problem.rate[job, 1, p] == int(2.0 / base + 1e-9)
            assert problem.rate[job, 2, p] == int(2.0 / (base + 0.1 * 1.5 * factor + 0.05 * 2) + 1e-9)
    assert not problem.rate[:, 0].any()


@pytest.mark.parametrize(
    ("change", "rule", "field"),
    [
        ({"slot_s": 2.0}, "slots of one unit", "slot"),
        ({"work": [0.0, 1.0]}, "must be whole, at least 1", "work"),
        ({"work": [1.5, 1.0]}, "must be whole, at least 1", "work"),
        ({"node_speed": [1.0, 2.0]}, "alike, in one rack", "nodes"),
        ({"node_link": [1.0, 2.0]}, "alike, in one rack", "nodes"),
        ({"sharing": [1.0, 1.0, 0.5]}, "must not speed a job up", "sharing"),
        ({"base_s": [0.1, 1.5]}, "never ends: not one", "iterations"),
    ],
)
def test_what_is_refused_and_the_field_that_is_named(change, rule, field):
    jobs, cluster = Jobs.build(submit_s=[0, 0], gpus=[2, 3], duration_s=[1, 1]), Cluster.of([2, 2])
    given = {"work": [1.0, 2.0], "base_s": [0.1, 0.1], "link_s": 0.2, "slot_s": 1.0} | change
    given = {name: np.array(value) if isinstance(value, list) else value for name, value in given.items()}
    with pytest.raises(InputError, match=rule) as error:
        slotted(jobs, cluster, price_table(jobs, cluster, **given))
    assert error.value.field == field


def test_servers_that_a_gang_can_sit_on():
    """From as few as hold it, the largest first, to one for each of its GPUs."""
    problem = Slotted((1, 4, 5, 9), (7,) * 4, (2, 4, 3), np.ones((4, 4, 2), np.int64))
    assert [list(problem.spreads(job)) for job in range(4)] == [[1, 2, 3][:1], [1, 2, 3], [2, 3], [3]]


def test_slots_are_rounded_up_and_endless_without_a_rate():
    rate = np.array([[[0, 0, 0], [3, 3, 3], [2, 2, 0]]])
    problem = Slotted((2,), (7,), (2, 2), rate)
    assert [problem.slots(0, 1), problem.slots(0, 2), problem.slots(0, 2, 2)] == [3, 4, float("inf")]
    assert problem.shortest(0) == 3
    assert problem._replace(work=(6,)).slots(0, 1) == 2
    assert problem._replace(capacity=(1, 1)).shortest(0) == 4
    assert problem._replace(capacity=(1,)).shortest(0) == float("inf")
    twin, other = problem._replace(rate=rate.copy()), problem._replace(work=(8,))
    assert problem.kind(0) == twin.kind(0) != other.kind(0)


def test_sharers_are_the_gangs_that_span_on_the_busiest_server():
    """Jobs on one server meet nobody; a gang meets the others on its fullest server only."""
    rate = np.arange(4 * 4 * 4).reshape(4, 4, 4)
    problem = Slotted((2, 2, 2, 1), (1,) * 4, (3, 3, 2), rate)
    where = [(1, 1, 0), (0, 1, 1), (0, 1, 1), (1, 0, 0)]
    assert rates(problem, [0, 1, 2, 3], where) == [rate[0, 2, 3], rate[1, 2, 3], rate[2, 2, 3], rate[3, 1, 0]]
    assert rates(problem, [0, 3], where) == [rate[0, 2, 1], rate[3, 1, 0]]
    assert rates(problem, [2, 1], where) == [rate[2, 2, 2], rate[1, 2, 2]]


def test_choices_that_are_no_schedule_are_named():
    rate = np.full((2, 3, 3), 2)
    problem = Slotted((2, 2), (4, 4), (2, 2), rate)
    with pytest.raises(InputError, match=r"server 0 has 2 GPUs, 4 are needed in slot 1") as error:
        completions(problem, (0, 1), ((2, 0), (2, 0)))
    assert error.value.field == "placements"
    assert completions(problem, (0, 2), ((2, 0), (2, 0))) == [2, 4]
    with pytest.raises(InputError, match="every gang must hold exactly its size"):
        completions(problem, (0, 0), ((2, 0), (0, 1)))
    table = intervals(problem, each_from_others(problem), ["a", "b"])
    assert table.to_numpy().tolist() == [["a", 0, 2, 0, 2], ["b", 2, 4, 0, 2]]
    assert list(table.columns) == ["job_id", "start_s", "end_s", "node", "gpus"]


@pytest.mark.parametrize("kind", list(KINDS))
def test_one_job_after_the_other_takes_the_shortest_times(kind):
    for seed in range(20):
        c = case(kind, seed, 4)
        found = each_from_others(c.problem)
        ends = completions(c.problem, found.starts, found.placements)
        lengths = [min(c.problem.slots(j, sum(n > 0 for n in where)) for where in placements(c, j)) for j in range(4)]
        assert list(found.starts) == [sum(lengths[:j]) for j in range(4)]
        assert ends == [sum(lengths[: j + 1]) for j in range(4)]
        assert found.makespan == sum(lengths)


def test_the_bound_below_a_state():
    """The longest job left; all GPU-slots; jobs of more than half of the GPUs one after the other: each decides."""
    rate = np.ones((3, 3, 3), np.int64)
    rate[:, 2] = 2
    which = set()
    for gang, work in (((1, 2, 3), (9, 2, 2)), ((2, 2, 2), (4, 4, 5)), ((3, 3, 1), (4, 4, 1)), ((2, 2, 3), (3, 3, 3))):
        search = _Search(Slotted(gang, work, (2, 2), rate))
        # Job 0 runs, with three iterations left, on two servers if it must.
        counts = (gang[0] - 1, 1) if gang[0] > 1 else (1, 0)
        state = _State(5, (1, 2), (_Running(0, 3, counts),), ())
        first = -(-3 // (2 if gang[0] > 1 else 1))
        others = [min(-(-work[j] // 2), work[j] if gang[j] <= 2 else 99) if gang[j] > 1 else work[j] for j in (1, 2)]
        slots = [first, *others]
        area = -(-sum(g * s for g, s in zip(gang, slots, strict=True)) // 4)
        wide = sum(s for g, s in zip(gang, slots, strict=True) if 2 * g > 4)
        parts = [max(slots), area, wide]
        assert search._bound(state) == 5 + max(parts)
        which.add(int(np.argmax(parts)))
    assert len(which) >= 2


def test_placements_are_all_up_to_equal_servers():
    """Servers of one size that hold the same of the same jobs may be exchanged; one of each set of such is tried."""
    for seed in range(40):
        c = case("mixed" if seed % 2 else "spanning", seed, 3)
        search = _Search(c.problem)
        first = placements(c, 0)[seed % len(placements(c, 0))]
        state = _State(0, (1, 2), (_Running(0, 1, tuple(first)),), ())
        looks = list(zip(c.problem.capacity, first, strict=True))

        def form(counts, looks=looks):
            return tuple(sorted(zip(looks, counts, strict=True)))

        found = list(search._placements(state, 1))
        free = [have - held for have, held in looks]
        every = {form(where) for where in placements(c, 1) if all(a <= b for a, b in zip(where, free, strict=True))}
        assert len(found) == len(every)
        assert {form(where) for where in found} == every


def test_states_that_are_no_better_are_known():
    c = case("spanning", 1, 3)
    search = _Search(c.problem)
    one = _Running(0, 5, tuple(placements(c, 0)[0]))
    state = _State(3, (1,), (one,), ((0, 2, one.counts),))
    assert not search._known(state)
    assert search._known(state)
    assert search._known(state._replace(time=4))
    assert not search._known(state._replace(time=2))
    assert search._known(state._replace(starts=((0, 3, one.counts),)))
    assert not search._known(state._replace(starts=((0, 1, one.counts),)))
    assert search._known(state._replace(running=(one._replace(left=6),)))
    assert not search._known(state._replace(running=(one._replace(left=4),)))
    assert not search._known(state._replace(waiting=(1, 2)))


def test_starts_that_could_be_earlier():
    """If it would have fitted before and slowed nobody; three a slot alone, one beside another gang."""
    rate = np.full((2, 4, 3), 3)
    rate[:, 2:, 2] = 1
    search = _Search(Slotted((3, 3), (3, 3), (2, 2, 3), rate))
    ran = (_Running(0, 3, (2, 1, 0)),)
    assert search._could_be_earlier(1, (0, 0, 3), ran)
    assert not search._could_be_earlier(1, (1, 2, 0), ran)  # no GPUs
    assert not search._could_be_earlier(1, (0, 1, 2), ran)  # fits, but slows it down
    assert search._may_hurt(_State(1, (1,), ran, ()))
    assert not search._may_hurt(_State(1, (), ran, ()))
    assert brute_force.least_makespan(Slotted((3, 3), (3, 3), (2, 2, 3), rate)).makespan == 1


def test_twins_are_pairs_of_neighbours_among_equals():
    assert _twins("abacab") == [(0, 2), (2, 4), (1, 5)]


def all_patterns(load, room):
    sets = [s for k in range(1, len(load) + 1) for s in combinations(range(len(load)), k)]
    return [s for s in sets if sum(load[j] for j in s) <= room]


def test_patterns_prove_the_relaxation_and_nothing_more():
    """At half a GPU below the optimum it is refuted, at half above it is enough, and the bound never exceeds it."""
    for seed in range(60):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(2, 6))
        gang, load = rng.integers(1, 5, n), rng.integers(1, 9, n)
        room = int(load.max() + rng.integers(0, 8))
        sets = all_patterns(load, room)
        holds = np.array([[float(j in s) for s in sets] for j in range(n)])
        least = linprog(np.ones(len(sets)), A_ub=-holds, b_ub=-gang.astype(float)).fun
        short, enough = (Patterns(gang, load, room).cover(least + off, 100) for off in (-0.5, 0.5))
        assert not short.enough and least - 0.5 < short.bound <= least + 1e-9
        assert enough.enough and enough.bound <= least + 1e-9
        exact = Patterns(gang, load, room)
        assert exact.cover(least, 100).enough
        assert exact.rounds >= 1
        limited = Patterns(gang, load, room)
        assert limited.cover(0.0, 1) == limited.cover(0.0, 1) or limited.rounds == 2
        first = Patterns(gang, load, room)
        assert first._program.solve().value >= least - 1e-9
        held = [set(column.tolist()) for column in first._columns]
        assert all(load[list(jobs)].sum() <= room for jobs in held)
        # Each takes the largest loads that fit: nothing that is still needed could be added.
        assert held[0] == by_hand(load, room)


def by_hand(load, room):
    chosen, left = set(), room
    for job in sorted(range(len(load)), key=lambda j: -load[j]):
        if load[job] <= left:
            chosen.add(job)
            left -= load[job]
    return chosen


def test_whole_patterns_serve_every_gang():
    served = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        n, gpus = int(rng.integers(2, 6)), int(rng.integers(4, 7))
        gang, load = rng.integers(1, 5, n), rng.integers(1, 9, n)
        room = int(load.max() + rng.integers(0, 8))
        found = Patterns(gang, load, room).whole(gpus, 100)
        if found is None:
            continue
        served += 1
        assert len(found) <= gpus
        assert np.bincount(np.concatenate(found), minlength=n).tolist() == gang.tolist()
        assert all(load[jobs].sum() <= room and len(set(jobs.tolist())) == len(jobs) for jobs in found)
    assert served > 20


def test_limits_are_searched_in_growing_steps():
    """From below by 1, 2, 4, ... while refuted, no further than half of what is left; down again once one is not."""
    for truth, high in product(range(3, 12), (12, 20)):
        search = feasibility._Search(np.array([1]), np.array([1]), 1, 1.0, 1, 1.0)
        tried = []
        search._refuted = lambda limit, truth=truth, tried=tried: tried.append(limit) or limit < truth
        assert search.least_relaxed(3, high) == truth
        low, top, reach, wanted = 3, high, 1, []
        while low < top:
            wanted.append(min(low + reach - 1, (low + top) // 2))
            if wanted[-1] < truth:
                low, reach = wanted[-1] + 1, reach * 2
            else:
                top = wanted[-1]
        assert tried == wanted


def test_longest_jobs_go_first_to_the_least_busy():
    gang, load = np.array([1, 2, 1, 2]), np.array([3, 5, 4, 3])
    # 5 on 0, 1; 4 on 2; then the first 3 on 2 (4), 3 of two on 0, 1 (5).
    assert [jobs.tolist() for jobs in feasibility._longest_first(gang, load, 3)] == [[1, 3], [1, 3], [2, 0]]
