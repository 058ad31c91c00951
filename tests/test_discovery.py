"""Parameters of schedulers are read from text."""

import pytest

from rarlib.discovery import make_scheduler, settings_with_defaults
from rarlib.model.errors import InputError


def test_parameters_from_text():
    """Text becomes the field's type; a Python keyword may be given as it stands in the paper."""
    las = settings_with_defaults(make_scheduler("las", {"levels": "100,200", "placement": "pack"}))
    assert las == {"placement": "pack", "levels": (100.0, 200.0), "slot_s": 0.0, "holds": False}
    bco = settings_with_defaults(make_scheduler("sjf-bco", {"lambda": "8", "kappa": "none", "horizon": "1200"}))
    assert (bco["lambda"], bco["kappa"], bco["horizon"]) == (8.0, None, 1200.0)
    assert settings_with_defaults(make_scheduler("sjf-bco", {"kappa": "4"}))["kappa"] == 4


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
    with pytest.raises(InputError, match=message):
        make_scheduler(name, params)
