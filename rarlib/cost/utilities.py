"""Utilities of training progress, whose sum GADGET maximises.

Source: Yu et al., INFOCOM 2022, doi 10.1109/INFOCOM48880.2022.9796785, section IV (examples) and section VI (sigmoid).

| paper | here | unit |
|---|---|---|
| mu_i | `value` | utility |
| argument of mu_i: zeta_i times worker-slots | `amount` | iterations, energy, worker-slots |
| lambda1, lambda2, lambda3 | `Sigmoid.scale`, `.slope`, `.middle` | utility, 1/amount, amount |

Every utility has parameters by job, starts at 0 or above and never falls; a new one must implement `Utility`.
The paper's energy example is -c(k) with quadratic c, which falls from the first worker on, so that nothing would ever
run. `NegativeQuadratic` is the same parabola with its peak at `peak`: the cost saved on the way there. The logarithm is
taken of 1 + k, since a job without progress would have utility minus infinity. The sigmoid is not concave below
`middle`: the paper's guarantees do not cover it.
"""

from dataclasses import dataclass, fields
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from rarlib.model.errors import InputError
from rarlib.model.jit import hot_kernel

_Reals = NDArray[np.float64]

Form = TypeVar("Form", bound="_Form")


class Utility(Protocol):
    """Utility of each of some jobs."""

    concave: ClassVar[bool]

    def value(self, amount: NDArray[np.float64]) -> NDArray[np.float64]:
        """Utility of amounts, shape (jobs,) or (jobs, n): row i by job i's parameters; same shape."""

    def log_gain(self, before: NDArray[np.float64], after: NDArray[np.float64]) -> NDArray[np.float64]:
        """Logarithm of value(after) - value(before), of the shape of both."""

    def take(self, index: Any) -> "Utility":
        """The same for the jobs at `index`."""

    def __len__(self) -> int: ...


@dataclass(frozen=True)
class _Form:
    """Parameters of shape (jobs,), each above 0; a scalar stands for every job named by another parameter."""

    scale: Any

    def __post_init__(self) -> None:
        names = [field.name for field in fields(self)]
        arrays = np.broadcast_arrays(*(np.atleast_1d(np.asarray(getattr(self, n), dtype=np.float64)) for n in names))
        for name, array in zip(names, arrays, strict=True):
            bad = ~(np.isfinite(array) & (array > 0))
            if bad.any():
                job = int(np.argmax(bad))
                rule = f"utilities must not be negative nor fall: needs a number above 0, found {array[job]:g}"
                raise InputError(rule, field=f"{name} of job {job}")
            object.__setattr__(self, name, np.array(array))

    def __len__(self) -> int:
        return len(self.scale)

    def value(self, amount: NDArray[np.float64]) -> NDArray[np.float64]:
        """Utility of each amount."""
        raise NotImplementedError

    def log_gain(self, before: NDArray[np.float64], after: NDArray[np.float64]) -> NDArray[np.float64]:
        """Logarithm of value(after) - value(before)."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.value(after) - self.value(before)))

    def take(self: Form, index: Any) -> Form:
        """The same for the jobs at `index`."""
        taken = object.__new__(type(self))  # checked already, and needed in every slot
        for field in fields(self):
            object.__setattr__(taken, field.name, np.array(np.atleast_1d(getattr(self, field.name)[index])))
        return taken


def _column(parameter: NDArray[np.float64], amount: NDArray[np.float64]) -> NDArray[np.float64]:
    return parameter if amount.ndim == 1 else parameter[:, None]


@dataclass(frozen=True)
class SquareRoot(_Form):
    """C sqrt(k): excessive training avoidance."""

    concave: ClassVar[bool] = True

    def value(self, amount: NDArray[np.float64]) -> NDArray[np.float64]:
        """Utility of each amount."""
        return _column(self.scale, amount) * np.sqrt(amount)


@dataclass(frozen=True)
class Logarithm(_Form):
    """C log(1 + k): proportional fairness."""

    concave: ClassVar[bool] = True

    def value(self, amount: NDArray[np.float64]) -> NDArray[np.float64]:
        """Utility of each amount."""
        return _column(self.scale, amount) * np.log1p(amount)


@dataclass(frozen=True)
class NegativeQuadratic(_Form):
    """C (peak^2 - (peak - k)^2), flat beyond the peak: energy."""

    peak: Any
    concave: ClassVar[bool] = True

    def value(self, amount: NDArray[np.float64]) -> NDArray[np.float64]:
        """Utility of each amount."""
        peak = _column(self.peak, amount)
        return _column(self.scale, amount) * (peak**2 - np.maximum(peak - amount, 0.0) ** 2)


@dataclass(frozen=True)
class Sigmoid(_Form):
    """lambda1 / (1 + exp(-lambda2 (k - lambda3))): the evaluation."""

    slope: Any
    middle: Any
    concave: ClassVar[bool] = False

    def value(self, amount: NDArray[np.float64]) -> NDArray[np.float64]:
        """Utility of each amount."""
        middle = _column(self.middle, amount)
        return _column(self.scale, amount) * expit(_column(self.slope, amount) * (amount - middle))

    def log_gain(self, before: NDArray[np.float64], after: NDArray[np.float64]) -> NDArray[np.float64]:
        """Logarithm of value(after) - value(before), exact where the difference itself is too small for a number."""
        gain, shape = np.empty(before.shape), (len(self), before.size // max(len(self), 1))
        rows = (of.reshape(shape) for of in (before, after, gain))
        with np.errstate(divide="ignore"):  # of 0 in plain Python
            _log_gains(self.scale, self.slope, self.middle, *rows)
        return gain


@hot_kernel
def _log_gains(scale: _Reals, slope: _Reals, middle: _Reals, before: _Reals, after: _Reals, gain: _Reals) -> None:
    for i in range(len(gain)):
        for k in range(gain.shape[1]):
            low, high = slope[i] * (before[i, k] - middle[i]), slope[i] * (after[i, k] - middle[i])
            lost = np.log1p(-np.exp(low - high))
            gain[i, k] = np.log(scale[i]) + high + lost - np.logaddexp(0.0, low) - np.logaddexp(0.0, high)
