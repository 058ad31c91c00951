"""Who shares which link, as plain arrays: what the law knows of jobs, without phases. Jobs come and go."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.fabric.case import BYTES_PER_GBIT, SharedCase
from rarlib.model.jit import hot_kernel

LEAST_COMPUTING = 1e-6
"""Computing never takes less than this share of sending: rates of the chain stay finite for a job that always sends."""


class Sharing(NamedTuple):
    """Jobs and links; an exchange counts as one flow, however many flows a job has."""

    compute_s: NDArray[np.float64]  # seconds of computing in an iteration, shape (jobs,)
    size: NDArray[np.float64]  # bytes of the largest flow of each job, shape (jobs,)
    send_s: NDArray[np.float64]  # seconds of an exchange when the job is alone, shape (jobs,)
    begin: NDArray[np.int64]  # where the links of a job begin in `link`, shape (jobs,)
    end: NDArray[np.int64]  # where they end, shape (jobs,)
    link: NDArray[np.int64]  # links of jobs, those of one job together, shape (crossings,)
    times: NDArray[np.float64]  # what the job takes of that link, relative to its largest flow, same shape
    first_user: NDArray[np.int64]  # where the users of a link begin in `user`, shape (links,)
    users: NDArray[np.int64]  # how many jobs use a link now, shape (links,)
    user: NDArray[np.int64]  # jobs on each link, ascending, shape (places,)
    user_times: NDArray[np.float64]  # `times` of that user on that link, same shape
    changes: NDArray[np.int64]  # how often jobs came to a link or left it, shape (links,)
    capacity: NDArray[np.float64]  # bytes/s of each link, shape (links,)
    alpha: float  # loss per further flow on a link


@hot_kernel
def enter(sharing: Sharing, job: int) -> None:
    """Put a job on its links, which are between `begin` and `end`."""
    for at in range(sharing.begin[job], sharing.end[job]):
        link = sharing.link[at]
        place = sharing.first_user[link] + sharing.users[link]
        while place > sharing.first_user[link] and sharing.user[place - 1] > job:
            sharing.user[place], sharing.user_times[place] = sharing.user[place - 1], sharing.user_times[place - 1]
            place -= 1
        sharing.user[place], sharing.user_times[place] = job, sharing.times[at]
        sharing.users[link] += 1
        sharing.changes[link] += 1


@hot_kernel
def leave(sharing: Sharing, job: int) -> None:
    """Take a job off its links."""
    for at in range(sharing.begin[job], sharing.end[job]):
        link = sharing.link[at]
        place = sharing.first_user[link]
        while sharing.user[place] != job:
            place += 1
        sharing.users[link] -= 1
        sharing.changes[link] += 1
        for later in range(place, sharing.first_user[link] + sharing.users[link]):
            sharing.user[later], sharing.user_times[later] = sharing.user[later + 1], sharing.user_times[later + 1]


def sharing_of(case: SharedCase) -> Sharing:
    """What the law knows of a case, before any job enters; priorities, starts and noise are left out."""
    number = {link: i for i, link in enumerate(case.links)}
    capacity = np.array([gbps * BYTES_PER_GBIT for gbps in case.links.values()])
    size = np.array([max((flow.bytes_ for flow in job.flows), default=0.0) for job in case.jobs])
    taken: list[dict[int, float]] = []
    for job, largest in zip(case.jobs, size, strict=True):
        taken.append({})
        for flow in job.flows if largest > 0.0 else ():
            for name, crossed in flow.links.items():
                taken[-1][number[name]] = taken[-1].get(number[name], 0.0) + crossed * flow.bytes_ / largest
    crossings = [(j, at, x) for j, links in enumerate(taken) for at, x in links.items() if x > 0.0]
    owner = np.array([j for j, _, _ in crossings], dtype=np.int64)
    link = np.array([at for _, at, _ in crossings], dtype=np.int64)
    times = np.array([x for _, _, x in crossings], dtype=np.float64)
    send_s = np.zeros(len(size))
    np.maximum.at(send_s, owner, times * size[owner] / capacity[link])
    places = np.bincount(link, minlength=len(capacity))
    jobs = np.arange(len(size))
    return Sharing(
        compute_s=np.maximum([job.compute_s for job in case.jobs], LEAST_COMPUTING * send_s),
        size=size,
        send_s=send_s,
        begin=np.searchsorted(owner, jobs),
        end=np.searchsorted(owner, jobs + 1),
        link=link,
        times=times,
        first_user=np.cumsum(places) - places,
        users=np.zeros(len(capacity), np.int64),
        user=np.zeros(len(link), np.int64),
        user_times=np.zeros(len(link)),
        changes=np.zeros(len(capacity), np.int64),
        capacity=capacity,
        alpha=float(case.alpha),
    )


def everybody(case: SharedCase) -> Sharing:
    """What the law knows of a case when all its jobs have entered."""
    sharing = sharing_of(case)
    for job in range(len(case.jobs)):
        enter(sharing, job)
    return sharing
