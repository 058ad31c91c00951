"""What links carried, and which of them jobs waited for: sums over a run, link by link.

A job's contention is put down to its *tightest* link: the one on which the seconds of its own exchange, times the share
of time that the others take of the link, are most.

The load of links over time is kept in bins, which become twice as wide whenever the run outgrows them; what a job sent
between two accounts is spread evenly over the time between.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.fabric.sharing import Sharing
from rarlib.model.jit import hot_kernel
from rarlib.simulator.state import State

_MOST_BINS, _MOST_LOADS, _FIRST_BIN_S = 256, 2**22, 1.0
"""Most bins of time; most bins of all links together; width of the first ones, s."""


class Traffic(NamedTuple):
    """Sums over a run, so far."""

    # seconds that each link took for what it carried, at its whole capacity, shape (links,)
    carried_s: NDArray[np.float64]
    contention_s: NDArray[np.float64]  # contention of jobs while the link was their tightest, s, shape (links,)
    tightest: NDArray[np.int64]  # tightest link of each job, -1 if it is on none, shape (jobs,)
    laps: NDArray[np.float64]  # iterations of each job that are in `carried_s`, shape (jobs,)
    delays: NDArray[np.float64]  # contention of each job that is in `contention_s`, s, shape (jobs,)
    since_s: NDArray[np.float64]  # when each job was last accounted for, shape (jobs,)
    load_s: NDArray[np.float64]  # part of `carried_s` in each bin of time, shape (links, bins), bins even
    bin_s: NDArray[np.float64]  # width of a bin, shape (1,)


def no_traffic(jobs: int, links: int) -> Traffic:
    """Sums before a run."""
    bins = 2 ** int(np.log2(np.clip(_MOST_LOADS / links, 2, _MOST_BINS)))
    return Traffic(
        carried_s=np.zeros(links),
        contention_s=np.zeros(links),
        tightest=np.full(jobs, -1),
        laps=np.zeros(jobs),
        delays=np.zeros(jobs),
        since_s=np.zeros(jobs),
        load_s=np.zeros((links, bins)),
        bin_s=np.array([_FIRST_BIN_S]),
    )


@hot_kernel
def _widen(traffic: Traffic, now: float) -> None:
    """Make bins wider until they reach up to now."""
    links, bins = traffic.load_s.shape
    while traffic.bin_s[0] * bins < now:
        traffic.bin_s[0] *= 2.0
        for link in range(links):
            for at in range(bins // 2):
                traffic.load_s[link, at] = traffic.load_s[link, 2 * at] + traffic.load_s[link, 2 * at + 1]
            for at in range(bins // 2, bins):
                traffic.load_s[link, at] = 0.0


@hot_kernel
def _spread(traffic: Traffic, link: int, carried_s: float, begin_s: float, end_s: float) -> None:
    """Spread what a link carried evenly over a span of time."""
    width, bins = traffic.bin_s[0], traffic.load_s.shape[1]
    first, last = min(int(begin_s / width), bins - 1), min(int(end_s / width), bins - 1)
    if first == last:
        traffic.load_s[link, first] += carried_s
        return
    for at in range(first, last + 1):
        inside = min(end_s, (at + 1) * width) - max(begin_s, at * width)
        traffic.load_s[link, at] += carried_s * inside / (end_s - begin_s)


@hot_kernel
def account(traffic: Traffic, sharing: Sharing, s: State, job: int) -> None:
    """Add what a job sent and waited since it was last accounted for; it must be settled, and still on its links."""
    laps, now = s.job[job].laps - traffic.laps[job], s.job[job].settled
    traffic.laps[job] = s.job[job].laps
    _widen(traffic, now)
    for at in range(sharing.begin[job], sharing.end[job]):
        link = sharing.link[at]
        carried_s = laps * sharing.times[at] * sharing.size[job] / sharing.capacity[link]
        traffic.carried_s[link] += carried_s
        _spread(traffic, link, carried_s, traffic.since_s[job], now)
    traffic.since_s[job] = now
    if traffic.tightest[job] >= 0:
        traffic.contention_s[traffic.tightest[job]] += s.job[job].contention_s - traffic.delays[job]
        traffic.delays[job] = s.job[job].contention_s


@hot_kernel
def skip(traffic: Traffic, s: State, job: int) -> None:
    """Leave out what a job did while it was on no links; it comes to be on some now."""
    traffic.laps[job], traffic.delays[job] = s.job[job].laps, s.job[job].contention_s
    traffic.since_s[job] = s.job[job].settled


@hot_kernel
def find_tightest(traffic: Traffic, sharing: Sharing, sending_s: NDArray[np.float64], job: int) -> None:
    """Renew a job's tightest link, given the mean seconds of each exchange; of several, the first in its ring."""
    most = -1.0
    for at in range(sharing.begin[job], sharing.end[job]):
        link, taken = sharing.link[at], 0.0
        for who in range(sharing.first_user[link], sharing.first_user[link] + sharing.users[link]):
            other = sharing.user[who]
            if other != job:
                lap_s = sharing.compute_s[other] + sending_s[other]
                taken += sharing.user_times[who] * sharing.size[other] / sharing.capacity[link] / lap_s
        weight = taken * sharing.times[at] * sharing.size[job] / sharing.capacity[link]
        if weight > most:
            most = weight
            traffic.tightest[job] = link


@hot_kernel
def account_all(traffic: Traffic, sharing: Sharing, on: NDArray[np.bool_], s: State) -> None:
    """Add what is left of all jobs that are on links, shape of `on` (jobs,), at the end of a run."""
    for job in range(len(on)):
        if on[job]:
            account(traffic, sharing, s, job)
