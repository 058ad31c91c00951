"""Schedulers are found by themselves, and their parameters are read from text."""

import pytest

from rarlib import declared
from rarlib.discovery import make_scheduler, schedulers, settings_with_defaults
from rarlib.model import plugins
from rarlib.model.errors import InputError


def test_all_schedulers_are_found():
    """A scheduler that is not found can be used nowhere; helpers in the same folder are none."""
    assert set(schedulers()) >= {
        "fifo", "fifo-backfill", "sjf", "srtf", "las", "first-fit", "list-scheduling", "random", "sjf-bco",
    }  # fmt: skip
    assert "" not in schedulers()


def test_parameters_from_text():
    """Text becomes the field's type; a Python keyword may be given as it stands in the paper."""
    las = settings_with_defaults(make_scheduler("las", {"levels": "100,200", "placement": "pack"}))
    assert las == {"placement": "pack", "levels": (100.0, 200.0), "slot_s": 0.0, "holds": False}
    bco = settings_with_defaults(make_scheduler("sjf-bco", {"lambda": "8", "kappa": "none", "horizon": "1200"}))
    assert (bco["lambda"], bco["kappa"], bco["horizon"]) == (8.0, None, 1200.0)
    assert settings_with_defaults(make_scheduler("sjf-bco", {"kappa": "4"}))["kappa"] == 4


def test_each_run_gets_a_scheduler_of_its_own():
    """Schedulers keep state; a shared one would carry a plan from one run into the next."""
    assert make_scheduler("sjf-bco") is not make_scheduler("sjf-bco")


@pytest.mark.parametrize(
    ("name", "params", "message"),
    [
        ("nope", {}, "unknown scheduler 'nope'; known: .*fifo"),
        ("fifo", {"levels": "1"}, "unknown parameter 'levels' of fifo; known: placement"),
        ("las", {"levels": "a"}, "levels: must be of type"),
        ("sjf-bco", {"kappa": "2.5"}, "kappa: must be of type"),
        ("sjf-bco", {"_plan": "x"}, "unknown parameter"),
    ],
)
def test_bad_names_and_values(name, params, message):
    """A typo must not run with the defaults."""
    with pytest.raises(InputError, match=message):
        make_scheduler(name, params)


def test_schedulers_of_other_packages(monkeypatch):
    """An installed package adds a scheduler by an entry point; a name taken twice is refused."""

    class Mine:
        name, label, paper = "mine", "Mine", ""

        def decide(self, view):
            return []

    class Twin(Mine):
        name = "fifo"

    class Point:
        def __init__(self, cls):
            self.load, self.name, self.value = lambda: cls, cls.name, "package.module:Class"
            self.dist, self.group = None, "rarlib.schedulers"

    for cls, works in ((Mine, True), (Twin, False)):
        monkeypatch.setattr(plugins, "entry_points", lambda group, cls=cls: [Point(cls)])
        schedulers.cache_clear()
        declared.offers.cache_clear()
        if works:
            assert isinstance(make_scheduler("mine"), Mine)
            assert "mine" in declared.scheduler_names()
        else:
            with pytest.raises(InputError, match="'fifo' is defined in"):
                schedulers()
    monkeypatch.undo()
    schedulers.cache_clear()
    declared.offers.cache_clear()
