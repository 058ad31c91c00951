"""Loss over training: Optimus' curve, fitted to what was observed so far, and when it says training has converged.

Source: Peng et al. (Optimus), EuroSys 2018, doi 10.1145/3190508.3190517, as in the authors' code [OPT].

| source | here | unit |
|---|---|---|
| l(k) = 1 / (b0 k + b1) + b2 | `LossCurve`, all b >= 0 | loss |
| k | `epochs` | epochs |

[OPT]: at least three points; those of the second and third third of the history weigh 4 and 16 times as much; converged
when the fitted loss falls by less than 0.05 in 10 epochs, after 100 epochs at the latest. The fit here: b0 and b1 by
non-negative least squares of 1 / (l - b2) for a given b2, weighted so that residuals are those of the loss; b2 by a
bounded search over [0, least loss).
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.model.errors import InputError
from rarlib.model.later import Later

_optimize = Later("scipy.optimize")

FEWEST = 3
SPAN, DROP, LAST = 10, 0.05, 100
"""Converged: a fall of less than DROP within SPAN epochs, after LAST epochs at the latest [OPT]."""


class LossCurve(NamedTuple):
    """l(k) = 1 / (b0 k + b1) + b2."""

    b0: float
    b1: float
    b2: float

    def at(self, epochs: Any) -> NDArray[np.float64]:
        """Loss after a number of epochs."""
        with np.errstate(divide="ignore"):
            return 1.0 / (self.b0 * np.asarray(epochs, dtype=np.float64) + self.b1) + self.b2

    def converged(self) -> int:
        """Whole epochs until convergence as Optimus declares it."""
        fall = self.at(np.arange(LAST)) - self.at(np.arange(LAST) + SPAN)
        slow = np.flatnonzero(fall < DROP)
        return int(slow[0]) if len(slow) else LAST


def fit_loss(epochs: Any, losses: Any) -> LossCurve:
    """Fit the curve to the losses observed so far, at ascending epochs above 0.

    Raises:
        InputError: fewer than `FEWEST` points, or a loss that is not positive.
    """
    k, loss = np.asarray(epochs, dtype=np.float64), np.asarray(losses, dtype=np.float64)
    if len(k) < FEWEST or len(k) != len(loss):
        raise InputError(f"a fit of the loss needs at least {FEWEST} points, found {len(loss)}", field="loss")
    if not (np.isfinite(loss).all() and (loss > 0.0).all()):
        raise InputError("must be positive", field="loss")
    weight = 4.0 ** np.minimum(np.arange(len(k)) * 3 // len(k), 2)
    least = float(loss.min())

    def given(b2: float) -> tuple[LossCurve, float]:
        above = loss - b2
        scale = np.sqrt(weight) * above**2
        (b0, b1), error = _optimize.nnls(np.stack([k, np.ones_like(k)], axis=1) * scale[:, None], scale / above)
        return LossCurve(float(b0), float(b1), b2), float(error)

    found = _optimize.minimize_scalar(lambda b2: given(b2)[1], bounds=(0.0, least * (1.0 - 1e-6)), method="bounded")
    candidates = [given(0.0), given(float(found.x))]
    return min(candidates, key=lambda each: each[1])[0]
