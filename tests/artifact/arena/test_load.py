"""Offered load by hand, and what stretching keeps."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from artifact.arena.load import offered, reference_gpus, rescaled, worths
from rarlib.cost.goodput.by_gpu_time import Request
from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError


class Table:
    """Requests by hand: (type, application) -> GPUs, seconds."""

    def __init__(self, rows):
        self.rows = rows

    def on(self, part, jobs):
        return [Request(gpus, 0, seconds) for gpus, seconds in (self.rows[part.gpu_type[0], job[0]] for job in jobs)]


TABLE = Table({("slow", "a"): (2, 100), ("slow", "b"): (4, 100), ("fast", "a"): (2, 25), ("fast", "b"): (2, 100)})
"""The fast type does a's training in a quarter of the GPU time, b's in half of it."""


def test_worth_of_a_type_by_hand():
    """600 GPU s of a and 200 of b on the slow type are 150 and 100 on the fast one: 800 / 250 = 3.2."""
    cluster = Cluster.parse("slow:2x4,fast:1x5", as_written=True)
    jobs, gpu_s = [("a", 2, 0), ("b", 4, 0)], np.array([600.0, 200.0])
    assert worths(TABLE, cluster, jobs, gpu_s) == pytest.approx({"slow": 1.0, "fast": 3.2}, rel=1e-12)
    assert reference_gpus(TABLE, cluster, jobs, gpu_s) == pytest.approx(8 + 5 * 3.2, rel=1e-12)


def test_all_work_fits_when_every_type_takes_the_same_share_of_it():
    """At a load of 1, dealing each job's work in proportion keeps every type busy for exactly the span."""
    cluster = Cluster.parse("slow:2x4,fast:1x5", as_written=True)
    jobs, gpu_s = [("a", 2, 0), ("b", 4, 0)], np.array([600.0, 200.0])
    equal = reference_gpus(TABLE, cluster, jobs, gpu_s)
    span = gpu_s.sum() / equal
    share_fast = 5 * 3.2 / equal
    on_fast = share_fast * (gpu_s / np.array([4.0, 2.0])).sum()
    on_slow = (1 - share_fast) * gpu_s.sum()
    assert on_fast == pytest.approx(5 * span) and on_slow == pytest.approx(8 * span)


def test_load_by_hand():
    assert offered(1200.0, 10.0, 240.0) == 0.5
    assert offered(1200.0, 10.0, 0.0) == float("inf")


gaps = st.lists(st.integers(0, 10_000), min_size=1, max_size=60).filter(any)


@given(gaps, st.floats(0.01, 0.99), st.floats(1.0, 1e8), st.floats(1.0, 512.0))
def test_stretching_hits_the_load_and_keeps_order_and_proportions(gaps, load, gpu_s, gpus):
    submit = np.cumsum([5, *gaps]).astype(float)
    found = rescaled(submit, gpu_s, gpus, load)
    assert found[0] == 0.0
    assert offered(gpu_s, gpus, found[-1] - found[0]) == pytest.approx(load, rel=1e-9)
    assert (np.sign(np.diff(found)) == np.sign(np.diff(submit))).all()
    np.testing.assert_allclose(found / found[-1], (submit - submit[0]) / (submit[-1] - submit[0]), rtol=1e-12)


@pytest.mark.parametrize("load", [1.0, 1.5])
def test_overload_is_refused_unless_asked_for(load):
    submit = np.array([0.0, 10.0])
    with pytest.raises(InputError, match=r"load: .* overload: true"):
        rescaled(submit, 100.0, 2.0, load)
    assert offered(100.0, 2.0, rescaled(submit, 100.0, 2.0, load, allow_overload=True)[-1]) == pytest.approx(load)
