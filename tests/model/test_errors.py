"""Numbers that a person sets: which are refused, and how they are named."""

from types import SimpleNamespace

import pytest

from rarlib.model.errors import InputError, require_numbers


@pytest.mark.parametrize("value", [1e-300, 1, 2.5])
def test_numbers_above_zero_pass(value):
    require_numbers(SimpleNamespace(a=value, b=value), "a", "b")


@pytest.mark.parametrize("value", [-1.0, float("inf"), float("nan")])
@pytest.mark.parametrize("zero", [True, False])
def test_others_are_refused_by_name(value, zero):
    with pytest.raises(InputError, match="field b: must be a number"):
        require_numbers(SimpleNamespace(a=1.0, b=value), "a", "b", zero=zero)


def test_zero_passes_where_it_may():
    require_numbers(SimpleNamespace(a=0), "a", zero=True)
    with pytest.raises(InputError, match="above 0, found 0"):
        require_numbers(SimpleNamespace(a=0), "a")
