"""Numbers of files that others wrote: what is no whole number of the range is refused, by its field."""

from typing import Any

import pytest

from rarlib.model.errors import InputError
from rarlib.model.number_array import whole_number


@pytest.mark.parametrize("value", [1, 3, 5])
def test_whole_numbers_of_the_range(value: int) -> None:
    assert whole_number(value, low=1, high=5, file="f", field="x") == value


@pytest.mark.parametrize("value", [0, 6, -1, True, 2.0, "3", None, [3], float("nan")])
def test_anything_else_is_refused(value: Any) -> None:
    with pytest.raises(InputError, match="x"):
        whole_number(value, low=1, high=5, file="f", field="x")
