"""Levels over time are what the run's own integrals say."""

import numpy as np
import pytest
from toys import jobs_of

from rarlib.cost.ring import RingCost
from rarlib.model.cluster import Cluster
from rarlib.records.over_time import over_time, spanning_jobs
from rarlib.records.read import Record
from rarlib.schedulers.srtf import Srtf
from rarlib.simulator.engine import simulate


def test_areas_are_those_of_the_event_loop(busy_run):
    """The simulator integrates jobs waiting, jobs in the system and busy GPUs on its own while it runs."""
    levels = over_time(Record.of(busy_run))
    seconds = np.diff(levels["time_s"])
    area = {name: (levels[name][:-1] * seconds).sum() for name in ("waiting", "running", "busy_gpus")}
    assert area["waiting"] == pytest.approx(busy_run.counters["area_waiting"])
    assert area["waiting"] + area["running"] == pytest.approx(busy_run.counters["area_system"])
    assert area["busy_gpus"] == pytest.approx(busy_run.counters["area_busy_gpus"])
    assert levels.iloc[-1].tolist()[1:] == [0, 0, 0]


def test_spanning_jobs_by_hand():
    """Job 0 holds three GPUs on both servers for 10 s; job 1 stays on the second."""
    run = simulate(jobs_of([(0, 3, 10), (0, 1, 10)]), Cluster.of([2, 2]), Srtf(), RingCost(share=0.0, overhead=0.0))
    assert spanning_jobs(Record.of(run), np.array([0.0, 5.0, 15.0])).tolist() == [[1.0, 0.5], [1.0, 0.5]]
