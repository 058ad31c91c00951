"""An exception of a scheduler's own code is reported in one line with its place; others pass unchanged."""

import pickle

import pytest

from rarlib.cost.trace import TraceCost
from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError, SchedulerError
from rarlib.model.jobs import Jobs
from rarlib.simulator.engine import simulate


class Broken:
    """Raises in its second pass."""

    name = "broken"

    def __init__(self, error):
        self.error, self.passes = error, 0

    def decide(self, view):
        self.passes += 1
        if self.passes == 2:
            raise self.error
        return ()


def run(error):
    jobs = Jobs.build(submit_s=[0, 10], gpus=[1, 1], duration_s=[5, 5])
    return simulate(jobs, Cluster.parse("1x1"), Broken(error), TraceCost())


def test_place_and_pass_are_named():
    with pytest.raises(SchedulerError) as raised:
        run(KeyError("gone\nfor good"))
    said = str(raised.value)
    assert "\n" not in said
    assert "scheduler broken failed in pass 2 at 10 s: KeyError" in said
    assert "test_scheduler_error.py, line 2" in said
    assert isinstance(raised.value.__cause__, KeyError)
    assert str(pickle.loads(pickle.dumps(raised.value))) == said  # noqa: S301 - as it comes from a worker process


def test_an_error_of_the_input_stays_what_it_is():
    with pytest.raises(InputError, match="no such thing"):
        run(InputError("no such thing"))
