"""What decides nothing: names, the driver, hashes, seeds where GPUs are alike, earlier runs, links that are free.

Units of time, places in the file and twins decide nothing either: `test_every_scheduler.py`.
"""

import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rarlib.allocate.placement import RULES
from rarlib.cost.ring import RingCost
from rarlib.cost.trace import TraceCost
from rarlib.model.cluster import Cluster
from rarlib.model.jobs import Jobs
from rarlib.schedulers.fifo import Fifo
from rarlib.schedulers.fifo_backfill import FifoBackfill
from rarlib.schedulers.first_fit import FirstFit
from rarlib.schedulers.las import Las
from rarlib.schedulers.list_scheduling import ListScheduling
from rarlib.schedulers.random_fit import RandomFit
from rarlib.schedulers.sjf import Sjf
from rarlib.schedulers.sjf_bco import SjfBco
from rarlib.schedulers.srtf import Srtf
from rarlib.simulator.engine import simulate

DISCIPLINES = {s.name: s for s in (Fifo, FifoBackfill, Sjf, Srtf, Las)}
PLANNERS = {s.name: s for s in (SjfBco, FirstFit, ListScheduling, RandomFit)}
NODES = [4, 2, 2]

rows = st.lists(
    st.tuples(st.integers(0, 20), st.sampled_from([1, 2, 4, 6]), st.integers(0, 30)), min_size=1, max_size=14
)
discipline = st.sampled_from(list(DISCIPLINES))


def table(rows, **columns):
    submit, gpus, duration = (np.array(column) for column in zip(*rows, strict=True))
    return Jobs.build(submit_s=submit, gpus=gpus, duration_s=duration, **columns)


def make(name, levels=(8.0, 32.0), **params):
    return Las(levels=levels, **params) if name == "las" else (DISCIPLINES | PLANNERS)[name](**params)


def play(jobs, scheduler, cost=None, **options):
    return simulate(jobs, Cluster.of(NODES), scheduler, cost or TraceCost(), **options)


def record(run):
    """Both tables as the text of their files."""
    return run.jobs_frame().to_csv(index=False) + run.allocations_frame().to_csv(index=False)


@given(rows, discipline, st.randoms(use_true_random=False))
def test_names_are_free(rows, name, random):
    names = [f"j{i}" for i in range(len(rows))]
    random.shuffle(names)
    plain, named = play(table(rows), make(name)), play(table(rows, job_id=names), make(name))
    assert (plain.start_s == named.start_s).all()
    assert (plain.finish_s == named.finish_s).all()
    assert (plain.alloc_node == named.alloc_node).all()


@given(rows, discipline)
def test_free_links_cost_nothing(rows, name):
    """Contention pricing with weightless links must be the trace's own durations, bit for bit."""
    free = RingCost(share=0.0, overhead=0.0)
    assert record(play(table(rows), make(name), free)) == record(play(table(rows), make(name)))


@given(rows, discipline, st.sampled_from(list(RULES)), st.booleans(), st.sampled_from([0.0, 4.0]))
def test_both_drivers_agree(rows, name, placement, priced, quantum):
    """The compiled driver and `decide` are one scheduler: same intervals for every ordering and placement."""
    if placement == "consolidate" and name in ("srtf", "las"):
        placement = "pack"
    cost = RingCost(alpha=0.5, share=0.2, overhead=0.125) if priced else TraceCost()
    compiled, plain = (
        play(table(rows), make(name, placement=placement), cost, quantum=quantum, restart_s=2.0, compiled=way)
        for way in (True, False)
    )
    assert record(compiled) == record(plain)


@given(st.lists(st.tuples(st.integers(0, 20), st.just(1), st.integers(1, 9)), min_size=1, max_size=12), discipline)
def test_one_gpu_never_idles_while_jobs_wait(rows, name):
    """On one GPU every ordering has the same busy periods, so all end together, and SRTF has the least turnaround."""
    jobs, cluster = table(rows), Cluster.of([1])
    fifo, srtf, run = (simulate(jobs, cluster, s, TraceCost()) for s in (Fifo(), Srtf(), make(name)))
    assert run.finish_s.max() == fifo.finish_s.max()
    assert srtf.turnaround_s.sum() <= run.turnaround_s.sum()


@given(rows, discipline, st.integers(0, 5))
def test_seed_decides_random_placement(rows, name, seed):
    """One seed, one schedule, byte for byte; where GPUs are all alike, no seed changes the times."""
    first, second, other = (play(table(rows), make(name, placement="random"), seed=s) for s in (seed, seed, seed + 1))
    assert record(first) == record(second)
    assert (first.finish_s == other.finish_s).all()


def test_seeds_differ():
    jobs = table([(i, 2, 9) for i in range(30)])
    placed = {play(jobs, Fifo(placement="random"), seed=seed).alloc_node.tobytes() for seed in range(8)}
    assert len(placed) > 1


def test_a_run_leaves_its_inputs_alone():
    jobs, cluster = table([(0, 4, 5), (1, 6, 3), (2, 1, 9)]), Cluster.of(NODES)
    before = [getattr(jobs, name).copy() for name in ("submit_s", "gpus", "duration_s")] + [cluster.gpus.copy()]
    first = simulate(jobs, cluster, Srtf(), TraceCost())
    second = simulate(replace(jobs), cluster, Srtf(), TraceCost())
    after = [jobs.submit_s, jobs.gpus, jobs.duration_s, cluster.gpus]
    assert all((a == b).all() for a, b in zip(before, after, strict=True))
    assert record(first) == record(second)


SCRIPT = """
import hashlib, sys
sys.path.insert(0, {folder!r})
from test_metamorphic import DISCIPLINES, PLANNERS, make, play, record, table
from rarlib.model.seeds import stream
rng = stream(2, "hashseed")
rows = [(int(s), int(g), int(d)) for s, g, d in zip(rng.integers(0, 40, 60), rng.choice([1, 2, 4], 60), rng.integers(0, 30, 60))]
jobs = table(rows, job_id=[f"job-{{i}}" for i in range(60)])
digest = hashlib.sha256()
for name in DISCIPLINES:
    digest.update(record(play(jobs, make(name, placement="random"))).encode())
for name in PLANNERS:
    digest.update(record(play(jobs, make(name))).encode())
print(digest.hexdigest())
"""  # noqa: E501


def test_hash_seed_is_free():
    script = SCRIPT.format(folder=os.path.dirname(__file__))  # noqa: PTH120
    digests = {
        subprocess.run(
            [sys.executable, "-c", script],
            env=os.environ | {"PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in ("0", "12345")
    }
    assert len(digests) == 1
    assert len(digests.pop().strip()) == 64
