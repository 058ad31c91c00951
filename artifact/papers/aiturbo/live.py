"""A made-up loss curve and what Optimus' fit foretells of it, while a reader watches."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from rarlib.cost.parameter_server.loss import FEWEST, LAST, LossCurve, fit_loss
from rarlib.model.seeds import stream
from rarlib.plot.style import INK

_SEEN, _FITTED = "#0072b2", "#d55e00"
CURVES = 10


def made_up_curves() -> tuple[list[LossCurve], NDArray[np.float64]]:
    """Loss curves [RECON], and standard normal noise for each of their epochs, shape (curves, epochs)."""
    rng = stream(0, "aiturbo", "loss")
    curves = [LossCurve(*each) for each in rng.uniform((0.05, 0.1, 0.0), (0.5, 0.5, 1.0), (CURVES, 3))]
    return curves, rng.standard_normal((CURVES, LAST))


def loss_curve(*, seen: int, noise: int, curve: int) -> Figure:
    """A loss curve, the observed part of it, the fitted curve, and where either says that training ends.

    `seen`: percent of the way to convergence that was observed; `noise`: standard deviation of the observed loss,
    percent; `curve`: number of the curve, below `CURVES`.
    """
    curves, drawn = made_up_curves()
    true = curves[curve]
    ends = max(true.converged(), 1)
    epochs = np.arange(1, max(FEWEST, round(seen / 100 * ends)) + 1)
    observed = true.at(epochs) * np.exp(noise / 100 * drawn[curve][: len(epochs)])
    fitted = fit_loss(epochs, observed)
    found = fitted.converged()
    span = np.linspace(1, 1.2 * max(ends, found, epochs[-1]), 200)
    figure, ax = plt.subplots(figsize=(8, 3.4))
    ax.plot(span, true.at(span), color=INK, label="true")
    ax.plot(span, fitted.at(span), color=_FITTED, ls="--", label="fitted to what was seen")
    ax.plot(epochs, observed, "o", color=_SEEN, ms=4, label="seen")
    ax.axvline(ends, color=INK, lw=1)
    ax.axvline(found, color=_FITTED, lw=1, ls="--")
    off = 100 * abs(found / ends - 1)
    ax.set(xlabel="epoch", ylabel="loss", title=f"Converged after epoch {ends}; foretold: {found} ({off:.0f} % off)")
    ax.set_ylim(0, 1.1 * max(float(observed.max()), float(true.at(1))))
    ax.legend()
    return figure
