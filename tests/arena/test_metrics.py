"""The arena's metrics: by hand, and against each other."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from toys import jobs_of

from rarlib.arena.metrics import JCT_QUANTILES, finish_time_ratios, mean_jobs_in_system, measure
from rarlib.cost.ring import RingCost
from rarlib.cost.trace import TraceCost
from rarlib.model.cluster import Cluster
from rarlib.records.waiting import TURNAROUND_PARTS
from rarlib.schedulers.fifo import Fifo
from rarlib.schedulers.fifo_backfill import FifoBackfill
from rarlib.schedulers.srtf import Srtf
from rarlib.simulator.engine import simulate

HOUR = 3600.0


def ran(rows, nodes=(2, 2), scheduler=None, cost=None, **options):
    return simulate(jobs_of(rows), Cluster.of(nodes), scheduler or Fifo(), cost or TraceCost(), **options)


def values(run, **options):
    return {name: value for name, value, _ in measure(run, **options)}


def test_by_hand():
    """4 GPUs. A: 2 GPUs, 0 to 5 s. B: 4 GPUs, comes at 1, runs 5 to 7. C: 1 GPU, comes at 2, is blocked, runs 7 to 10.

    JCT 5, 6, 8. Jobs in the system: 1, 2, 3 (2 to 5), 2 (5 to 7), 1: on average for A 12/5, for B 15/6, for C 16/8.
    rho: A 5 / (5 max(1, 2 x 2.4 / 4)); B 6 / (2 x 2.5); C 8 / (3 max(1, 2 / 4)).
    """
    run = ran([(0, 2, 5), (1, 4, 2), (2, 1, 3)])
    found = values(run)
    assert mean_jobs_in_system(run).tolist() == pytest.approx([12 / 5, 15 / 6, 16 / 8])
    assert finish_time_ratios(run, run.jobs.duration_s).tolist() == pytest.approx([1 / 1.2, 1.2, 8 / 3])
    assert found["mean_jct"] * HOUR == pytest.approx(19 / 3)
    assert [found[name] * HOUR for name in ("p01_jct", "median_jct", "p99_jct")] == pytest.approx([5, 6, 8])
    assert found["makespan"] * HOUR == pytest.approx(10)
    assert found["queue_s"] == pytest.approx(9 / 3)
    assert [found["wait_gpus_s"], found["wait_order_s"]] == pytest.approx([6 / 3, 3 / 3])
    assert found["worst_rho"] == pytest.approx(8 / 3)
    assert found["unfair_share"] == pytest.approx(200 / 3)
    assert found["jain_index"] == pytest.approx((1 + 3 + 8 / 3) ** 2 / (3 * (1 + 9 + 64 / 9)))
    assert found["utilisation"] == found["useful_utilisation"] == pytest.approx(100 * (10 + 8 + 3) / 40)
    assert found["gpu_hours"] * HOUR == pytest.approx(7)
    # From 1 to 5 s B waits for four GPUs, of which two are free; later all free GPUs are nobody's.
    assert found["fragmentation"] == pytest.approx(100 * 8 / 40)


CASES = st.lists(st.tuples(st.integers(0, 30), st.sampled_from([1, 2, 4]), st.integers(1, 12)), min_size=1, max_size=12)


@given(CASES, st.sampled_from([Fifo, FifoBackfill, Srtf]))
def test_metrics_agree_with_each_other(rows, kind):
    run = ran(rows, scheduler=kind(), cost=RingCost(share=0.25, overhead=0.125), restart_s=2.0)
    found = values(run)
    assert sum(found[name] for name in TURNAROUND_PARTS) == pytest.approx(found["mean_jct"] * HOUR, rel=1e-9)
    waits = [name for name in TURNAROUND_PARTS if name.startswith("wait_")]
    assert sum(found[name] for name in waits) == pytest.approx(found["queue_s"], rel=1e-9, abs=1e-9)
    quantiles = [found[name] for name in JCT_QUANTILES]
    assert quantiles == sorted(quantiles)
    off = np.abs(np.array(quantiles)[:, None] * HOUR - run.turnaround_s)
    assert off.min(axis=1).max() < 1e-9 * run.makespan_s
    assert found["useful_utilisation"] <= found["utilisation"] + 1e-9
    assert found["utilisation"] + found["fragmentation"] <= 100.0 + 1e-9
    assert 1 / len(rows) - 1e-9 <= found["jain_index"] <= 1.0 + 1e-9
    assert (mean_jobs_in_system(run) >= 1.0 - 1e-9).all()
