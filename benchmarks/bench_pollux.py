"""How fast Pollux is: one search of a full population and all generations.

    python -m pytest benchmarks/bench_pollux.py --benchmark-only

Searches are of the evaluation's density, ten jobs on 64 GPUs, and of a crowded cluster, forty.
"""

from functools import cache

import numpy as np
import pytest

from rarlib.model.seeds import stream
from rarlib.schedulers.pollux_parts.nsga2 import Found, search
from rarlib.schedulers.pollux_parts.problem import JobLimits, SearchProblem, problem_of

ROOM = 4


@cache
def crowd(jobs: int, nodes: int) -> SearchProblem:
    """Jobs with concave speedups and limits from 1 to 16 GPUs, one search after they have begun."""
    rng = stream(0, "bench", "pollux", jobs, nodes)
    most = rng.choice([1, 2, 4, 8, 16], jobs).astype(np.int64)
    spread = np.minimum(most, min(16, nodes))
    fair = max(ROOM * nodes // jobs, 1)
    tables = []
    for width, parts in zip(most, spread, strict=True):
        gpus, loss = np.arange(width + 1), rng.uniform(0.02, 0.3)
        speed = gpus / (1 + loss * np.maximum(gpus - 1, 0)) * (1 + loss * (fair - 1)) / fair
        tables.append(speed * np.where(np.arange(parts + 1)[:, None] > 1, rng.uniform(0.7, 1.0), 1.0))
    room, nowhere = np.full(nodes, ROOM), np.zeros((jobs, nodes), np.int16)
    limits = JobLimits(np.ones(jobs, np.int64), most, spread)
    factor = rng.uniform(0.3, 1.0, jobs)
    begun = decide(problem_of(room, nowhere, limits, tables, factor, -1.0)).front[0]
    return problem_of(room, begun, limits, tables, factor, -1.0)


def decide(problem: SearchProblem) -> Found:
    """One decision."""
    return search(problem, problem.base[None], stream(1, "bench", "pollux"))


@pytest.mark.parametrize("scale", [1, 2, 4, 8, 16])
@pytest.mark.parametrize("density", [10, 40])
def test_decision(benchmark, density, scale):
    problem = crowd(density * scale, 16 * scale)
    found = benchmark.pedantic(decide, (problem,), rounds=3, warmup_rounds=1)
    benchmark.extra_info["evaluations"] = found.evaluations
