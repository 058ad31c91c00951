"""Links that would carry more than they can: no set of mean iteration times may have its jobs send that much.

A job that sends t seconds over a link in an iteration of T seconds occupies t/T of it. Where these shares add up to
more than 1, the link is full, and fair sharing gives its users the same rate: an exchange takes at least y t there,
with the smallest y for which

    sum over users of t / (c + max(R, y t)) <= 1.

Users whose exchange takes longer anyway (R) are not slowed any further. y is at most the number of users.
"""

import numpy as np
from numpy.typing import NDArray

from rarlib.fabric.sharing import Sharing
from rarlib.model.jit import hot_kernel

_HALVINGS = 60


@hot_kernel
def _occupied(sharing: Sharing, sending_s: NDArray[np.float64], link: int, y: float) -> float:
    """Share of time that a link is busy if exchanges take at least y times their seconds on it."""
    busy = 0.0
    for who in range(sharing.first_user[link], sharing.first_user[link] + sharing.users[link]):
        job = sharing.user[who]
        alone_s = sharing.user_times[who] * sharing.size[job] / sharing.capacity[link]
        busy += alone_s / (sharing.compute_s[job] + max(sending_s[job], y * alone_s))
    return busy


@hot_kernel
def crowding(sharing: Sharing, sending_s: NDArray[np.float64], link: int) -> float:
    """Y of a link: how many times their seconds on it its users' exchanges take at least; 1 if it is not full.

    `sending_s` are the mean seconds of each job's exchange as long as no link is full.
    """
    if _occupied(sharing, sending_s, link, 1.0) <= 1.0:
        return 1.0
    low, high = 1.0, float(sharing.users[link])
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        if _occupied(sharing, sending_s, link, middle) > 1.0:
            low = middle
        else:
            high = middle
    return high


@hot_kernel
def crowded_s(sharing: Sharing, sending_s: NDArray[np.float64], crowded: NDArray[np.float64], job: int) -> float:
    """Mean seconds of a job's exchange when no link carries more than it can, with y of each link in `crowded`."""
    longest = sending_s[job]
    for at in range(sharing.begin[job], sharing.end[job]):
        link = sharing.link[at]
        if crowded[link] > 1.0:
            alone_s = sharing.times[at] * sharing.size[job] / sharing.capacity[link]
            longest = max(longest, crowded[link] * alone_s)
    return longest
