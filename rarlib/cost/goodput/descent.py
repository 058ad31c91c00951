"""Minimising the loss of a fit: a damped Gauss-Newton method within bounds.

The loss is a sum of two root mean squares and of penalties (`rarlib.cost.goodput.fit`). Its curvature is taken as that
of a root rather than of a sum of squares, without second derivatives of the model. Steps are damped until the loss
falls (Levenberg-Marquardt); parameters that a step would push through their bound stay on it. The loss has a kink at a
perfect fit, which is smoothed, at first a lot and then less and less.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.cost.goodput.throughput import TINY, compute_s, exchange_s
from rarlib.model.jit import hot_kernel

PARAMETERS = 7

NODES, REPLICAS, LOCAL, COMPUTE, STEP = range(5)
"""Columns of observations: nodes, replicas, samples per GPU, T_grad in s, T_iter without accumulation in s."""

_TURNS = 100
_TRIALS = 14
_ENOUGH = 1e-9
_FLATS = (1e-4, 1e-7, 1e-10, 1e-14)
"""Added to the mean squares, one value after the other, to smooth the kink at a perfect fit less and less."""


class Space(NamedTuple):
    """Workspace of a fit, which any number of fits can use in turn."""

    now: NDArray[np.float64]
    trial: NDArray[np.float64]
    held: NDArray[np.bool_]
    free: NDArray[np.bool_]
    first: NDArray[np.float64]
    second: NDArray[np.float64]
    pull: NDArray[np.float64]
    gradient: NDArray[np.float64]
    step: NDArray[np.float64]
    hessian: NDArray[np.float64]
    factor: NDArray[np.float64]


def new_space() -> Space:
    """A workspace."""
    n = PARAMETERS
    return Space(
        now=np.zeros(n),
        trial=np.zeros(n),
        held=np.zeros(n, np.bool_),
        free=np.zeros(n, np.bool_),
        first=np.zeros(n),
        second=np.zeros(n),
        pull=np.zeros(n),
        gradient=np.zeros(n),
        step=np.zeros(n),
        hessian=np.zeros((n, n)),
        factor=np.zeros((n, n)),
    )


@hot_kernel
def copy(source: NDArray[np.float64], target: NDArray[np.float64]) -> None:
    """Fill `target` from `source` (an assignment of slices would allocate)."""
    for i in range(len(target)):
        target[i] = source[i]


@hot_kernel
def _predicted(p: NDArray[np.float64], row: NDArray[np.float64]) -> Any:
    """T_grad, T_sync, and the logarithm of the iteration."""
    compute, exchange = compute_s(p, row[LOCAL]), exchange_s(p, row[NODES], row[REPLICAS])
    a, b = math.log(compute), math.log(exchange)
    return compute, exchange, max(a, b) + math.log1p(math.exp(p[6] * (min(a, b) - max(a, b)))) / p[6]


@hot_kernel
def _mean_squares(p: NDArray[np.float64], seen: NDArray[np.float64]) -> Any:
    one = two = 0.0
    for i in range(len(seen)):
        compute, _, total = _predicted(p, seen[i])
        one += math.log(compute / seen[i, COMPUTE]) ** 2
        two += (total - math.log(seen[i, STEP])) ** 2
    return one / len(seen), two / len(seen)


@hot_kernel
def loss(p: NDArray[np.float64], seen: NDArray[np.float64], flat: float = 0.0) -> float:
    """What a fit minimises: the loss of parameters, shape (7,), on observations, shape (rows, 5)."""
    one, two = _mean_squares(p, seen)
    penalty = 1e-3 * (p[6] - 1.0) ** 2 + 1e-2 * ((p[3] / p[2]) ** 2 + (p[5] / p[4]) ** 2)
    return math.sqrt(one + flat) + math.sqrt(two + flat) + penalty


@hot_kernel
def _slopes(p: NDArray[np.float64], row: NDArray[np.float64], s: Space) -> Any:
    """Errors of both logarithms at one observation; their derivatives go to `first` and `second`."""
    compute, exchange, total = _predicted(p, row)
    share = math.exp(p[6] * (math.log(compute) - total))
    s.first[:] = 0.0
    s.second[:] = 0.0
    s.first[0], s.first[1] = 1.0 / compute, row[LOCAL] / compute
    s.second[0], s.second[1] = share * s.first[0], share * s.first[1]
    if row[REPLICAS] > 1.0:
        alpha = 2 if row[NODES] > 1.0 else 4
        s.second[alpha] = (1.0 - share) / exchange
        s.second[alpha + 1] = s.second[alpha] * max(row[REPLICAS] - 2.0, TINY)
    s.second[6] = (share * math.log(compute) + (1.0 - share) * math.log(exchange) - total) / p[6]
    return math.log(compute / row[COMPUTE]), total - math.log(row[STEP])


@hot_kernel
def _curve(seen: NDArray[np.float64], s: Space, flat: float) -> None:
    """Gradient and Hessian (without second derivatives of the model) of the loss at `now`."""
    one, two = _mean_squares(s.now, seen)
    root_one, root_two = math.sqrt(one + flat), math.sqrt(two + flat)
    s.gradient[:] = 0.0
    s.pull[:] = 0.0
    s.hessian[:] = 0.0
    for row in range(len(seen)):
        u, w = _slopes(s.now, seen[row], s)
        for i in range(PARAMETERS):
            x, y = s.first[i] / (len(seen) * root_one), s.second[i] / (len(seen) * root_two)
            s.gradient[i] += u * x
            s.pull[i] += w * y
            for j in range(i + 1):
                s.hessian[i, j] += x * s.first[j] + y * s.second[j]
    for i in range(PARAMETERS):  # a root of a mean square is flatter along its own gradient
        for j in range(i + 1):
            s.hessian[i, j] -= s.gradient[i] * s.gradient[j] / root_one + s.pull[i] * s.pull[j] / root_two
    for i in range(PARAMETERS):
        s.gradient[i] += s.pull[i]
    _add_penalty(s)


@hot_kernel
def _add_penalty(s: Space) -> None:
    s.gradient[6] += 2e-3 * (s.now[6] - 1.0)
    s.hessian[6, 6] += 2e-3
    for alpha in (2, 4):
        ratio = s.now[alpha + 1] / s.now[alpha]
        x, y = -ratio / s.now[alpha], 1.0 / s.now[alpha]
        s.gradient[alpha] += 2e-2 * ratio * x
        s.gradient[alpha + 1] += 2e-2 * ratio * y
        s.hessian[alpha, alpha] += 2e-2 * x * x
        s.hessian[alpha + 1, alpha] += 2e-2 * x * y
        s.hessian[alpha + 1, alpha + 1] += 2e-2 * y * y


@hot_kernel
def _factorise(s: Space, damping: float) -> bool:
    """Cholesky factor of the damped Hessian over the free parameters; False when it is not definite."""
    for i in range(PARAMETERS):
        for j in range(i + 1):
            both = s.free[i] and s.free[j]
            value = s.hessian[i, j] if both else 0.0
            if i == j:
                value = value * (1.0 + damping) + 1e-12 if both else 1.0
            for k in range(j):
                value -= s.factor[i, k] * s.factor[j, k]
            if i == j:
                if value <= 0.0:
                    return False
                s.factor[i, i] = math.sqrt(value)
            else:
                s.factor[i, j] = value / s.factor[j, j]
    return True


@hot_kernel
def _take_step(s: Space) -> None:
    """Set `trial` to `now` plus the step that solves the factorised system, within bounds."""
    for i in range(PARAMETERS):
        value = -s.gradient[i] if s.free[i] else 0.0
        for k in range(i):
            value -= s.factor[i, k] * s.step[k]
        s.step[i] = value / s.factor[i, i]
    for i in range(PARAMETERS - 1, -1, -1):
        for k in range(i + 1, PARAMETERS):
            s.step[i] -= s.factor[k, i] * s.step[k]
        s.step[i] /= s.factor[i, i]
    for i in range(PARAMETERS):
        low, high = (1.0, 10.0) if i == 6 else (TINY, np.inf)
        s.trial[i] = min(max(s.now[i] + s.step[i], low), high) if s.free[i] else s.now[i]


@hot_kernel
def _release(s: Space) -> None:
    """Free the parameters that are not held and that the gradient does not press against their bound."""
    for i in range(PARAMETERS):
        low, high = (1.0, 10.0) if i == 6 else (TINY, np.inf)
        pressed = (s.now[i] <= low and s.gradient[i] > 0.0) or (s.now[i] >= high and s.gradient[i] < 0.0)
        s.free[i] = not (s.held[i] or pressed)


@hot_kernel
def _go_down(seen: NDArray[np.float64], s: Space, flat: float) -> float:
    """Minimise the loss from `now` on; return the loss reached."""
    value, damping, idle = loss(s.now, seen, flat), 1e-3, 0
    for _ in range(_TURNS):
        _curve(seen, s, flat)
        _release(s)
        better = False
        for _ in range(_TRIALS):
            if _factorise(s, damping):
                _take_step(s)
                reached = loss(s.trial, seen, flat)
                if reached < value:
                    better = True
                    break
            damping *= 6.0
        if not better:
            break
        idle = idle + 1 if value - reached < _ENOUGH else 0
        value, damping = reached, max(damping * 0.1, 1e-9)
        copy(s.trial, s.now)
        if idle == 2:
            break
    return value


@hot_kernel
def descend(seen: NDArray[np.float64], s: Space) -> float:
    """Minimise the loss from `now` on over the parameters that are not `held`; return the loss reached."""
    end = np.inf
    for flat in _FLATS:
        end = _go_down(seen, s, flat)
    return end
