"""How fast pipelines are simulated.

    python -m pytest benchmarks/bench_pipeline_simulator.py --benchmark-only

Stated: 10,000 minibatches on 16 workers in about a second, tables included.
"""

import pytest

from rarlib.pipeline.schedule import gpipe, model_parallel, one_f_one_b
from rarlib.pipeline.simulate import simulate_pipeline
from rarlib.pipeline.stages import Pipeline

PIPELINES = {
    "straight": [1] * 16,
    "15-1": [15, 1],
    "9-5-1-1": [9, 5, 1, 1],
}
SCHEDULES = {
    "1f1b": one_f_one_b,
    "gpipe": lambda replicas, minibatches: gpipe(replicas, minibatches, 16),
    "model-parallel": model_parallel,
}


def even(replicas: list[int]) -> Pipeline:
    """Stages that keep all workers busy, with transfers and exchanges of gradients."""
    return Pipeline.build(
        replicas, replicas, [2 * count for count in replicas], transfer_s=0.1, sync_s=[0.2 * (r > 1) for r in replicas]
    )


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("replicas", PIPELINES)
def test_simulate(benchmark, replicas, schedule):
    benchmark.group = "simulate, 10,000 minibatches on 16 workers"
    counts = PIPELINES[replicas]
    benchmark.pedantic(
        lambda: simulate_pipeline(even(counts), SCHEDULES[schedule](counts, 10_000)), rounds=5, warmup_rounds=1
    )


@pytest.mark.parametrize("table", ["operations", "memory", "summary"])
def test_tables(benchmark, table):
    benchmark.group = "tables, 10,000 minibatches on 16 workers"
    run = simulate_pipeline(even([1] * 16), one_f_one_b([1] * 16, 10_000))
    benchmark.pedantic(getattr(run, table), rounds=5, warmup_rounds=1)


@pytest.mark.parametrize("minibatches", [1_000, 10_000, 100_000])
def test_growth(benchmark, minibatches):
    benchmark.group = "growth, straight 16"
    benchmark.pedantic(
        lambda: simulate_pipeline(even([1] * 16), one_f_one_b([1] * 16, minibatches)), rounds=3, warmup_rounds=1
    )
