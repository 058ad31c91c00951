"""What schedulers know of speeds: who asks, who learns, and that nothing but the setting decides it."""

from dataclasses import replace

import numpy as np
import pytest

from artifact.arena.knowledge import played_as, plays
from artifact.arena.settings import Setting
from rarlib.cost.goodput.goodput import GoodputCost
from rarlib.cost.goodput.knowledge import GIVEN, KNOWN, LEARNED
from rarlib.cost.goodput.network import SpanningNetwork
from rarlib.discovery import make_scheduler
from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError
from rarlib.model.forecast import Forecast
from rarlib.schedulers.pollux import Pollux
from rarlib.schedulers.sia import Sia
from rarlib.simulator.engine import simulate
from tests.rarlib.schedulers.test_concert import cost, table

CLUSTER = Cluster.parse("t4:2x4,rtx:1x4")


def jobs():
    return table([3000.0, 700.0, 2000.0, 1500.0], [0.0, 10.0, 300.0, 400.0], gpus=2)


def finishes(name, knowledge, **settings):
    scheduler = make_scheduler(name, settings) if settings else make_scheduler(name)
    model = replace(cost(SpanningNetwork()), knowledge=knowledge)
    quantum = float(getattr(scheduler, "round_s", getattr(scheduler, "slot_s", 0.0)))
    return simulate(jobs(), CLUSTER, scheduler, model, quantum=quantum).finish_s


def test_no_setting_of_a_scheduler_decides_what_it_knows():
    """Where the arena says what is known, Sia's own settings count for nothing; where it does not, they do."""
    for knowledge in (KNOWN, LEARNED):
        alike = [finishes("sia", knowledge, bootstrap=each) for each in ("bootstrap", "oracle", "none")]
        assert all(np.array_equal(alike[0], each) for each in alike)
    assert not np.array_equal(finishes("sia", GIVEN, bootstrap="none"), finishes("sia", GIVEN, bootstrap="oracle"))
    assert np.array_equal(finishes("sia", GIVEN), finishes("sia", LEARNED))
    with pytest.raises(InputError, match="knowledge"):
        GoodputCost(cost().profiles, knowledge="some")


def training(scheduler, knowledge):
    model = replace(cost(), knowledge=knowledge)
    admitted = model.admit(jobs(), CLUSTER)
    return model.train(admitted, CLUSTER, model.price(admitted, CLUSTER), scheduler, Forecast.exact(len(admitted)))


def test_a_type_blind_scheduler_knows_beforehand_too():
    """One model for all types, from everything measured on them: there before the first run, gone where it learns."""
    every = np.arange(4)
    known, learned = (training(Pollux(), each) for each in (KNOWN, LEARNED))
    assert (known.limits(every) > 1).all()
    assert (learned.limits(every) == 1).all()
    assert known._state.model["fitted"].all()
    assert not learned._state.model["fitted"].any()
    # Its speed lies between that of the slow type and that of the fast one.
    params, apart = known._state.params[0, 0], training(Sia(), KNOWN)._state.params[0]
    assert min(apart[:, 0]) < params[0] < max(apart[:, 0])


def test_who_plays_and_as_what():
    learned = Setting("t", "c", "0.9", "off", "profile", "0", LEARNED)
    assert not plays("gavel", learned) and plays("gavel", learned._replace(knowledge=KNOWN))
    assert plays("sia", learned) and played_as("sia", learned) == learned
    assert plays("fifo", learned) and played_as("fifo", learned).knowledge == KNOWN
