"""Handing out tasks: against a plain loop over all options, with equal gains and resources that run out."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rarlib.allocate.tasks import GPU_WORKERS, SERVERS
from rarlib.schedulers.shared.growth import Growth


def by_hand(times, tasks, left, size, blocks):
    """The first option of largest gain, one task at a time; an option that does not fit is not asked again."""
    tasks, left = [list(pair) for pair in tasks], list(left)
    refused = set()
    while True:
        gains = {}
        for job, (workers, servers) in enumerate(tasks):
            for role, (w, s) in enumerate(((workers + 1, servers), (workers, servers + 1))):
                inside = w < times.shape[1] and s < times.shape[2]
                if (workers or servers) and inside and np.isfinite(times[job, w, s]) and (job, role) not in refused:
                    gains[job, role] = (times[job, workers, servers] - times[job, w, s]) * max(size[role], 1)
        best = max(gains, key=lambda option: gains[option], default=None)
        if best is None or not gains[best] > 0.0:
            return tasks
        job, role = best
        if left[role] < 1:
            if blocks:
                return tasks
            refused.add(best)
            continue
        refused -= {(job, 0), (job, 1)}
        left[role] -= 1
        tasks[job][role] += 1


@given(st.integers(0, 10**6), st.integers(0, 7), st.booleans())
def test_every_task_goes_to_the_largest_gain(seed, jobs, blocks):
    rng = np.random.default_rng(seed)
    times = rng.integers(0, 6, (jobs, 4, 4)).astype(float)  # few values, so that gains are often equal
    times[rng.random(times.shape) < 0.1] = np.inf
    times[:, 1, 1] = 7.0
    runs = rng.random(jobs) < 0.8
    tasks = np.zeros((jobs, 3), np.int64)
    tasks[runs, GPU_WORKERS], tasks[runs, SERVERS] = 1, 1
    left, size = rng.integers(0, 6, 2), rng.integers(1, 9, 2)
    growth = Growth(times, np.full(jobs, GPU_WORKERS), np.tile([0, 1], (jobs, 1)))
    grown = growth.grow(tasks, left.copy(), size, blocks=blocks)
    expected = by_hand(times, tasks[:, [GPU_WORKERS, SERVERS]].tolist(), left, size, blocks)
    assert grown[:, [GPU_WORKERS, SERVERS]].tolist() == expected
