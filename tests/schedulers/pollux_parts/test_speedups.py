"""What Pollux believes of jobs, worked out by hand."""

from types import SimpleNamespace

import numpy as np
import pytest

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


def test_speedups_are_relative_to_the_fair_share():
    """Two jobs on 16 GPUs: 8 GPUs on one node are fair, though no node has as many."""
    known, unknown = learned([0, 1], [4, 1], [8, 2])
    assert known.shape == (5, 9)
    assert known[1, 4] == pytest.approx(np.sqrt(4 / 8))
    assert known[2, 8] == pytest.approx(0.9)
    assert known[0, 0] == 0.0
    assert unknown[1].tolist() == [0, 1 / 8, 2 / 8]


def test_restart_factor():
    """After an hour with three restarts of 30 s another one leaves (3600 - 90) / 3630; at first, nothing."""
    factor = restart_factor(np.array([3600.0, 0.0, 40.0]), np.array([3, 0, 2]), 30.0)
    assert factor == pytest.approx([3510 / 3630, 0.0, 0.0])
