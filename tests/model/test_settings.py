"""What schedulers accept: stated with their fields, checked whenever one is made."""

import pytest

from rarlib.discovery import make_scheduler, parameters, scheduler_class, schedulers
from rarlib.model.errors import InputError
from rarlib.model.settings import (
    interval_parameters,
    rules,
)

FLOATS = [
    (name, field)
    for name in schedulers()
    for field, kind in parameters(scheduler_class(name)).items()
    if "float" in str(kind)
]
PERIODS = [(name, field) for name in schedulers() for field in interval_parameters(scheduler_class(name))]


@pytest.mark.parametrize(("name", "field"), FLOATS)
@pytest.mark.parametrize("value", ["nan", "inf", "-inf", "1e999"])
def test_no_scheduler_takes_numbers_that_are_not_finite(name, field, value):
    """Given as text or as a value, to any scheduler that is found."""
    with pytest.raises(InputError, match=field.rstrip("_")):
        make_scheduler(name, {field.rstrip("_"): value})
    number = (float(value),) if "tuple" in str(parameters(scheduler_class(name))[field]) else float(value)
    with pytest.raises(InputError, match=field.rstrip("_")):
        scheduler_class(name)(**{field: number})


@pytest.mark.parametrize("name", schedulers())
def test_defaults_are_within_their_rules(name):
    """A rule that its own default breaks would refuse every run."""
    scheduler, known = make_scheduler(name), rules(scheduler_class(name))
    for field, rule in known.items():
        value = getattr(scheduler, field)
        for item in value if isinstance(value, tuple) else (value,):
            assert item is None or rule.accepts(item)


def test_every_scheduler_that_wakes_itself_says_by_which_parameter():
    """The message about too many passes names it."""
    assert {name for name, _ in PERIODS} >= {
        "aiturbo", "concert", "drf", "gadget", "gavel", "las", "optimus", "pollux", "shockwave", "sia", "themis",
        "tiresias",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("gavel", {"round_s": "1e-300"}),
        ("gadget", {"slot_s": "1e-9"}),
        ("themis", {"round_s": "1e-9"}),
        ("optimus", {"tick": "1e-9"}),
        ("shockwave", {"rounds": "1000000"}),
        ("pollux", {"population": "10000000"}),
        ("pollux", {"generations": "10000000"}),
        ("best-known", {"effort": "1000000000"}),
        ("gadget", {"draws": "1000000000"}),
        ("sjf-bco", {"kappa": "-1"}),
    ],
)
def test_what_would_never_end_is_refused(name, params):
    """Rounds shorter than a millisecond, and work in a single pass without bound."""
    with pytest.raises(InputError, match=f"{next(iter(params))}: must be at "):
        make_scheduler(name, params)
