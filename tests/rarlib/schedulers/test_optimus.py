"""Optimus: marginal gain by hand, under every kind of cost model."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from rarlib.cost.trace import TraceCost
from rarlib.model.cluster import Cluster
from rarlib.model.jobs import Jobs
from rarlib.schedulers.optimus import Optimus
from rarlib.schedulers.shared.growth import Growth
from rarlib.simulator.engine import simulate
from tests.rarlib.schedulers.unified_cases import random_jobs

quick = settings(derandomize=True, database=None, deadline=None, max_examples=10)


def marginal(times, room, shares):
    """Tasks handed out one by one by the largest gain per share, as Optimus has it, until one does not fit."""
    tasks = {j: [1, 1] for j in range(len(times))}
    while True:
        best = (0.0, None)
        for j, (w, s) in tasks.items():
            for role, (a, b) in enumerate(((w + 1, s), (w, s + 1))):
                if a < times.shape[1] and b < times.shape[2] and np.isfinite(times[j, a, b]):
                    gain = (times[j, w, s] - times[j, a, b]) / shares[role]
                    if gain > best[0]:
                        best = (gain, (j, role))
        if best[1] is None or room[best[1][1]] < 1:
            return [tasks[j] for j in range(len(times))]
        tasks[best[1][0]][best[1][1]] += 1
        room[best[1][1]] -= 1


@quick
@given(st.integers(0, 10**6), st.integers(0, 12), st.integers(0, 12))
def test_optimus_hands_out_tasks_by_marginal_gain(seed, gpus, slots):
    own, _ = random_jobs(seed, 5, on_cpu=0.0)
    times = np.asarray(own.steps[:, None, None] * own.predicted_step_s()[:, :, 0, :])
    size = np.array([gpus + 5, slots + 5])
    grown = Growth(times, np.zeros(5, np.int64)).grow(
        np.tile([1, 0, 1], (5, 1)), np.array([gpus, slots]), size, blocks=True
    )
    assert grown[:, [0, 2]].tolist() == marginal(times, [gpus, slots], 1.0 / size)


def test_optimus_on_elastic_jobs():
    """Linear speed-up: one more GPU saves W / (g (g + 1)). Works of 100 and 400 s on 4 GPUs: 1 and 3."""
    jobs = Jobs.build(submit_s=[0, 0], gpus=[1, 1], duration_s=[100, 400], max_gpus=[4, 4])
    found = simulate(jobs, Cluster.of([4]), Optimus(), TraceCost())
    assert [int(found.alloc_gpus[(found.alloc_job == j) & (found.alloc_start == 0)].sum()) for j in (0, 1)] == [1, 3]
