"""Steps per second of a processor, in an environment: python benchmarks/bench_env.py

64 nodes with 8 GPUs, 5,000 jobs at a load of 0.8, 16 slots; the agent starts whatever fits, in order. Observation and
mask are made at every step.
"""

import time

import numpy as np

from rarlib.cost.ring import RingCost
from rarlib.env.core import SteppedRun
from rarlib.model.cluster import Cluster
from rarlib.traces.laws.arrivals import Arrivals
from rarlib.traces.laws.durations import LogNormal
from rarlib.traces.laws.spec import WorkloadSpec


def steps_per_s(jobs: int, seed: int) -> float:
    cluster = Cluster.parse("64x8")
    laws = WorkloadSpec(Arrivals(1.0), {1: 0.5, 2: 0.2, 4: 0.15, 8: 0.1, 16: 0.05}, {1: LogNormal(600.0, 1.0)})
    run = SteppedRun(laws.at_load(0.8, cluster).draw(jobs, seed), cluster, RingCost())
    run.reset(seed)
    steps, began = 0, time.process_time()
    while not run.over:
        starts = np.flatnonzero(run.mask()[1 : run.slots + 1])
        run.step(int(starts[0]) + 1 if len(starts) else 0)
        steps += 1
    return steps / (time.process_time() - began)


if __name__ == "__main__":
    steps_per_s(100, 1)  # loads or compiles the kernels
    print("\n".join(f"{steps_per_s(5_000, seed):,.0f} steps/s" for seed in (1, 2, 3)))  # noqa: T201
