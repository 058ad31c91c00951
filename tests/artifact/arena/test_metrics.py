"""The arena's metrics, by hand and against each other; a replay on paper; contention on the cluster's own links."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from toys import jobs_of

from artifact.arena.match import forecast_of, play_match, prices_of, workload_of
from artifact.arena.metrics import JCT_QUANTILES, finish_time_ratios, mean_jobs_in_system, measure
from artifact.arena.recorded import replay
from artifact.arena.settings import LINKS, Setting, clusters_of
from rarlib.bounds.elastic.bounds import ElasticBounds
from rarlib.bounds.lower_bounds import MEAN_JCT
from rarlib.cost.linked import cluster_shape, laid_out, on_fabric
from rarlib.cost.ring import RingCost
from rarlib.cost.trace import TraceCost
from rarlib.model.cluster import Cluster
from rarlib.model.jobs import Jobs
from rarlib.records.tidy import TIDY_COLUMNS
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
    assert [found[name] * HOUR for name in ("median_jct", "p99_jct")] == pytest.approx([6, 8])
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


@pytest.fixture(scope="module")
def frame():
    # One node of 2 GPUs. Job 0 holds both for 10 s; job 1 (2 GPUs, 10 s) and job 2 (1 GPU, 1 s) arrive at 0 behind it.
    jobs = Jobs.build(submit_s=[0, 0, 0], gpus=[2, 2, 1], duration_s=[10, 10, 1])
    return replay("fifo", jobs, {"cluster": "1x2", "seed": 0, "restart_s": 0})


def value(frame, metric):
    return float(frame[frame["metric"] == metric]["value"].iloc[0])


def test_summary_by_hand(frame):
    """FIFO: finishes at 10, 20, 21, so JCT means 17; queueing 0, 10, 20; 41 GPU-seconds of 42."""
    assert list(frame.columns) == TIDY_COLUMNS
    assert value(frame, "jct_mean_s") == pytest.approx(17)
    assert value(frame, "jct_median_s") == 20
    assert value(frame, "queue_mean_s") == pytest.approx(10)
    assert value(frame, "queued_ratio") == pytest.approx(2 / 3)
    assert value(frame, "makespan_s") == 21
    assert value(frame, "utilisation_ratio") == pytest.approx(41 / 42)


BASE = Setting("philly-pollux", "two-level", "0.9", LINKS, "profile", "0.3")
RACKS = {
    "nodes": [{"count": 8, "gpus": 4, "type": "t4", "rack": rack} for rack in ("left", "right")],
    "racks": {"left": {"uplink_gbps": 2.5}, "right": {"uplink_gbps": 2.5}},
}
CLUSTER = clusters_of({"two-level": RACKS})["two-level"]


def played(arena, contention, who="drf"):
    setting = BASE._replace(contention=contention)
    workload = workload_of(arena, setting, 1, CLUSTER, overload=True)
    cost = prices_of(setting, arena.profiles)
    return workload, play_match(who, workload, forecast_of(workload, setting, 1), cost, CLUSTER, setting)[0]


def test_the_level_is_the_law_on_the_links_of_the_cluster(arena):
    """The same run as one of one's own on the racks and uplinks that the cluster states; contention is alive."""
    workload, found = played(arena, LINKS)
    counted, shape = BASE._replace(contention="k"), cluster_shape(CLUSTER)
    cost = on_fabric(prices_of(counted, arena.profiles), shape)
    given = forecast_of(workload, counted, 1)
    own, _ = play_match("drf", workload, given, cost, laid_out(CLUSTER, shape), counted)
    assert np.array_equal(found.turnaround_s, own.turnaround_s)
    assert found.contention_s.mean() > 1.0
    assert not np.array_equal(found.turnaround_s, played(arena, "k")[1].turnaround_s)


def test_bounds_hold_under_the_level(arena):
    workload, found = played(arena, LINKS)
    cost = arena.prices(BASE.network)
    proven = [each for each in ElasticBounds(cost, CLUSTER).bounds(workload.jobs) if each.objective == MEAN_JCT]
    assert max(each.value_s for each in proven) <= found.turnaround_s.mean()
