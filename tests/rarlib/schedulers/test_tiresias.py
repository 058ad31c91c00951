"""Tiresias: demotion, promotion and the Gittins index on schedules worked out by hand."""

import numpy as np
import pytest

from rarlib.cost.trace import TraceCost
from rarlib.model.cluster import Cluster
from rarlib.schedulers.tiresias import Tiresias
from rarlib.simulator.engine import simulate
from tests.rarlib.schedulers.unified_cases import intervals, rigid


def test_tiresias_demotes_at_the_threshold_and_serves_the_higher_queue():
    """Job 0 is demoted after 100 GPU-s, job 1 after its own 100; then the queue that job 0 entered first decides."""
    found = simulate(rigid([1, 1], [250.0, 150.0]), Cluster.of([1]), Tiresias(thresholds=(100.0,)), TraceCost())
    assert intervals(found, 0) == [(0.0, 100.0), (200.0, 350.0)]
    assert intervals(found, 1) == [(100.0, 200.0), (350.0, 400.0)]


@pytest.mark.parametrize(
    ("unserved", "gang", "small"),
    [
        ("tail", [(220.0, 320.0)], [(20.0, 220.0)]),
        ("place", [(100.0, 200.0)], [(20.0, 100.0), (200.0, 320.0)]),
    ],
)
def test_a_job_left_without_gpus_goes_to_the_tail_or_keeps_its_place(unserved, gang, small):
    """Of 2 GPUs job 0 holds one until 100 s; a gang of two waits from 10 s on, a small job takes the other at 20 s."""
    jobs = rigid([1, 2, 1], [100.0, 100.0, 200.0], [0.0, 10.0, 20.0])
    found = simulate(jobs, Cluster.of([2]), Tiresias(thresholds=(1e9,), unserved=unserved), TraceCost())
    assert (intervals(found, 1), intervals(found, 2)) == (gang, small)


def test_tiresias_promotes_who_has_waited_as_long_as_it_has_run():
    """Job 0 is demoted after 100 s, a job of 90 s comes every 90 s. With a knob of 1 it is lifted after 100 s more."""
    jobs = rigid([1] * 6, [200.0, *[90.0] * 5], [0.0, *np.arange(50.0, 411.0, 90.0)])
    starved, lifted = (
        simulate(jobs, Cluster.of([1]), Tiresias(thresholds=(100.0,), promote=knob), TraceCost()) for knob in (0.0, 1.0)
    )
    assert intervals(starved, 0) == [(0.0, 100.0), (550.0, 650.0)]
    # At 200 s it enters the first queue; job 2 runs until 280 s, and jobs that come later stand behind it.
    assert intervals(lifted, 0) == [(0.0, 100.0), (280.0, 380.0)]


def test_gittins_prefers_the_job_that_is_likely_to_end():
    """Sizes are 100 or 1000 GPU-s: at 90 a job is about to end; one that has passed 100 has 1000 to go."""
    jobs = rigid([1, 1], [1000.0, 100.0], [0.0, 150.0])
    options = {"thresholds": (1e9,), "index": "gittins", "samples": (100.0,) * 9 + (1000.0,), "horizon": 0.0}
    found = simulate(jobs, Cluster.of([1]), Tiresias(**options), TraceCost())
    assert intervals(found, 1) == [(150.0, 250.0)]
    plain = simulate(jobs, Cluster.of([1]), Tiresias(thresholds=(1e9,)), TraceCost())
    assert intervals(plain, 1) == [(1000.0, 1100.0)]
