"""Loss curves: fits recover them, inversion is exact, convergence is the one Optimus declares."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rarlib.cost.parameter_server.loss import LAST, LossCurve, fit_loss
from rarlib.model.errors import InputError

curves = st.builds(LossCurve, st.floats(0.02, 1.0), st.floats(0.05, 1.0), st.floats(0.0, 2.0))


@given(curves)
def test_a_fit_of_exact_losses_foretells_the_rest(curve):
    """Fitted to the first ten epochs, the curve must tell the next ninety."""
    epochs = np.arange(1, 11)
    np.testing.assert_allclose(fit_loss(epochs, curve.at(epochs)).at(100), curve.at(100), rtol=0.02, atol=0.002)


@given(curves)
def test_converged_is_the_first_epoch_with_a_small_fall(curve):
    falls = [float(curve.at(k) - curve.at(k + 10)) for k in range(LAST)]
    assert curve.converged() == next((k for k, fall in enumerate(falls) if fall < 0.05), LAST)


@given(st.lists(st.floats(0.01, 20.0), min_size=3, max_size=12))
def test_fitted_losses_stay_positive_and_never_rise(losses):
    curve = fit_loss(np.arange(1, len(losses) + 1), losses)
    assert min(curve) >= 0.0
    found = curve.at(np.arange(1, 200))
    assert (np.diff(found[np.isfinite(found)]) <= 0).all()
    assert found.min() >= 0.0


def test_too_little_is_not_fitted():
    with pytest.raises(InputError, match="field loss: a fit of the loss needs at least 3 points, found 2"):
        fit_loss([1, 2], [3.0, 2.0])
    with pytest.raises(InputError, match="field loss: must be positive"):
        fit_loss([1, 2, 3], [3.0, 2.0, -1.0])
