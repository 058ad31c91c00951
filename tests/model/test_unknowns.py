"""Ranges from which nothing can be drawn are refused."""

from typing import Any

import numpy as np
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


def test_whole_numbers_have_equal_shares_up_to_the_last() -> None:
    """A third each of 3, 4 and 5; the share 1 is the last one's, too."""
    three = Unknown("a", 3, 5, scale="integer")
    shares = np.array([0.0, 0.33, 0.34, 0.66, 0.67, 0.99, 1.0])
    assert three.at(shares) == [3, 3, 4, 4, 5, 5, 5]
