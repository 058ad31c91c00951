"""Speeds as requested from a price table: by hand, and against the simulator."""

import numpy as np
import pytest

from rarlib.cost.ring import RingCost
from rarlib.cost.table import price_table
from rarlib.model.cluster import Cluster
from rarlib.model.forecast import Forecast
from rarlib.model.jobs import Jobs
from rarlib.schedulers.fifo import Fifo
from rarlib.simulator.engine import simulate
from rarlib.simulator.view import PricedSpeeds

CLUSTER = Cluster.parse("a:2x4,b:1x2,cpu:1x8")


def jobs_of(*gpus):
    return Jobs.build(submit_s=np.zeros(len(gpus)), gpus=gpus, duration_s=np.full(len(gpus), 100.0))


def test_rates_by_hand():
    """A second of work, one of exchange on several nodes; b is twice as fast. CPU task slots have no GPU type."""
    jobs = jobs_of(4, 6, 2, 9)
    speed = np.array([1.0, 1.0, 2.0, 1.0])
    prices = price_table(jobs, CLUSTER, work=jobs.duration_s, base_s=1.0, link_s=1.0, node_speed=speed)
    rates = PricedSpeeds(jobs, CLUSTER, prices, Forecast.exact(4)).rates(np.array([0, 1, 2, 3]))
    assert rates.tolist() == [[1.0, 0.0], [0.5, 0.0], [1.0, 2.0], [0.0, 0.0]]


def test_a_job_alone_takes_its_iterations_at_its_rate():
    """What the simulator makes of the same table."""
    cluster, jobs = Cluster.parse("2x4"), jobs_of(6)
    cost = RingCost(share=0.3, overhead=0.01)
    speeds = PricedSpeeds(jobs, cluster, cost.price(jobs, cluster), Forecast.exact(1))
    (left,), (total,) = speeds.iterations(np.array([0]), np.array([0.0]))
    assert left == total
    run = simulate(jobs, cluster, Fifo(placement="pack"), cost)
    assert total / speeds.rates(np.array([0]))[0, 0] == pytest.approx(run.makespan_s)
