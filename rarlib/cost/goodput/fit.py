"""Fitting the seven parameters to observed iterations.

Source: Sia's artifact (SOSP 2023), from Pollux (OSDI 2021). Loss, bounds, rules and start are theirs, the solver ours:

    loss = rms of log T_grad errors + rms of log iteration errors + 0.001 (gamma - 1)^2
           + 0.01 ((beta_n / alpha_n)^2 + (beta_r / alpha_r)^2)

alphas and betas stay above 1e-8, gamma in [1, 10]. Parameters that the observations do not determine are held fixed:

| observed | held |
|---|---|
| one number of samples only | alpha_c at half of the mean T_grad |
| nothing on several nodes | alpha_n, beta_n at 1e-8, then raised to 1.1 alpha_r, 1.1 beta_r |
| nothing on several GPUs of one node | alpha_r, beta_r at 1e-8 |
| nothing beyond two replicas | both betas at 1e-8 |

So scaling that was never seen is predicted to be perfect, which is what makes schedulers explore.

The authors minimise with L-BFGS-B from one start and stop early. Here `rarlib.cost.goodput.descent` goes down from
their start and from one read off the data and keeps the better result: the same observations always give the same
parameters, whatever was fitted before.
"""

import numpy as np
from numpy.typing import NDArray

from rarlib.cost.goodput.descent import COMPUTE, LOCAL, NODES, REPLICAS, STEP, Space, copy, descend
from rarlib.cost.goodput.throughput import TINY
from rarlib.model.jit import hot_kernel


@hot_kernel
def _hold(seen: NDArray[np.float64], s: Space) -> None:
    """Put the authors' start into `now`, and into `held` what the observations do not determine (table above)."""
    several, inside, beyond, alike, mean = False, False, False, True, 0.0
    for i in range(len(seen)):
        several = several or seen[i, NODES] > 1.0
        inside = inside or (seen[i, NODES] == 1.0 and seen[i, REPLICAS] > 1.0)
        beyond = beyond or seen[i, REPLICAS] > 2.0
        alike = alike and seen[i, LOCAL] == seen[0, LOCAL]
        mean += seen[i, COMPUTE] / len(seen)
    for i in range(3):
        s.now[2 * i], s.now[2 * i + 1] = 0.1, 0.01
    s.now[6] = 1.001
    s.held[0], s.held[1], s.held[6] = alike, False, False
    s.held[2], s.held[3] = not several, not (several and beyond)
    s.held[4], s.held[5] = not inside, not (inside and beyond)
    for i in range(2, 6):
        s.now[i] = TINY if s.held[i] else s.now[i]
    if alike:
        s.now[0] = mean / 2.0


@hot_kernel
def _read_off(seen: NDArray[np.float64], s: Space) -> None:
    """Another start: T_grad by least squares of relative errors, T_sync by the mean of iteration times less T_grad."""
    n = xx = xy = yy = x1 = y1 = 0.0
    sums = s.step
    sums[:] = 0.0
    for i in range(len(seen)):
        x, y = 1.0 / seen[i, COMPUTE], seen[i, LOCAL] / seen[i, COMPUTE]
        n, xx, xy, yy, x1, y1 = n + 1.0, xx + x * x, xy + x * y, yy + y * y, x1 + x, y1 + y
        if seen[i, REPLICAS] > 1.0:
            alpha = 2 if seen[i, NODES] > 1.0 else 4
            sums[alpha] += max(seen[i, STEP] - seen[i, COMPUTE], 1e-5)
            sums[alpha + 1] += 1.0
    across = xx * yy - xy * xy
    if s.held[0]:
        s.now[1] = max((y1 - s.now[0] * xy) / yy, TINY)
    elif across > 1e-9 * xx * yy:
        s.now[0], s.now[1] = max((x1 * yy - y1 * xy) / across, 1e-6), max((y1 * xx - x1 * xy) / across, TINY)
    for alpha in (2, 4):
        if not s.held[alpha]:
            s.now[alpha] = sums[alpha] / sums[alpha + 1]
            s.now[alpha + 1] = TINY if s.held[alpha + 1] else 0.01 * s.now[alpha]


@hot_kernel
def fit(seen: NDArray[np.float64], s: Space, p: NDArray[np.float64]) -> float:
    """Parameters p, shape (7,), for observations; returns the loss (before the multi-node parameters are raised).

    Columns of `seen`: nodes, replicas, samples per GPU, T_grad, T_iter; shape (rows, 5), at least one row.
    """
    reached = np.inf
    for attempt in range(2):
        _hold(seen, s)
        if attempt == 1:
            _read_off(seen, s)
        end = descend(seen, s)
        if end < reached:
            reached = end
            copy(s.now, p)
    if s.held[2]:
        p[2], p[3] = max(p[2], 1.1 * p[4]), max(p[3], 1.1 * p[5])
    return reached
