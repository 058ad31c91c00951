"""Utilities: what every form promises, and bad parameters."""

from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rarlib.cost.utilities import Logarithm, NegativeQuadratic, Sigmoid, SquareRoot, Utility
from rarlib.model.errors import InputError


@pytest.mark.parametrize("value", [-1.0, 0.0, np.nan, np.inf])
def test_negative_utilities(value: float) -> None:
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


def exact_log_gain(scale: float, slope: float, middle: float, before: float, after: float) -> float:
    """The same difference with 1000 digits."""
    with localcontext() as context:
        context.prec = 1000
        low, high = (
            Decimal(scale) / (1 + (-Decimal(slope) * (Decimal(x) - Decimal(middle))).exp()) for x in (before, after)
        )
        return float((high - low).ln())


@settings(max_examples=30)
@given(st.floats(1, 100), st.floats(0.001, 0.5), st.floats(300, 3000), st.floats(0, 4000), st.floats(1, 500))
def test_logarithm_of_a_gain_of_the_sigmoid(
    scale: float, slope: float, middle: float, before: float, more: float
) -> None:
    """Against 1000 digits, also where both utilities are 0 or 1 to the last bit of a number."""
    got = Sigmoid(scale, slope, middle).log_gain(np.array([before]), np.array([before + more]))
    expected = exact_log_gain(scale, slope, middle, before, before + more)
    assert got[0] == pytest.approx(expected, rel=1e-9, abs=1e-9)
