"""What schedulers accept: values of every kind and range, checked whenever one is made."""

import dataclasses
import math
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np
import pytest

from rarlib.discovery import make_scheduler, parameters, scheduler_class, schedulers
from rarlib.model import settings
from rarlib.model.errors import InputError
from rarlib.model.settings import (
    check_settings,
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


class Sized(Protocol):
    def size(self) -> int:
        """Anything with a size."""


class Pair(NamedTuple):
    low: float
    high: float


VALUES = {
    "number": 0.5,
    "whole": 3,
    "flag": True,
    "numpy flag": np.bool_(True),
    "numpy number": np.float64(0.5),
    "numpy whole": np.int64(3),
    "word": "a",
    "none": None,
    "empty": (),
    "numbers": (0.5, 2),
    "list": [0.5],
    "mixed": (2, "a"),
    "three": (1, 2, 3),
    "pair": Pair(0.1, 0.2),
    "function": math.sqrt,
}
REALS = {"number", "whole", "numpy number", "numpy whole"}
WHOLES = {"whole", "numpy whole"}
KINDS = [
    (float, REALS, "a number"),
    (int, WHOLES, "a whole number"),
    (bool, {"flag", "numpy flag"}, "true or false"),
    (str, {"word"}, "a word"),
    (float | None, REALS | {"none"}, "a number or none"),
    (int | str, WHOLES | {"word"}, "a whole number or a word"),
    (tuple[float, ...], {"empty", "numbers", "list", "three", "pair"}, "a list"),
    (tuple[float, float], {"numbers", "pair"}, "a list"),
    (tuple[int, str], {"mixed"}, "a list"),
    (Pair, {"pair"}, str(Pair)),
    (Callable[[float], float], set(VALUES), ""),
    (Sized, set(VALUES), ""),
    (Any, set(VALUES), ""),
]


def made(kind: Any, value: Any, **field: Any) -> Any:
    """A scheduler with one parameter."""
    cls = dataclasses.make_dataclass("Toy", [("size_", kind, dataclasses.field(default=None, **field))])
    toy = cls()
    toy.size_ = value
    return toy


@pytest.mark.parametrize(("kind", "members", "words"), KINDS)
def test_values_are_of_the_kinds_that_python_says(kind: Any, members: set[str], words: str) -> None:
    """True is no number, a whole number is one, numpy's count like Python's; what has no type is not looked at."""
    for name, value in VALUES.items():
        if name in members:
            check_settings(made(kind, value))
        else:
            with pytest.raises(InputError, match=r"must be ") as caught:
                check_settings(made(kind, value))
            assert caught.value.field == "size"
            assert str(caught.value).startswith(f"field size: must be {words}, found ")


RANGES = {
    "ABOVE_0": "above 0",
    "AT_LEAST_0": "at least 0",
    "COUNT": "at least 1, at most 1,000,000",
    "LENGTH_S": "above 0, at most 10,000,000,000",
    "TIME_STEP": "at least 0.001, at most 10,000,000,000",
    "LENGTH_S_OR_0": "at least 0, at most 10,000,000,000",
    "GPU_SECONDS": "above 0",
    "GPU_SECONDS_OR_0": "at least 0",
    "FRACTION": "at least 0, at most 1",
    "INTERVAL": "at least 0.001, at most 10,000,000,000",
    "INTERVAL_OR_NONE": "at least 0, at most 10,000,000,000",
}


@pytest.mark.parametrize("name", RANGES)
def test_a_range_is_what_it_says(name: str) -> None:
    """Its sentence names its ends, of which the one after `above` is outside; flags tell times and intervals."""
    rule = getattr(settings, name)
    assert str(rule) == RANGES[name]
    first, *last = RANGES[name].replace(",0", "0").split(", ")
    low = float(first.split()[-1])
    most = float(last[0].split()[-1].replace(",", "")) if last else math.inf
    assert rule.accepts(low) == ("above" not in first)
    assert not rule.accepts(low - 1e-9) and rule.accepts(low + 1e-9)
    assert rule.accepts(most) and rule.accepts(1.0) and not rule.accepts(math.nan)
    assert rule.accepts(math.nextafter(most, math.inf)) == (most == math.inf)
    assert rule.interval == name.startswith("INTERVAL")
    assert rule.time == (name not in ("ABOVE_0", "AT_LEAST_0", "COUNT", "FRACTION"))
