"""Every identity fires: a sound run passes, and one wrong number in it is found and named."""

from dataclasses import replace

import numpy as np
import pytest
from toys import Cost, jobs_of

from rarlib.model.cluster import Cluster
from rarlib.schedulers.fifo_backfill import FifoBackfill
from rarlib.schedulers.srtf import Srtf
from rarlib.simulator.engine import simulate
from rarlib.simulator.identities import IdentityError, _overfull, _Rows, check_identities

ROWS = [(0, 2, 6), (2, 1, 3), (3, 1, 1), (3, 3, 5)]
PER_JOB = ("finish_s", "gpu_seconds", "queue_s", "useful_s", "contention_s", "overhead_s", "work_done")


@pytest.fixture(scope="module")
def good():
    """A run with a job that is stopped (0) and a gang on two nodes (3)."""
    return simulate(jobs_of(ROWS), Cluster.of([2, 1]), Srtf(), Cost(), restart_s=1)


def edited(run, name, index, change):
    """The run with `change` added to one entry of one array."""
    array = getattr(run, name).copy()
    array[index] += change
    return replace(run, **{name: array})


def row_of(run, job):
    """First allocation row of a job."""
    return int(np.flatnonzero(run.alloc_job == job)[0])


def test_sound_run_passes(good):
    check_identities(good)
    assert good.restarts[0] == 1
    assert np.count_nonzero(good.alloc_job == 3) == 2


def roomy(run):
    """The run on a cluster with GPUs to spare, so that capacity does not hide what is tested."""
    return replace(run, cluster=Cluster.of([9, 9]))


def test_gpu_held_twice(good):
    row = row_of(good, 1)
    moved = edited(good, "alloc_node", row, -good.alloc_node[row])
    with pytest.raises(IdentityError, match=r"capacity: job 1 brings node 0 to 3 GPUs of 2 at 0.0 s"):
        check_identities(edited(moved, "alloc_start", row, -good.alloc_start[row]))


def test_gang_too_large(good):
    row = row_of(good, 1)
    held_s = good.alloc_end[row] - good.alloc_start[row]
    wide = edited(edited(roomy(good), "alloc_gpus", row, 1), "gpu_seconds", 1, held_s)
    with pytest.raises(IdentityError, match=r"gangs whole: job 1 holds 2 GPUs from 2.0 s; it takes 1 to 1"):
        check_identities(wide)


def test_gang_held_twice_at_once(good):
    row = int(np.flatnonzero(good.alloc_job == 0)[-1])
    with pytest.raises(IdentityError, match=r"gangs whole: job 0 .* none before 3.0 s"):
        check_identities(edited(roomy(good), "alloc_start", row, 1.0 - good.alloc_start[row]))


@pytest.mark.parametrize(
    ("name", "job", "change", "told"),
    [
        ("alloc_node", 0, -9, r"capacity: job 0 brings node -\d to \d+ GPUs of 0 at"),
        ("alloc_node", 0, 9, r"capacity: job 0 brings node \d+ to \d+ GPUs of 0 at"),
        ("alloc_end", 2, -5.0, "capacity: job 2"),
        ("alloc_gpus", 0, -1, r"gangs whole: job 0 holds 1 GPUs from 0.0 s; it takes 2 to 2"),
        ("restarts", 0, -1, r"intervals <= 1 \+ restarts \+ moves: job 0: 2 is not 1"),
        ("gpu_seconds", 1, 1e-3, "GPU-seconds = sum over allocations: job 1"),
        ("work_done", 3, -0.01, "work done = work asked: job 3"),
        ("work_done", 3, 0.01, "work done = work asked: job 3"),
        ("start_s", 1, -0.5, "submission <= start <= finish: job 1"),
        ("useful_s", 0, 1e-3, r"queue \+ useful \+ contention \+ overhead = turnaround: job 0"),
        ("contention_s", 0, 1e-3, r"queue \+ useful \+ contention \+ overhead = turnaround: job 0"),
        ("overhead_s", 0, 1e-3, r"queue \+ useful \+ contention \+ overhead = turnaround: job 0"),
    ],
)
def test_one_wrong_number(good, name, job, change, told):
    index = row_of(good, job) if name.startswith("alloc") else job
    with pytest.raises(IdentityError, match=told):
        check_identities(edited(good, name, index, change))


def test_held_beyond_the_finish(good):
    with pytest.raises(IdentityError, match=r"last allocation ends by the finish: job 2: 4.25 is not 4.0"):
        check_identities(edited(roomy(good), "alloc_end", row_of(good, 2), 0.25))


def test_work_may_exceed_by_a_slot_only_where_slots_are_whole(good):
    """Whole slots let a job do up to a slot's work more; anything beyond is an error."""
    longer = edited(good, "work_done", 3, 0.75)
    check_identities(longer, hold_s=1.0)
    with pytest.raises(IdentityError, match="work done"):
        check_identities(longer, hold_s=0.5)


def test_waiting_and_holding(good):
    shifted = edited(edited(good, "queue_s", 3, 0.5), "useful_s", 3, -0.5)
    with pytest.raises(IdentityError, match=r"waiting \+ holding GPUs = turnaround: job 3"):
        check_identities(shifted)


@pytest.mark.parametrize(
    ("counter", "words"),
    [("area_system", "jobs in the system"), ("area_waiting", "jobs waiting"), ("area_busy_gpus", "busy GPUs")],
)
def test_littles_law(good, counter, words):
    counters = good.counters | {counter: good.counters[counter] + 0.01}
    with pytest.raises(IdentityError, match=rf"Little's law: integral of {words}"):
        check_identities(replace(good, counters=counters))


@pytest.mark.parametrize("name", PER_JOB)
def test_not_a_number(good, name):
    """NaN compares as false with everything and must not slip through."""
    with pytest.raises(IdentityError):
        check_identities(edited(good, name, 1, np.nan))


def test_any_single_second_shows():
    """Moving one second anywhere in a contended run must break an identity: nothing is checked against itself."""
    cost = Cost({"link_s": np.full(4, 0.5), "sharing": np.array([1.0, 1, 2, 3]), "server_s": np.full(4, 0.1)})
    run = simulate(jobs_of(ROWS), Cluster.of([2, 2, 1]), FifoBackfill(), cost)
    check_identities(run)
    for name in PER_JOB:
        for job in range(len(ROWS)):
            with pytest.raises(IdentityError):
                check_identities(edited(run, name, job, 1.0))
    for name in ("alloc_start", "alloc_end"):
        for row in range(len(run.alloc_job)):
            with pytest.raises(IdentityError):
                check_identities(edited(run, name, row, 1.0))


def test_an_empty_interval_holds_nothing_and_is_sound():
    """It ends when it begins, on a node whose GPUs are all held; one that ends before it begins is found."""
    rows = _Rows(
        *(np.array(column) for column in ([0, 1, 2], [0.0, 4.0, 0.0], [9.0, 4.0, 9.0], [0, 0, 1], [2, 2, 1])),
    )
    by_start, by_end = np.argsort(rows.start, kind="stable"), np.argsort(rows.end, kind="stable")
    assert _overfull(rows, by_start, by_end, np.array([2, 1])) == (-1, 0)
    before = rows._replace(end=np.array([9.0, 3.0, 9.0]))
    assert _overfull(before, by_start, np.argsort(before.end, kind="stable"), np.array([2, 1])) == (1, 2)
