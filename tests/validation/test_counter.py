"""Large tables against a plain counter of free GPUs, which knows no nodes, gangs' places or price tables.

With recorded durations and gangs that may spread over any free GPUs, only the number of free GPUs matters.
"""

import heapq

import numpy as np
import pytest

from rarlib.cost.trace import TraceCost
from rarlib.model.cluster import Cluster
from rarlib.model.jobs import Jobs
from rarlib.model.seeds import stream
from rarlib.schedulers.fifo import Fifo
from rarlib.schedulers.fifo_backfill import FifoBackfill
from rarlib.schedulers.sjf import Sjf
from rarlib.simulator.engine import simulate
from rarlib.traces.load import load_trace

SCHEDULERS = {"fifo": Fifo, "fifo-backfill": FifoBackfill, "sjf": Sjf}


def starts(jobs, total, order):
    """Start of each job: a heap of finishes, a heap of waiting jobs for each gang size, and one number."""
    rows = list(zip(jobs.submit_s.tolist(), jobs.gpus.tolist(), jobs.duration_s.tolist(), strict=True))
    waiting = {size: [] for size in ([0] if order == "fifo" else sorted(set(jobs.gpus.tolist())))}
    free, arrived, finishes, started = total, 0, [], [None] * len(rows)
    while arrived < len(rows) or finishes:
        now = min([finishes[0][0]] if finishes else [], default=np.inf)
        now = min(now, rows[arrived][0]) if arrived < len(rows) else now
        while finishes and finishes[0][0] == now:
            free += heapq.heappop(finishes)[1]
        while arrived < len(rows) and rows[arrived][0] == now:
            _, gpus, duration = rows[arrived]
            key = (duration if order == "sjf" else 0, arrived)
            heapq.heappush(waiting[0 if order == "fifo" else gpus], key)
            arrived += 1
        while heads := [(queue[0], size) for size, queue in waiting.items() if queue and size <= free]:
            (_, row), size = min(heads)
            _, gpus, duration = rows[row]
            if gpus > free:
                break
            heapq.heappop(waiting[size])
            started[row] = now
            free -= gpus
            heapq.heappush(finishes, (now + duration, gpus))
    return started


def same_starts(jobs, cluster, order):
    run = simulate(jobs, Cluster.parse(cluster), SCHEDULERS[order](), TraceCost())
    assert run.start_s.tolist() == starts(jobs, Cluster.parse(cluster).total_gpus, order)
    return run


@pytest.fixture(scope="module")
def busy():
    """20,000 jobs in whole seconds, as many GPU-seconds as 20 nodes of 8 give while they arrive."""
    rng = stream(2, "counter")
    gpus = rng.choice([1, 2, 3, 4, 8, 16, 64], 20_000, p=[0.5, 0.2, 0.05, 0.1, 0.1, 0.04, 0.01])
    duration = np.floor(rng.lognormal(6, 2, 20_000))
    submit = np.floor(rng.uniform(0, (gpus * duration).sum() / 160, 20_000))
    return Jobs.build(submit_s=submit, gpus=gpus, duration_s=duration)


@pytest.fixture(scope="module")
def philly():
    """The Philly table."""
    trace = load_trace("philly-pollux", network=False)
    if trace.provenance["standin"]:
        pytest.skip("the Philly table is neither in data/raw nor in RARLIB_MIRROR")
    return trace.jobs


@pytest.mark.parametrize("order", list(SCHEDULERS))
def test_synthetic(busy, order):
    """A difference means that the engine and a plain counter of free GPUs disagree on who starts when."""
    run = same_starts(busy, "20x8", order)
    assert (run.queue_s > 0).mean() > 0.2  # otherwise this tests nothing


@pytest.mark.real
@pytest.mark.parametrize("cluster", ["80x8", "50x8"])
@pytest.mark.parametrize("order", list(SCHEDULERS))
def test_philly(philly, order, cluster):
    """The same on the whole Philly table, at loads 0.58 and 0.94."""
    run = same_starts(philly, cluster, order)
    print(f"{order} {cluster}: {(run.queue_s > 0).mean():.3f} waited, mean wait {run.queue_s.mean():.1f} s")  # noqa: T201
    assert (run.queue_s > 0).any()
