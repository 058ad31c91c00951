"""Why jobs wait: by hand, against a recomputation instant by instant, and that the parts add up."""

import time
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toys import jobs_of

from rarlib.cost.ring import RingCost
from rarlib.cost.trace import TraceCost
from rarlib.model.cluster import Cluster
from rarlib.model.decisions import Start
from rarlib.model.seeds import stream
from rarlib.records.job_history import HOLDING, blockers, job_history, lines, waiting_at
from rarlib.records.read import Record
from rarlib.records.waiting import TURNAROUND_PARTS, WAITS, decompose
from rarlib.schedulers.fifo import Fifo
from rarlib.schedulers.fifo_backfill import FifoBackfill
from rarlib.schedulers.srtf import Srtf
from rarlib.simulator.engine import Conventions, simulate
from tests.named import Named


@dataclass
class OneType(Named):
    """Starts jobs in order, each on the first GPU type with its gang free (`gangs` by row, else as requested)."""

    placement: str = "any"
    gangs: dict[int, int] = field(default_factory=dict)

    def decide(self, view):
        free, kinds = view.free.copy(), np.array(view.cluster.gpu_type)
        for job in view.waiting:
            gang = self.gangs.get(job.row, job.gpus)
            for kind in dict.fromkeys(kinds.tolist()):
                nodes = np.flatnonzero((kinds == kind) & (free > 0))
                if free[nodes].sum() >= gang:
                    taken = np.minimum(free[nodes], np.maximum(gang - (np.cumsum(free[nodes]) - free[nodes]), 0))
                    free[nodes] -= taken
                    yield Start(job.row, tuple((int(n), int(g)) for n, g in zip(nodes, taken, strict=True) if g))
                    break


def cluster_of(nodes):
    """A cluster of one type, or of several if `nodes` is a specification."""
    return Cluster.parse(nodes) if isinstance(nodes, str) else Cluster.of(nodes)


def recorded(rows, nodes, scheduler, cost=None, *, quantum=0.0, origin_s=0.0, columns=None, **options):
    jobs, like = jobs_of(rows, **(columns or {})), Conventions(origin_s=origin_s)
    run = simulate(
        jobs, cluster_of(nodes), scheduler, cost or TraceCost(), quantum=quantum, conventions=like, **options
    )
    facts = {"quantum_s": quantum, "parameters": {"placement": scheduler.placement}}
    return run, Record.of(run, {**facts, "origin_s": origin_s})


def parts_of(record, job):
    """The parts of a job that are not zero."""
    row = decompose(record).iloc[job]
    return {name: row[name] for name in TURNAROUND_PARTS if row[name]}


def test_waiting_for_gpus_then_behind_others():
    """Job 1 (4 GPUs) waits for job 0 to end at 5, and blocks job 2, for which 2 GPUs are free all the time."""
    _, record = recorded([(0, 2, 5), (1, 4, 2), (2, 1, 3)], [2, 2], Fifo())
    assert parts_of(record, 0) == {"running_s": 5.0}
    assert parts_of(record, 1) == {"wait_gpus_s": 4.0, "running_s": 2.0}
    # Until 5 s it is passed over; from 5 to 7 s job 1 has all four GPUs.
    assert parts_of(record, 2) == {"wait_order_s": 3.0, "wait_gpus_s": 2.0, "running_s": 3.0}
    assert waiting_at(record, 4.0).values.tolist() == [["1", 4, "wait_gpus_s"], ["2", 1, "wait_order_s"]]
    assert waiting_at(record, 5.0).values.tolist() == [["2", 1, "wait_gpus_s"]]
    assert job_history(record, 2).values.tolist() == [
        [2.0, 5.0, "wait_order_s", 0],
        [5.0, 7.0, "wait_gpus_s", 0],
        [7.0, 10.0, HOLDING, 1],
    ]


def test_fragmentation():
    """Two gangs of two leave one GPU free on each server: a third gang waits only if it wants them on one server."""
    rows = [(0, 2, 5), (0, 2, 9), (1, 2, 2)]
    _, packed = recorded(rows, [3, 3], FifoBackfill(placement="consolidate"))
    assert parts_of(packed, 2) == {"wait_fragmentation_s": 4.0, "running_s": 2.0}
    _, loose = recorded(rows, [3, 3], FifoBackfill(placement="pack"))
    assert parts_of(loose, 2) == {"running_s": 2.0}


def test_next_round():
    """With passes every 10 s a job that comes at 3 to an empty cluster waits for the round, and later jobs for GPUs."""
    _, record = recorded([(0, 1, 4), (3, 2, 8), (11, 1, 1)], [2], Fifo(), quantum=10.0)
    # Job 0 ends at 4: until then one GPU is free, from then on both, and the next pass is at 10.
    assert parts_of(record, 1) == {"wait_gpus_s": 1.0, "wait_round_s": 6.0, "running_s": 8.0}
    # Job 1 ends at 18; job 2 has both GPUs to choose from then, but starts at 20.
    assert parts_of(record, 2) == {"wait_gpus_s": 7.0, "wait_round_s": 2.0, "running_s": 1.0}


def test_restarts_overhead_and_contention():
    """What a job loses while it holds GPUs: restart seconds apart from the per-server overhead."""
    cost = RingCost(alpha=1.0, share=0.5, overhead=0.1)  # spanning two servers: 1 + f(2) + 0.2 s per second of work
    rows = [(0, 4, 10), (5, 4, 1)]
    run, record = recorded(rows, [2, 2], Srtf(), cost, restart_s=3.0)
    assert parts_of(record, 1) == pytest.approx({"server_overhead_s": 0.2, "running_s": 2.0})
    assert parts_of(record, 0) == pytest.approx(
        {"wait_gpus_s": 2.2, "restart_s": 3.0, "server_overhead_s": 2.0, "running_s": 20.0}
    )
    assert run.restart_s.tolist() == pytest.approx([3.0, 0.0])
    assert run.overhead_s.tolist() == pytest.approx([5.0, 0.2])


def test_who_held_the_gpus():
    """Job 2 waits from 1 to 5 on three GPUs: job 0 held 2 all the time, job 1 one until 3, job 3 from then on."""
    rows = [(0, 2, 5), (0, 1, 3), (1, 3, 1), (2, 1, 2)]
    _, record = recorded(rows, [3], FifoBackfill())
    who = blockers(record, 2)
    assert who["job_id"].tolist() == ["0", "1", "3"]
    assert who["gpu_seconds"].tolist() == [8.0, 2.0, 2.0]
    assert who["share"].tolist() == pytest.approx([8 / 12, 2 / 12, 2 / 12])
    assert who["later"].tolist() == [False, False, True]
    assert "held by 0 (67%), 1 (17%), 3 (17%, submitted later)" in lines(record, 2)[-1]
    assert blockers(record, 0).empty


def naive(record, job):
    """The waits of a job, instant by instant, straight from the definitions."""
    jobs, rows = record.jobs, record.allocations
    gang = jobs["gpus"][job]
    kinds = rows.groupby(["job_id", "start_s"])["gpu_type"].nunique()
    types = ["all"] if (kinds > 1).any() else sorted(set(record.gpu_type))
    groups = [[n for n, kind in enumerate(record.gpu_type) if each in (kind, "all")] for each in types]
    quantum, origin = record.quantum_s, record.origin_s
    submit, finish = jobs["submit_s"][job], jobs["finish_s"][job]
    mine = rows[rows["job_id"] == jobs["job_id"][job]]
    passes = [k * quantum - origin for k in range(int((finish + origin) / quantum) + 2)] if quantum else []
    cuts = {submit, finish, *rows["start_s"], *rows["end_s"], *jobs["submit_s"], *jobs["finish_s"], *passes}
    cuts = sorted(t for t in cuts if submit <= t <= finish)
    found, pending = dict.fromkeys(WAITS, 0.0), True
    for begin, end in pairwise(cuts):
        if ((mine["start_s"] <= begin) & (mine["end_s"] > begin)).any():
            pending = True
            continue
        held = rows[(rows["start_s"] <= begin) & (rows["end_s"] > begin)].groupby("node")["gpus"].sum()
        free = [record.gpus[n] - held.get(n, 0) for n in range(len(record.gpus))]
        if sum(free) < gang:
            found["wait_gpus_s"] += end - begin
            pending = True
        elif not any(naive_fits(record, [free[n] for n in nodes], record.gpus[nodes], gang) for nodes in groups):
            found["wait_fragmentation_s"] += end - begin
            pending = True
        else:
            pending = pending and bool(quantum) and begin not in passes
            found["wait_round_s" if pending else "wait_order_s"] += end - begin
    return found


def naive_fits(record, free, gpus, gang):
    needed = len(gpus)
    if record.consolidates:
        needed = next((n for n in range(1, 99) if sum(sorted(gpus)[::-1][:n]) >= gang), len(gpus))
    return sum(sorted(free)[::-1][:needed]) >= gang


CASES = st.tuples(
    st.lists(st.tuples(st.integers(0, 30), st.integers(1, 6), st.integers(0, 12)), min_size=1, max_size=12),
    st.sampled_from([(4, 2), (2, 2, 2), (6,), "a:1x4,b:1x2", "a:2x1,b:1x2,a:1x2"]),
    st.sampled_from([Fifo, FifoBackfill, Srtf, OneType]),
    st.booleans(),
    st.sampled_from([0.0, 5.0]),
    st.sampled_from([0.0, 3.0]),
)


@settings(max_examples=25)
@given(CASES)
def test_parts_add_up_and_match_a_naive_recomputation(case):
    """Both sides are counted apart: waits from allocations alone, and what the event loop accumulated."""
    rows, nodes, kind, consolidate, quantum, origin = case
    if kind is OneType:
        rows = [(submit, min(gpus, 4), seconds) for submit, gpus, seconds in rows]
        nodes = nodes if nodes == "a:1x4,b:1x2" or not isinstance(nodes, str) else "a:2x2,b:1x2"
    scheduler = kind(placement="consolidate" if consolidate and kind in (Fifo, FifoBackfill) else "any")
    cost = RingCost(share=0.25, overhead=0.125)
    run, record = recorded(rows, nodes, scheduler, cost, quantum=quantum, restart_s=2.0, origin_s=origin)
    table = decompose(record)
    assert table[list(TURNAROUND_PARTS)].sum(axis=1).to_numpy() == pytest.approx(run.turnaround_s, rel=1e-9, abs=1e-9)
    assert table[list(WAITS)].sum(axis=1).to_numpy() == pytest.approx(run.queue_s, rel=1e-9, abs=1e-9)
    assert table["running_s"].to_numpy() == pytest.approx(run.useful_s, rel=1e-9, abs=1e-9)
    assert (table[list(TURNAROUND_PARTS)] >= -1e-9).all(axis=None)
    for job in range(len(rows)):
        expected = naive(record, job)
        assert table.loc[job, list(WAITS)].to_dict() == pytest.approx(expected, abs=1e-9)
        told = job_history(record, job)
        spans = (told["end_s"] - told["start_s"]).groupby(told["part"]).sum()
        assert {name: spans.get(name, 0.0) for name in WAITS} == pytest.approx(expected, abs=1e-9)


def test_a_long_queue_is_quick():
    """Adding job by job would take hours: with a standing queue 100,000 jobs share 200,000 instants."""
    rng = stream(1, "waiting")
    n = 100_000
    rows = zip(np.sort(rng.uniform(0, 1e6, n)), rng.choice([1, 2, 4, 8, 16], n), rng.exponential(400, n), strict=True)
    run, record = recorded(list(rows), [8] * 20, FifoBackfill(placement="consolidate"))
    decompose(recorded([(0, 1, 1)], [2], Fifo())[1])  # the compiler's time is not ours
    began = time.perf_counter()
    table = decompose(record)
    assert time.perf_counter() - began < 10.0
    total = table[list(TURNAROUND_PARTS)].sum(axis=1).to_numpy()
    assert np.abs(total - run.turnaround_s).max() <= 1e-9 * run.makespan_s
