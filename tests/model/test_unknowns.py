"""Ranges from which nothing can be drawn are refused."""

from typing import Any

import pytest

from rarlib.model.errors import InputError
from rarlib.model.unknowns import Unknown


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"scale": "cubic"}, "unknown scale 'cubic'; known: linear, log, integer, choice"),
        ({"scale": "choice"}, "a choice needs something to choose from"),
        ({"low": 1.0, "high": 1.0}, "range 1.0 to 1.0 is empty"),
        ({"low": 2.0, "high": 1.0, "scale": "integer"}, "range 2.0 to 1.0 is empty"),
        ({"low": 0.0, "high": 1.0, "scale": "log"}, "a log range must be positive"),
    ],
)
def test_refusals(given: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=f"x: {message}"):
        Unknown("x", **given)


def test_ranges_that_can_be_drawn_from() -> None:
    for given in ({}, {"low": -1.0}, {"low": 1e-9, "scale": "log"}, {"scale": "choice", "choices": (1,)}):
        assert Unknown("x", **given).name == "x"
