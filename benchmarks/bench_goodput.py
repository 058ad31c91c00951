"""How fast jobs under the goodput model learn and are asked.

    python -m pytest benchmarks/bench_goodput.py --benchmark-only

Measured profiles where they are at hand, else our fits. Stated limits: a fit of what a job sees in its first hours
about 0.1 ms (the authors' takes about 40 ms); Gavel over a 160-job workload under 1 s; estimates for ten jobs and the
19 configurations of 64 GPUs well under 1 ms.
"""

import numpy as np
import pytest

from rarlib.cost.goodput.batch import NOTED, Bounds, best_batch
from rarlib.cost.goodput.descent import PARAMETERS, new_space
from rarlib.cost.goodput.fit import fit
from rarlib.cost.goodput.goodput import GoodputCost
from rarlib.discovery import make_scheduler
from rarlib.model.cluster import Cluster
from rarlib.model.offers import Configurations
from rarlib.simulator.engine import simulate
from rarlib.traces.load import load_trace

CLUSTER = Cluster.parse("t4:6x4,a100:2x8,rtx:3x8")


@pytest.fixture(scope="module")
def cost() -> GoodputCost:
    """One model, so that placements are tabulated once."""
    return GoodputCost()


@pytest.mark.parametrize("rows", [1, 3, 10, 30])
def test_fit(benchmark, cost, rows):
    """A job's own observations: rows of ImageNet on T4, spread over what was measured."""
    seen = cost.profiles.of("imagenet", "t4").observations
    seen = np.ascontiguousarray(seen[np.linspace(0, len(seen) - 1, rows).astype(int)])
    space, p = new_space(), np.zeros(PARAMETERS)
    benchmark(fit, seen, space, p)
    assert (p > 0).all()


def test_batch(benchmark):
    """One search over fifty batches, which an earlier one has noted."""
    p = np.array([0.1, 0.01, 0.3, 0.02, 0.05, 0.004, 1.5])
    found = benchmark(best_batch, p, 1.0, 50.0, 2, 8, Bounds(12.0, 32.0, 384.0, 4, 48), np.zeros(NOTED))
    assert found[0] > 0


def test_estimates_of_ten_jobs(benchmark, cost):
    """All of them have learned something since the last round."""
    jobs = cost.admit(load_trace("sia-philly-6", limit=10).jobs, CLUSTER)
    training = cost.train(jobs, CLUSTER, cost.price(jobs, CLUSTER), make_scheduler("sia", {}))
    rows = np.arange(10)
    for job in rows.tolist():
        training.begin(job, ((job % 6, 1),), 0, 0.0)
    training.progressed(rows)
    counts = {0: (1, 2, 4, 8, 12, 16, 20, 24), 1: (1, 2, 4, 8, 16), 2: (1, 2, 4, 8, 16, 24)}
    table = [(kind, -(-gpus // training.gpus_per_node[kind]), gpus) for kind, some in counts.items() for gpus in some]
    options = Configurations(*np.array(table, np.int64).T.copy())

    def ask() -> None:
        training._state.job["stale"] = 1
        training.goodputs(rows, options)

    benchmark(ask)
    assert (training.goodputs(rows, options).max(axis=1) > 0).all()


@pytest.mark.parametrize(("scheduler", "quantum"), [("gavel", 360.0), ("sia", 60.0)])
def test_workload(benchmark, cost, scheduler, quantum):
    """160 jobs of eight hours, to the end."""
    jobs = load_trace("sia-philly-6").jobs

    def run():
        options = {"quantum": quantum, "tick_s": 1.0, "free_moves": True, "origin_s": jobs.origin_s}
        return simulate(jobs, CLUSTER, make_scheduler(scheduler, {}), cost, **options)

    done = benchmark.pedantic(run, rounds=3, warmup_rounds=1)
    assert len(done.finish_s) == 160
