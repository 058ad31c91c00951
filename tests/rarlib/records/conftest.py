"""A run with everything an export may stumble over: stops, a gang on two servers, a job of no length."""

import pytest
from toys import jobs_of

from rarlib.cost.ring import RingCost
from rarlib.model.cluster import Cluster
from rarlib.records.read import Record
from rarlib.schedulers.srtf import Srtf
from rarlib.simulator.engine import simulate

ROWS = [(0, 3, 10.4), (1.3, 2, 3), (2, 1, 0), (2, 1, 4), (6, 4, 2), (7, 3, 5)]


@pytest.fixture(scope="session")
def busy_run():
    return simulate(jobs_of(ROWS), Cluster.of([2, 2]), Srtf(), RingCost(), restart_s=1.0)


@pytest.fixture(scope="session")
def record(busy_run):
    assert busy_run.restarts.sum() > 0
    return Record.of(busy_run, {"scheduler": "srtf", "cluster": "2x2"})
