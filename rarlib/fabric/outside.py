"""What a link leaves to some of its users, beside others whose phases are averaged over.

Users of a link that think for c_i and are served s_i by fair sharing form a closed queueing network with one customer
per class. Its stationary law is a product and depends on means alone (Baskett, Chandy, Muntz, Palacios 1975; Kelly
1979): beside q flows that send, the set A of others sends with probability proportional to

    W_q(|A|) prod_{i in A} sigma_i prod_{i not in A} c_i,    W_q(m) = prod_{i = 1..m} max(1, u f(q + i)),

sums over all sets of one size being coefficients of prod_i (c_i + sigma_i x). Where another link holds an outside user
back, it sends for sigma_i > t_i, its time on this link, and takes the share u_i = t_i / sigma_i of the link at most; u
is the mean of u_i. On a single link, this aggregation of outside users is exact (Chandy, Herzog, Woo 1975).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.model.jit import hot_kernel

_LARGE = 1e100


class Outsiders(NamedTuple):
    """Outside users of one link."""

    sums: NDArray[np.float64]  # sum over all sets of m users of the products above, shape (most + 1,)
    run: NDArray[np.float64]  # in one place: number of users, sum of duties, sum of duties weighted by u_i; shape (3,)


def outsiders(most: int) -> Outsiders:
    """Memory for that many users of a link."""
    return Outsiders(np.zeros(most + 1), np.zeros(3))


@hot_kernel
def forget(out: Outsiders) -> None:
    """Nobody is outside."""
    out.run[:] = 0.0
    out.sums[0] = 1.0


@hot_kernel
def add_user(out: Outsiders, compute_s: float, send_s: float, here_s: float) -> None:
    """Add a user with c_i, sigma_i and t_i <= sigma_i."""
    users = int(out.run[0])
    total = compute_s + send_s
    c, s = compute_s / total, send_s / total  # scaled, so that products of many stay in range
    out.sums[users + 1] = out.sums[users] * s
    for m in range(users, 0, -1):
        out.sums[m] = out.sums[m] * c + out.sums[m - 1] * s
    out.sums[0] *= c
    out.run[0] += 1.0
    out.run[1] += s
    out.run[2] += s * (here_s / send_s)


@hot_kernel
def left_over(out: Outsiders, q: int, alpha: float) -> float:
    """Mean share of the link's capacity that q further flows get together."""
    users = int(out.run[0])
    if users == 0:
        return q / (q + alpha * (q - 1)) if q > 0 else 1.0
    use = out.run[2] / out.run[1]
    weight, total, share = 1.0, 0.0, 0.0
    for m in range(users + 1):
        n = q + m
        f = n + alpha * (n - 1)
        if m > 0:
            weight *= max(1.0, use * f)
        whole = n / f if n > 0 else 1.0
        total += out.sums[m] * weight
        share += out.sums[m] * weight * max(whole * q / max(n, 1), whole - m * use)
        if weight > _LARGE:
            weight, total, share = weight / _LARGE, total / _LARGE, share / _LARGE
    return share / total
