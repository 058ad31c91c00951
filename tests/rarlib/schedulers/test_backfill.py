"""Reservations and backfilling, compared with readings that share no code: one GPU and one time unit at a time."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from rarlib.model.cluster import Cluster
from rarlib.model.forecast import Forecast
from rarlib.schedulers.backfill import Backfill
from rarlib.simulator.engine import simulate
from tests.rarlib.simulator.toys import Cost, jobs_of

GPUS = 6
TABLES = st.lists(st.tuples(st.integers(0, 12), st.integers(1, GPUS), st.integers(1, 9)), min_size=1, max_size=12).map(
    lambda rows: sorted((submit - min(rows)[0], gpus, length) for submit, gpus, length in rows)
)


def starts(table, cluster="3x2", forecast=None, **parameters):
    run = simulate(jobs_of(table), Cluster.parse(cluster), Backfill(**parameters), Cost(), forecast=forecast)
    return run.start_s.tolist()


def fits(free, at, gpus, length):
    return all(free[t] >= gpus for t in range(at, at + length))


def conservative_by_hand(table):
    """With exact limits a reservation never moves: every job, in order, takes the first hole that holds it."""
    free = [GPUS] * 400
    found = []
    for submit, gpus, length in table:
        at = next(t for t in range(submit, 300) if fits(free, t, gpus, length))
        for t in range(at, at + length):
            free[t] -= gpus
        found.append(at)
    return found


def easy_by_hand(table):
    """Unit by unit: start in order; then reserve for the head alone, and start whatever leaves its hole as it is."""
    free, begun = [GPUS] * 400, {}

    def begin(job, now):
        _, gpus, length = table[job]
        for t in range(now, now + length):
            free[t] -= gpus
        begun[job] = now

    for now in range(300):
        waiting = [job for job, (submit, _, _) in enumerate(table) if submit <= now and job not in begun]
        while waiting and fits(free, now, *table[waiting[0]][1:]):
            begin(waiting.pop(0), now)
        if not waiting:
            continue
        _, gpus, length = table[waiting[0]]
        reserved = next(t for t in range(now, 300) if fits(free, t, gpus, length))
        for job in waiting[1:]:
            mine = list(free)
            for t in range(reserved, reserved + length):
                mine[t] -= gpus
            if fits(mine, now, *table[job][1:]):
                begin(job, now)
    return [begun[job] for job in range(len(table))]


@settings(max_examples=300)
@given(TABLES)
def test_conservative_with_exact_limits_is_the_first_hole_in_order(table):
    """So no job starts later than its first reservation."""
    assert starts(table, reservations="conservative") == conservative_by_hand(table)


@settings(max_examples=300)
@given(TABLES)
def test_easy_with_exact_limits_reserves_for_the_head_alone(table):
    assert starts(table, reservations="easy") == easy_by_hand(table)


@settings(max_examples=200)
@given(TABLES, st.floats(1.0, 4.0), st.booleans())
def test_easy_never_delays_the_head_beyond_its_first_reservation(table, padding, whole_servers):
    """Also where limits are too long: gangs that end early only bring the reservation forward."""
    promised: dict[int, float] = {}

    class Watched(Backfill):
        def decide(self, view):
            decisions = list(super().decide(view))
            begun = {each.job for each in decisions if hasattr(each, "placement")}
            left = [job for job in view.waiting if job.row not in begun]
            if left and left[0].row not in promised:
                ends = [(r.since_s + padding * r.job.duration_s, r.job.gpus) for r in view.running]
                new = [job for job in view.waiting if job.row in begun]
                ends += [(view.now_s + padding * job.duration_s, job.gpus) for job in new]
                free, at = int(view.free.sum()) - sum(job.gpus for job in new), view.now_s
                for end, gpus in sorted(ends):
                    if free >= left[0].gpus:
                        break
                    free, at = free + gpus, end
                promised[left[0].row] = at
            return decisions

    scheduler = Watched(padding=padding, whole_servers=whole_servers)
    run = simulate(jobs_of(table), Cluster.parse(f"{GPUS}x1"), scheduler, Cost())
    assert all(run.start_s[row] <= at + 1e-6 for row, at in promised.items())


def test_a_job_beyond_its_limit_is_given_more_time():
    """The forecast says 1 s, the job takes 20 s. At t=3 it is given 4 s, so a job of 1 s may start; one of 2 s not."""
    table = [(0, 1, 20), (0, 2, 5), (3, 1, 1)]
    forecast = Forecast(factor=np.array([0.05, 1.0, 1.0]), predictable=np.ones(3, bool))
    assert starts(table, cluster="1x2", forecast=forecast) == [0, 20, 3]
    assert starts([*table[:2], (3, 1, 2)], cluster="1x2", forecast=forecast) == [0, 20, 25]
