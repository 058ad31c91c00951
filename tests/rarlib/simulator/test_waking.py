"""A run ends, or says why it does not: passes that a scheduler asks for, and jobs that stand still."""

import numpy as np
import pytest

from rarlib.cost.ring import SlottedRingCost
from rarlib.cost.trace import TraceCost
from rarlib.discovery import make_scheduler
from rarlib.model.cluster import Cluster
from rarlib.model.decisions import Wake
from rarlib.model.errors import DecisionError, InputError
from rarlib.model.jobs import Jobs
from rarlib.model.limits import IDLE, PASSES
from rarlib.schedulers.fifo import Fifo
from rarlib.simulator.engine import simulate

LONG = Jobs.build(submit_s=[0.0, 42.5], gpus=[1, 1], duration_s=[24.75, 1e7])


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("gavel", {"round_s": 0.001}),
        ("themis", {"round_s": 0.001}),
        ("gadget", {"slot_s": 0.001}),
        ("optimus", {"tick": 0.001}),
        ("tiresias", {"tick": 1e-9}),
        ("pollux", {"round_s": 0.001, "population": 2, "generations": 1}),
        ("shockwave", {"round_s": 0.001}),
    ],
)
def test_an_interval_far_below_the_jobs_is_refused_at_once(name, params):
    """A billion passes are foreseen after a hundred; the message names scheduler and parameter."""
    field, scheduler, passes = next(iter(params)), make_scheduler(name, params), []
    decide = scheduler.decide
    scheduler.decide = lambda view: passes.append(view.now_s) or decide(view)
    with pytest.raises(InputError, match=rf"^field {field}: scheduler {name} asks for more than 1,000,000 passes"):
        simulate(LONG.take(np.array([1])), Cluster.of([8]), scheduler, TraceCost())
    assert len(passes) <= 101


class Restless(Fifo):
    """Asks for another pass however little has happened."""

    def __init__(self, every_s):
        super().__init__()
        self.every_s, self.passes = every_s, 0

    @property
    def discipline(self):
        return None

    def decide(self, view):
        self.passes += 1
        yield from super().decide(view)
        yield Wake(view.now_s + self.every_s)


class Idle(Restless):
    """Never starts a job."""

    def decide(self, view):
        self.passes += 1
        yield Wake(view.now_s + self.every_s)


def test_the_number_of_passes_is_limited(monkeypatch):
    """Beyond it, also where no event lies ahead from which their number could be foreseen."""
    monkeypatch.setattr("rarlib.simulator.waking.PASSES", PASSES._replace(most=500))
    simulate(LONG.take(np.array([0])), Cluster.of([1]), Restless(0.1), TraceCost())
    with pytest.raises(InputError, match="scheduler fifo asks for more than 500 passes"):
        simulate(LONG.take(np.array([0])), Cluster.of([1]), Restless(0.01), TraceCost())
    idle = Idle(1.0)
    with pytest.raises(InputError, match="asks for more than 500 passes"):
        simulate(LONG, Cluster.of([1]), idle, TraceCost())
    assert idle.passes == 501, "every pass asks for one more; 500 are granted, not one more"


def test_a_scheduler_that_lets_jobs_wait_forever_is_told():
    idle = Idle(1.0)
    with pytest.raises(InputError, match="scheduler fifo leaves all GPUs idle while jobs wait, 10,000 passes in a row"):
        simulate(LONG.take(np.array([0])), Cluster.of([8]), idle, TraceCost())
    assert idle.passes == IDLE.most + 1


def test_only_passes_without_an_event_ahead_count_as_idle(monkeypatch):
    """Six passes in a row, of which five are granted; a job that runs, or is about to arrive, begins the count anew."""
    monkeypatch.setattr("rarlib.simulator.waking.IDLE", IDLE._replace(most=5))
    monkeypatch.setattr("rarlib.simulator.waking.PASSES", PASSES._replace(most=200))
    idle = Idle(1.0)
    with pytest.raises(InputError, match="leaves all GPUs idle while jobs wait, 5 passes in a row"):
        simulate(LONG.take(np.array([0])), Cluster.of([1]), idle, TraceCost())
    assert idle.passes == 6
    waits = Idle(1.0)
    with pytest.raises(InputError, match="leaves all GPUs idle while jobs wait, 5 passes in a row"):
        simulate(LONG, Cluster.of([1]), waits, TraceCost())
    # Passes at 0, 1, ..., 42 s see the arrival at 42.5 s ahead; that at 42.5 s and those after it do not.
    assert 43 + 5 <= waits.passes <= 43 + 7
    busy = Restless(0.25)
    assert simulate(LONG.take(np.array([0])), Cluster.of([1]), busy, TraceCost()).finished.all()
    assert busy.passes > 90


@pytest.mark.parametrize("compiled", [True, False])
def test_jobs_that_stand_still_are_named(compiled):
    """0.4 (1 + 0.5 (3 + 2)) = 1.4 slots for an iteration: two gangs that share a server never do one."""
    jobs = Jobs.build(submit_s=np.zeros(2), gpus=[3, 3], duration_s=[1.0, 1.0])
    cost = SlottedRingCost(np.full(2, 2.0), np.full(2, 0.4), 0.5, cap=2.0, alpha=1.0)
    with pytest.raises(DecisionError, match="job 0 runs, but never ends: not one of its iterations fits a slot"):
        simulate(jobs, Cluster.of([2, 2, 2]), Fifo(), cost, quantum=1.0, whole_slots=True, compiled=compiled)
