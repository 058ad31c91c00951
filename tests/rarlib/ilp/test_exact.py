"""Exact methods for RAR-DDLS: against each other, against trying everything, on paper, and in the simulator."""

from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rarlib.cost.linked import cluster_shape, on_fabric
from rarlib.cost.ring import SlottedRingCost
from rarlib.cost.table import price_table
from rarlib.ilp.rar_ddls import brute_force, exact
from rarlib.ilp.rar_ddls.slotted import Slotted, completions, each_from_others, intervals, slotted, start_in_order
from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError
from rarlib.model.jobs import Jobs
from rarlib.model.seeds import stream
from rarlib.simulator.engine import simulate
from tests.rarlib.ilp.cases import KINDS, case, ends_slot_by_slot, placements
from tests.rarlib.ilp.timetable import Timetable


def _everything(c, below):
    """Whether some starts and placements end before `below`: every slot, every placement, nothing left out."""
    n = len(c.jobs)
    for starts in product(range(below), repeat=n):
        for chosen in product(*(placements(c, j) for j in range(n))):
            ends = ends_slot_by_slot(c, starts, chosen)
            if ends is not None and max(ends) < below:
                return True
    return False


def _gangs_sharing_a_server(alone, shared, work):
    """Two gangs of 3 on servers of 2, 2, 2: the only way to run both at once is to meet on one server."""
    rate = np.zeros((2, 4, 3), np.int64)
    rate[:, 1:, :2], rate[:, 1:, 2] = alone, shared
    return Slotted((3, 3), work, (2, 2, 2), rate)


@pytest.mark.parametrize("kind", list(KINDS))
def test_brute_force_against_trying_everything(kind):
    """None of its shortcuts may cut off the optimum: no start slot and no placement whatever ends earlier."""
    for seed in range(12):
        c = case(kind, seed, 2 + seed % 2)
        found = brute_force.least_makespan(c.problem)
        assert max(ends_slot_by_slot(c, found.starts, found.placements)) == found.makespan
        if found.makespan <= 6 - len(c.jobs):
            assert not _everything(c, found.makespan)


@pytest.mark.parametrize("kind", list(KINDS))
@pytest.mark.parametrize(("jobs", "seeds"), [(3, 30), (4, 20), (5, 12)])
def test_solver_against_brute_force(kind, jobs, seeds):
    """Two methods that share nothing but the rates; also what starts both of them is no better than the optimum."""
    for seed in range(seeds):
        problem = case(kind, seed, jobs).problem
        by_search, by_solver = brute_force.least_makespan(problem), exact.least_makespan(problem)
        assert by_solver.status == "optimal"
        assert by_solver.schedule.makespan == by_solver.bound == by_search.makespan, (kind, jobs, seed)
        assert each_from_others(problem).makespan >= by_search.makespan


@pytest.mark.parametrize("kind", list(KINDS))
def test_schedules_are_worth_in_the_simulator_what_they_claim(kind):
    """The timetable of an optimal schedule, released in a run, ends job by job when eq. 9 says."""
    for seed in range(10):
        c = case(kind, seed, 5)
        found = exact.least_makespan(c.problem).schedule
        table = Timetable(found.starts, found.placements)
        run = simulate(c.jobs, c.cluster, table, c.cost, quantum=1.0, whole_slots=True)
        assert run.makespan_s == found.makespan
        assert run.start_s.tolist() == list(found.starts)
        assert run.finish_s.tolist() == completions(c.problem, found.starts, found.placements)


def test_contention_decides_in_these_instances():
    decided = 0
    for seed in range(10):
        c = case("spanning", seed, 5)
        free = np.broadcast_to(c.problem.rate[:, :, :2].max(axis=2)[:, :, None], c.problem.rate.shape)
        without = exact.least_makespan(c.problem._replace(rate=free))
        decided += exact.least_makespan(c.problem).bound > without.bound
    assert decided >= 3


def test_it_may_pay_to_start_in_the_middle_of_another_job():
    """Neither at 0 nor when something ends: B starts in the last slot of A, which has work for a third of that slot.

    Two gangs that must share a server, 3 iterations per slot alone and 1 beside the other, 4 iterations to do.

    slot      0 1 2        A: 3 + 1
    A         3 1          B: 1 + 3
    B           1 3        end 3; together from 0 both do 1 per slot: end 4; one after the other: 2 + 2.
    """
    problem = _gangs_sharing_a_server(3, 1, (4, 4))
    found = brute_force.least_makespan(problem)
    assert (sorted(found.starts), found.makespan) == ([0, 1], 3)
    assert exact.least_makespan(problem).bound == 3
    at_events = [
        start_in_order(problem, order, chosen).makespan
        for order in permutations(range(2))
        for chosen in product([(2, 1, 0), (0, 1, 2), (1, 2, 0), (2, 0, 1), (1, 0, 2), (0, 2, 1), (1, 1, 1)], repeat=2)
    ]
    assert min(at_events) == 4  # no list order, whatever the placements, attains the optimum


def test_it_may_pay_to_wait_on_purpose():
    """3 per slot alone, 1 beside the other, 6 to do: one after the other 2 + 2, together 6, and no slot is wasted."""
    found = brute_force.least_makespan(_gangs_sharing_a_server(3, 1, (6, 6)))
    assert (sorted(found.starts), found.makespan) == ([0, 2], 4)


def test_overlapping_pays_when_contention_is_mild():
    """3 per slot alone, 2 beside the other: two at once do 4 per slot; 8 to do: 4 slots, one after the other 6."""
    found = brute_force.least_makespan(_gangs_sharing_a_server(3, 2, (8, 8)))
    assert (found.starts, found.makespan) == ((0, 0), 4)


def _may_stand_still(seed):
    """An instance in which contention can leave gangs without a whole iteration in a slot, for good."""
    rng = stream(seed, "standstill")
    n, sizes = int(rng.integers(2, 5)), rng.choice([1, 2, 3], int(rng.integers(2, 5)))
    gpus = np.minimum(rng.choice([1, 2, 3, 3, 4, 5], n), sizes.sum())
    tau, work = rng.choice([0.2, 0.25, 0.3, 0.4], n), rng.integers(1, 5, n).astype(float)
    cost = SlottedRingCost(work, tau, 0.5, cap=2.0, alpha=1.0)
    jobs, cluster = Jobs.build(submit_s=np.zeros(n), gpus=gpus, duration_s=np.ones(n)), Cluster.of(sizes)
    return cost, jobs, cluster


def test_gangs_that_would_stand_still_together_run_one_after_the_other():
    """0.4 (1 + 0.5 (1 + 2)) = 1: an iteration a slot alone, 0.4 (1 + 0.5 (3 + 2)) = 1.4: none beside the other.

    Without contention both run at once, and the replay of that plan would never end. On two servers of 2 each gang
    spans, takes 2 slots, and needs servers that the other one needs, too.
    """
    jobs, cluster = Jobs.build(submit_s=np.zeros(2), gpus=[3, 3], duration_s=[1.0, 1.0]), Cluster.of([2, 2, 2])
    cost = SlottedRingCost(np.full(2, 2.0), np.full(2, 0.4), 0.5, cap=2.0, alpha=1.0)
    problem = slotted(jobs, cluster, cost.price(jobs, cluster))
    assert problem.rate[:, 2, 1:].tolist() == [[1, 0], [1, 0]]
    found = exact.least_makespan(problem)
    assert (found.status, found.bound, found.schedule.makespan) == ("optimal", 4, 4)
    assert start_in_order(problem, (0, 0), ((2, 1, 0), (0, 1, 2))).starts == (0, 2)
    with pytest.raises(InputError, match="a job never ends"):
        completions(problem, (0, 0), ((2, 1, 0), (0, 1, 2)))


def test_solver_against_brute_force_where_gangs_may_stand_still():
    """Rates of zero: no schedule may rely on them, and none that avoids them may be missed."""
    zeros = 0
    for seed in range(80):
        cost, jobs, cluster = _may_stand_still(seed)
        try:
            problem = slotted(jobs, cluster, cost.price(jobs, cluster))
        except InputError:
            continue  # a gang that never ends even alone
        by_search, by_solver = brute_force.least_makespan(problem), exact.least_makespan(problem)
        assert (by_solver.status, by_solver.schedule.makespan) == ("optimal", by_search.makespan), seed
        table = Timetable(by_solver.schedule.starts, by_solver.schedule.placements)
        run = simulate(jobs, cluster, table, cost, quantum=1.0, whole_slots=True)
        assert run.makespan_s == by_search.makespan
        zeros += bool((problem.rate[:, 1:, 1:] == 0).any())
    assert zeros > 20


@given(st.sampled_from(list(KINDS)), st.integers(0, 200), st.data())
def test_fewer_competitors_never_hurt(kind, seed, data):
    """The lemma in `slotted` on which every shortcut stands: less work, same starts and placements: no end is later."""
    problem = case(kind, seed, 4).problem
    schedule = brute_force.least_makespan(problem)
    less = tuple(data.draw(st.integers(1, work)) for work in problem.work)
    before = completions(problem, schedule.starts, schedule.placements)
    after = completions(problem._replace(work=less), schedule.starts, schedule.placements)
    assert all(b >= a for b, a in zip(before, after, strict=True))


def test_a_limit_is_told_and_the_same_every_time():
    """Value and bound still enclose the optimum, however little was allowed, and nothing depends on the clock."""
    hard = case("spanning", 3, 8).problem
    first, second = (exact.least_makespan(hard, effort=0.03) for _ in range(2))
    assert first == second
    assert first.status == "limit"
    optimum = exact.least_makespan(hard)
    assert optimum.status == "optimal"
    assert first.bound <= optimum.bound <= first.schedule.makespan
    assert first.gap > 0.0 == optimum.gap
    least = exact.least_makespan(hard, effort=1e-9)
    assert 0 < least.bound <= optimum.bound <= least.schedule.makespan


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"submit_s": [0.0, 1.0]}, "wait at slot 0"),
        ({"gpus": [1, 9]}, "larger than the cluster"),
        ({"min_gpus": [1, 1]}, "rigid"),
    ],
)
def test_what_the_exact_methods_refuse(change, rule):
    """One line that says why, instead of an optimum of another problem."""
    columns = {"submit_s": [0.0, 0.0], "gpus": [1, 2], "duration_s": [1.0, 1.0]}
    jobs, cluster = Jobs.build(**columns | change), Cluster.of([2, 2])
    cost = SlottedRingCost(np.array([3.0, 2.0]), np.array([0.1, 0.1]), extra=0.1, cap=2.0)
    with pytest.raises(InputError, match=rule):
        slotted(jobs, cluster, cost.price(jobs, cluster))


def test_the_exact_methods_refuse_a_fabric():
    """A count by server is no price of shared links, and more jobs may make a job faster there."""
    jobs = Jobs.build(submit_s=[0.0, 0.0], gpus=[1, 2], duration_s=[1.0, 1.0])
    cluster, cost = Cluster.of([2, 2]), SlottedRingCost(np.array([3.0, 2.0]), np.array([0.1, 0.1]), extra=0.1, cap=2.0)
    assert slotted(jobs, cluster, cost.price(jobs, cluster)).gang == (1, 2)
    with pytest.raises(InputError, match=r"fabric: an exact program knows jobs by server only"):
        slotted(jobs, cluster, on_fabric(cost, cluster_shape(cluster)).price(jobs, cluster))


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
