"""What Pollux believes of jobs, worked out by hand."""

from types import SimpleNamespace

import numpy as np
import pytest

from rarlib.cost.table import price_table
from rarlib.model.cluster import Cluster
from rarlib.model.jobs import Jobs
from rarlib.model.offers import Offers
from rarlib.schedulers.pollux_parts.speedups import fair_share_speedups, restart_factor, speedup_configurations


class Square:
    """Goodput is the square root of the GPUs, a tenth less on several nodes; job 1 knows nothing yet."""

    def goodputs(self, jobs, options, *, shared_limits=True):
        rates = np.sqrt(options.gpus) * np.where(options.nodes > 1, 0.9, 1.0)
        return np.where(np.asarray(jobs)[:, None] == 1, 0.0, rates)


def learned(jobs, spread, most, total=16):
    options = speedup_configurations(total, 4, 4, 8)
    view = SimpleNamespace(offers=Offers(goodput=Square()), prices=None)
    return fair_share_speedups(view, np.array(jobs), np.array(spread), np.array(most), total, options)


def test_what_a_training_is_asked_about():
    """One node of four GPUs, fair shares of ten GPUs, and what two such nodes hold up to 6 GPUs."""
    options = speedup_configurations(10, 2, 4, 6)
    pairs = list(zip(options.nodes.tolist(), options.gpus.tolist(), strict=True))
    assert pairs == [(1, 1), (1, 2), (1, 3), (1, 4), (1, 5), (1, 10), (2, 2), (2, 3), (2, 4), (2, 5), (2, 6)]


def test_speedups_are_relative_to_the_fair_share():
    """Two jobs on 16 GPUs: 8 GPUs on one node are fair, though no node has as many."""
    known, unknown = learned([0, 1], [4, 1], [8, 2])
    assert known.shape == (5, 9)
    assert known[1, 4] == pytest.approx(np.sqrt(4 / 8))
    assert known[2, 8] == pytest.approx(0.9)
    assert known[0, 0] == 0.0
    assert unknown[1].tolist() == [0, 1 / 8, 2 / 8]


def test_a_gang_that_nobody_asked_about_grows_with_its_gpus():
    """Otherwise it would be worth nothing, and never start."""
    (gang,) = learned([0], [4], [12])
    assert gang[3, 12] == 12 / 16


def test_price_table():
    """An elastic job by its curve, a rigid one by its nodes; the fair share of two jobs on 4 GPUs is 2."""
    cluster = Cluster.parse("2x2")
    jobs = Jobs.build(submit_s=[0, 0], gpus=[2, 2], duration_s=[9, 9], min_gpus=[1, 2], max_gpus=[4, 2])
    prices = price_table(
        jobs, cluster, work=jobs.duration_s, base_s=1.0, link_s=1.0, curve=np.array([0, -1]),
        speedup=np.array([[0.0, 0.6, 1.0, 1.2, 1.3]]),
    )  # fmt: skip
    view = SimpleNamespace(offers=Offers(), prices=prices)
    elastic, rigid = fair_share_speedups(view, np.array([0, 1]), np.array([2, 2]), np.array([4, 2]), 4, None)
    assert elastic[1].tolist() == [0.0, 0.6, 1.0, 1.2, 1.3]
    assert np.allclose(elastic[2], [0.0, 0.3, 0.5, 0.6, 0.65])
    assert (rigid[1, 2], rigid[2, 2]) == (1.0, 0.5)


def test_restart_factor():
    """After an hour with three restarts of 30 s another one leaves (3600 - 90) / 3630; at first, nothing."""
    factor = restart_factor(np.array([3600.0, 0.0, 40.0]), np.array([3, 0, 2]), 30.0)
    assert factor == pytest.approx([3510 / 3630, 0.0, 0.0])
