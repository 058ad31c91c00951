"""Numbers of files that others wrote: what is no whole number of the range is refused, by its field."""

from typing import Any

import numpy as np
import pytest

from rarlib.model.errors import InputError
from rarlib.model.number_array import number_array, whole_number


@pytest.mark.parametrize("value", [1, 3, 5])
def test_whole_numbers_of_the_range(value: int) -> None:
    assert whole_number(value, low=1, high=5, file="f", field="x") == value


@pytest.mark.parametrize("value", [0, 6, -1, True, 2.0, "3", None, [3], float("nan")])
def test_anything_else_is_refused(value: Any) -> None:
    with pytest.raises(InputError, match="x"):
        whole_number(value, low=1, high=5, file="f", field="x")


def lists(dimensions: int, value: Any) -> Any:
    """A value within so many lists."""
    return value if dimensions == 0 else [lists(dimensions - 1, value)]


@pytest.mark.parametrize("dimensions", range(4))
def test_numbers_of_the_range_in_lists_of_one_depth(dimensions: int) -> None:
    """Both ends belong to the range; a level too few or too many is another thing."""
    for value in (-1, 0.5, 2):
        found = number_array(lists(dimensions, value), dimensions, low=-1.0, high=2.0, file="f", field="x")
        assert found.shape == (1,) * dimensions and found.item() == value and found.dtype == np.float64
    kind = ["a number", "lists of numbers", "lists of equally long lists of numbers"][min(dimensions, 2)]
    others: list[Any] = [True, "1", None, [1], {}, ()]
    for other in others:
        with pytest.raises(InputError, match=f"^f, field x: must be .*{kind}, found "):
            number_array(lists(dimensions, other), dimensions, low=-1.0, high=2.0, file="f", field="x")
    for value in (-1.001, 2.001, float("nan"), float("inf")):
        with pytest.raises(InputError, match=rf"^f, field x: must be -1 to 2, found {value:g}$"):
            number_array(lists(dimensions, value), dimensions, low=-1.0, high=2.0, file="f", field="x")
    with pytest.raises(InputError, match="that a computer holds"):
        number_array(lists(dimensions, 10**400), dimensions, low=-1.0, high=2.0, file="f", field="x")


def test_lists_of_one_level_have_one_length_and_are_not_empty() -> None:
    """Unless the caller can do without any number."""
    with pytest.raises(InputError, match="must be lists of equally long lists of numbers that a computer holds"):
        number_array([[1], [1, 2]], 2, low=0.0, high=9.0, file="f", field="x")
    empty: list[tuple[Any, int]] = [([], 1), ([[], []], 2)]
    for nothing, dimensions in empty:
        with pytest.raises(InputError, match="must not be empty"):
            number_array(nothing, dimensions, low=0.0, high=9.0, file="f", field="x")
        assert number_array(nothing, dimensions, low=0.0, high=9.0, file="f", field="x", empty=True).size == 0
    assert number_array([1], 1, low=0.0, high=9.0, file="f", field="x", empty=True).tolist() == [1.0]
