"""How fast the simulator is.

    python -m pytest benchmarks/bench_simulator.py --benchmark-only

The Philly table is the real one where the data layer finds it (`RARLIB_MIRROR`), otherwise its stand-in.
"""

from functools import cache

import numpy as np
import pytest

from rarlib.cost.ring import RingCost
from rarlib.cost.trace import TraceCost
from rarlib.model.cluster import Cluster
from rarlib.model.jobs import Jobs
from rarlib.model.seeds import stream
from rarlib.schedulers.fifo import Fifo
from rarlib.schedulers.fifo_backfill import FifoBackfill
from rarlib.schedulers.las import Las
from rarlib.schedulers.sjf import Sjf
from rarlib.schedulers.srtf import Srtf
from rarlib.simulator import identities
from rarlib.simulator.engine import simulate
from rarlib.traces.load import load_trace

SCHEDULERS = {s.name: s for s in (Fifo, FifoBackfill, Sjf, Srtf, Las)}
GANGS, SHARES = (1, 2, 4, 8, 16, 32), (0.82, 0.06, 0.05, 0.05, 0.015, 0.005)


@cache
def philly() -> Jobs:
    return load_trace("philly-pollux").jobs


@cache
def like_philly(jobs: int, cluster: str) -> Jobs:
    """Mostly single GPUs, heavy-tailed durations (median 12 min, 99 % below 3 days), Poisson arrivals, load 0.8."""
    rng = stream(0, "bench", jobs)
    gpus = rng.choice(GANGS, jobs, p=SHARES)
    duration = np.minimum(np.round(rng.lognormal(np.log(720.0), 2.6, jobs)), 30 * 86400.0)
    span = (gpus * duration).sum() / (0.8 * Cluster.parse(cluster).total_gpus)
    submit = np.round(np.sort(rng.uniform(0.0, span, jobs)))
    return Jobs.build(submit_s=submit, gpus=gpus, duration_s=duration)


def play(jobs: Jobs, cluster: str, scheduler: str, cost: object = None) -> object:
    return simulate(jobs, Cluster.parse(cluster), SCHEDULERS[scheduler](), cost or TraceCost())


def measured(benchmark, *arguments):
    run = benchmark.pedantic(play, arguments, rounds=3, warmup_rounds=1)
    benchmark.extra_info["events"] = run.counters["events"]
    benchmark.extra_info["waited"] = float((run.queue_s > 0).mean())


@pytest.mark.parametrize("cluster", ["80x8", "50x8"])
@pytest.mark.parametrize("scheduler", list(SCHEDULERS))
def test_philly(benchmark, scheduler, cluster):
    benchmark.group = f"philly {cluster}"
    measured(benchmark, philly(), cluster, scheduler)


@pytest.mark.parametrize("scheduler", list(SCHEDULERS))
def test_philly_with_contention(benchmark, scheduler):
    benchmark.group = "philly 80x8, ring pricing"
    measured(benchmark, philly(), "80x8", scheduler, RingCost())


def test_identities(benchmark):
    benchmark.group = "identities"
    run = play(philly(), "80x8", "fifo")
    benchmark.pedantic(identities.check_identities, (run,), rounds=5, warmup_rounds=1)


def test_readable_driver(benchmark):
    """`decide` called at every pass, on the first jobs of the table."""
    benchmark.group = "decide"
    jobs = philly().take(slice(0, 2_000))
    run = benchmark.pedantic(
        simulate, (jobs, Cluster.parse("20x8"), Fifo(), TraceCost()), {"compiled": False}, rounds=3, warmup_rounds=1
    )
    benchmark.extra_info["events"] = run.counters["events"]
