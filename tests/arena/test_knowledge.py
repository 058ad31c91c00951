"""What schedulers know of speeds: who asks, who learns, and that nothing but the setting decides it."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from rarlib.allocate.by_type import Types
from rarlib.arena import standings
from rarlib.arena.knowledge import TRUE_SPEEDS, learns, played_as, plays
from rarlib.arena.settings import Setting, chosen
from rarlib.cost.goodput.goodput import GoodputCost
from rarlib.cost.goodput.knowledge import GIVEN, KNOWN, LEARNED
from rarlib.cost.goodput.network import SpanningNetwork
from rarlib.cost.goodput.requested import RequestedRates
from rarlib.discovery import make_scheduler, schedulers
from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError
from rarlib.model.forecast import Forecast
from rarlib.schedulers.pollux import Pollux
from rarlib.schedulers.sia import Sia
from rarlib.simulator.engine import simulate
from tests.arena.small import rows
from tests.schedulers.test_concert import cost, table

CLUSTER = Cluster.parse("t4:2x4,rtx:1x4")
BLOCKED = {"pollux", "best-known"}
"""A genetic search and a search over whole batches: what they ask for is known from their `learning`."""


def jobs():
    return table([3000.0, 700.0, 2000.0, 1500.0], [0.0, 10.0, 300.0, 400.0], gpus=2)


def finishes(name, knowledge, **settings):
    scheduler = make_scheduler(name, settings) if settings else make_scheduler(name)
    model = replace(cost(SpanningNetwork()), knowledge=knowledge)
    quantum = float(getattr(scheduler, "round_s", getattr(scheduler, "slot_s", 0.0)))
    return simulate(jobs(), CLUSTER, scheduler, model, quantum=quantum).finish_s


@pytest.mark.parametrize("name", sorted(set(schedulers()) - BLOCKED))
def test_who_asks_for_true_speeds_and_whom_knowledge_concerns(name, monkeypatch):
    """Those left out where speeds are learned ask for true speeds, others never do; who learns nothing acts alike."""
    asked = []
    monkeypatch.setattr(RequestedRates, "rates", spied(RequestedRates.rates, asked))
    known, learned = finishes(name, KNOWN), finishes(name, LEARNED)
    assert bool(asked) == (name in TRUE_SPEEDS)
    if learns(name):
        assert not np.array_equal(known, learned)
    else:
        assert np.array_equal(known, learned)


def spied(method, calls):
    def asks(self, rows):
        calls.append(rows)
        return method(self, rows)

    return asks


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


class Seen:
    """A view of the jobs that a scheduler may see."""

    def __init__(self, admitted, prices):
        self.prices, self._rows = prices, list(admitted.rows)

    def job(self, row):
        return self._rows[row]


def test_a_job_that_has_never_run_is_as_fast_as_its_user_expects():
    """Job 1 asks for 2 GPUs and 700 s: on one GPU of any type it takes 1,400 s, on two or more 700 s."""
    model = replace(cost(), knowledge=LEARNED)
    admitted = model.admit(jobs(), CLUSTER)
    prices = model.price(admitted, CLUSTER)
    learned = model.train(admitted, CLUSTER, prices, make_scheduler("drf"), Forecast.exact(4))
    rate = Types(learned, CLUSTER).rates(Seen(admitted, prices), np.array([1]))
    assert rate.shape == (1, 2, 9)
    alone = prices.work[1] / 700.0
    assert rate[0, 0] == pytest.approx([0.0, alone / 2, *[alone] * 7])
    assert rate[0, 1] == pytest.approx([0.0, alone / 2, *[alone] * 3, *[0.0] * 4])


def test_who_plays_and_as_what():
    learned = Setting("t", "c", "0.9", "off", "profile", "0", LEARNED)
    assert not plays("gavel", learned) and plays("gavel", learned._replace(knowledge=KNOWN))
    assert plays("sia", learned) and played_as("sia", learned) == learned
    assert plays("fifo", learned) and played_as("fifo", learned).knowledge == KNOWN


def test_who_takes_long_runs_the_same_settings_under_both():
    grid = [Setting(trace, "c", "0.9", "off", "profile", "0", k) for k in (KNOWN, LEARNED) for trace in "abc"]
    found = [(each.trace, each.knowledge) for each, _ in chosen("slow", grid, [1, 2], {"slow": {"settings": 1}})]
    assert found == [("a", KNOWN)] * 2 + [("a", LEARNED)] * 2


def test_equal_terms_compare_only_what_both_ran():
    """Learned: b is twice as slow as a, c a tenth slower and so not told apart; d has one window only."""
    here = {KNOWN: {"a": [1, 1], "b": [1, 1]}, LEARNED: {"a": [1, 4], "b": [2, 8], "c": [1.1, 4.4], "d": [3, None]}}
    frames = [rows(values, reading=f"three-types/k/profile/0.3/{level}") for level, values in here.items()]
    found = standings.on_equal_terms(pd.concat([*frames, rows({"a": [9, 9]}, x="0.5")])).loc[LEARNED]
    assert found.index.tolist() == ["a", "c", "b", "d"]
    assert found["ratio"].tolist() == pytest.approx([1.0, 1.1, 2.0, 3.0])
    assert found["close"].tolist() == [False, True, False, True]
    assert found["windows"].tolist() == [2, 2, 2, 1]
