"""Utilities: what every form promises, and bad parameters."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rarlib.cost.utilities import Logarithm, NegativeQuadratic, Sigmoid, SquareRoot, Utility
from rarlib.model.errors import InputError


@pytest.mark.parametrize("value", [-1.0, 0.0, np.nan, np.inf])
def test_negative_utilities(value: float) -> None:
    """A utility that falls or is negative breaks every bound."""
    with pytest.raises(InputError, match="scale of job 1: utilities must not be negative nor fall"):
        Logarithm([1.0, value])


FORMS: list[Utility] = [
    SquareRoot([2.0, 3.0]),
    Logarithm([2.0, 3.0]),
    NegativeQuadratic([2.0, 3.0], [5.0, 50.0]),
    Sigmoid([2.0, 3.0], [0.1, 1.0], [5.0, 50.0]),
]


@pytest.mark.parametrize("utility", FORMS, ids=lambda u: type(u).__name__)
@given(start=st.floats(0, 200), step=st.floats(0.1, 50))
def test_forms_of_utility(utility: Utility, start: float, step: float) -> None:
    """Utilities start at 0 or above and never fall; those that say so are concave."""
    amount = start + step * np.arange(3)
    value = utility.value(np.stack([amount, amount]))
    assert (value >= 0).all()
    gains = np.diff(value, axis=1)
    assert (gains >= 0).all()
    if utility.concave:
        assert (gains[:, 1] <= gains[:, 0] + 1e-9 * value.max()).all()
    assert utility.value(amount[:2]) == pytest.approx(np.diag(value))
    assert utility.take([1]).value(amount[None]) == pytest.approx(value[1:])


def test_the_sigmoid_is_not_concave() -> None:
    """Below its middle gains grow: Lemma 5 does not hold there."""
    utility = Sigmoid([1.0], [0.1], [100.0])
    assert not utility.concave
    gains = np.diff(utility.value(np.array([[0.0, 40.0, 80.0]])))
    assert gains[0, 1] > gains[0, 0]
    assert utility.value(np.array([100.0])) == pytest.approx(0.5)
