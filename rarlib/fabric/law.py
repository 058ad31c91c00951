"""The fast law: mean iteration time of a job, from traffic, capacities and paths, without simulating phases.

    T_j = c_j + R_j,    R_j: mean sending time

The sharers that weigh most on the job, up to `CHAIN_JOBS` with itself, are in a Markov chain over the sets that send,
with max-min fair rates (`rarlib.fabric.chain`). Other users of their links leave those links a mean share
(`rarlib.fabric.outside`). On one link the law is the product form of a closed queueing network, exactly; over several
links it is exact for exponential computing times and sizes if no more than `CHAIN_JOBS` jobs are connected and each of
them shares a link with the job, and an approximation otherwise. No constant is fitted.

Last, exchanges over links that would carry more than they can are lengthened (`rarlib.fabric.full`).

Before that correction, a job's value depends on the jobs it shares a link with, and on those that the jobs in its chain
share one with; with it, also on what these depend on. After a change, no other job needs a new value.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.fabric.case import SharedCase
from rarlib.fabric.chain import CHAIN_JOBS, ChainSpace, chain_space, mean_sending_s
from rarlib.fabric.full import crowded_s, crowding
from rarlib.fabric.link_memory import LinkMemory, find_left, link_memory, sum_demand
from rarlib.fabric.outside import Outsiders, outsiders
from rarlib.fabric.sharing import Sharing, enter, everybody, leave, sharing_of
from rarlib.model.errors import InputError
from rarlib.model.jit import hot_kernel

_SLIGHT = 2e-3
"""A neighbour whose weight is a smaller share of the job's iteration is not in the chain: phases hardly matter."""

_LEAST = 1e-300
"""Least weight of a neighbour: however little it sends, it is one."""


class LawSpace(NamedTuple):
    """Memory that the law works in."""

    near: NDArray[np.int64]  # jobs that share a link with the job, shape (jobs,)
    weight: NDArray[np.float64]  # how much each of them weighs on it, 0 for all others, shape (jobs,)
    place: NDArray[np.int64]  # place of a job in the chain, -1 for all others, shape (jobs,)
    # jobs of the chain of the last value, the job itself first, -1 behind them, shape (CHAIN_JOBS,)
    chosen: NDArray[np.int64]
    seen: NDArray[np.int64]  # 1 for links that have been looked at, shape (links,)
    row: NDArray[np.float64]  # what the jobs of the chain take of one link, shape (CHAIN_JOBS,)
    chain: ChainSpace  # see `ChainSpace`
    out: Outsiders  # see `Outsiders`
    memory: LinkMemory  # see `LinkMemory`
    crowded: NDArray[np.float64]  # see `rarlib.fabric.full`, shape (links,)


def law_space(sharing: Sharing) -> LawSpace:
    """Memory for some jobs."""
    jobs, links = len(sharing.size), len(sharing.capacity)
    return LawSpace(
        near=np.zeros(jobs, np.int64),
        weight=np.zeros(jobs),
        place=np.full(jobs, -1),
        chosen=np.zeros(CHAIN_JOBS, np.int64),
        seen=np.zeros(links, np.int64),
        row=np.zeros(CHAIN_JOBS),
        chain=chain_space(links),
        out=outsiders(jobs),
        memory=link_memory(sharing),
        crowded=np.ones(links),
    )


@hot_kernel
def _weigh(sharing: Sharing, job: int, space: LawSpace) -> int:
    """Weights of the job's neighbours; returns how many there are.

    A neighbour weighs what it uses of a shared link, times the job's seconds on that link, times the demand of all for
    that link; the largest over links.
    """
    many = 0
    for at in range(sharing.begin[job], sharing.end[job]):
        link = sharing.link[at]
        seconds = sharing.times[at] * sharing.size[job] / sharing.capacity[link]
        demand = sum_demand(sharing, space.memory, link)
        for who in range(sharing.first_user[link], sharing.first_user[link] + sharing.users[link]):
            other = sharing.user[who]
            if other == job:
                continue
            if space.weight[other] == 0.0:
                space.near[many] = other
                many += 1
            space.weight[other] = max(space.weight[other], space.memory.ask[who] * seconds * demand, _LEAST)
    return many


@hot_kernel
def _choose(sharing: Sharing, job: int, many: int, space: LawSpace) -> int:
    """Put the job and its weightiest neighbours into the chain, without slight ones; returns how many are in it."""
    slight = _SLIGHT * (sharing.compute_s[job] + sharing.send_s[job])
    space.chosen[:] = -1
    space.chosen[0] = job
    chosen = 1
    while chosen < CHAIN_JOBS and chosen <= many:
        top = -1
        for at in range(many):
            other = space.near[at]
            if space.weight[other] <= 0.0:
                continue
            ahead = top >= 0 and space.weight[other] < space.weight[top]
            if not ahead and (top < 0 or space.weight[other] > space.weight[top] or other < top):
                top = other
        if space.weight[top] < slight:
            break
        space.chosen[chosen] = top
        space.weight[top] = -1.0
        chosen += 1
    for at in range(many):
        space.weight[space.near[at]] = 0.0
    for at in range(chosen):
        space.place[space.chosen[at]] = at
    return chosen


@hot_kernel
def _same_row(space: LawSpace, links: int, jobs: int, using: int) -> int:
    """The chain's link over which the same jobs send the same, or a new one."""
    for link in range(links):
        same = space.chain.using[link] == using
        for place in range(jobs if same else 0):
            same = same and space.chain.times[link, place] == space.row[place]
        if same:
            return link
    return links


@hot_kernel
def _link_chain(sharing: Sharing, jobs: int, space: LawSpace) -> int:
    """Links of the chain's jobs; several over which the same jobs send the same are one, the narrowest."""
    links = 0
    for place in range(jobs):
        job = space.chosen[place]
        space.chain.compute_s[place] = sharing.compute_s[job]
        space.chain.size[place] = sharing.size[job]
        for at in range(sharing.begin[job], sharing.end[job]):
            link = sharing.link[at]
            if space.seen[link] == 1:
                continue
            space.seen[link] = 1
            known, using, inside = find_left(sharing, space.memory, space.out, space.place, space.row, link)
            row = _same_row(space, links, jobs, using)
            for q in range(1, inside + 1):
                capacity = space.memory.capacity[link, known, q]
                if row == links or capacity < space.chain.capacity[row, q]:
                    space.chain.capacity[row, q] = capacity
            if row == links:
                for column in range(jobs):
                    space.chain.times[row, column] = space.row[column]
                space.chain.using[row] = using
                links += 1
    for place in range(jobs):
        job = space.chosen[place]
        space.place[job] = -1
        for at in range(sharing.begin[job], sharing.end[job]):
            space.seen[sharing.link[at]] = 0
    return links


@hot_kernel
def free_sending_s(sharing: Sharing, job: int, space: LawSpace) -> float:
    """Mean seconds of a job's exchange, as long as no link is full; exactly those alone without neighbours."""
    many = _weigh(sharing, job, space)
    if many == 0:
        space.chosen[:] = -1
        return sharing.send_s[job]
    jobs = _choose(sharing, job, many, space)
    links = _link_chain(sharing, jobs, space)
    return max(sharing.send_s[job], mean_sending_s(space.chain, links, jobs))


@hot_kernel
def _each(sharing: Sharing, here: NDArray[np.bool_], space: LawSpace, values: NDArray[np.float64]) -> None:
    for job in range(len(here)):
        if here[job]:
            values[0, job] = free_sending_s(sharing, job, space)
    for link in range(len(sharing.capacity)):
        space.crowded[link] = crowding(sharing, values[0], link)
    for job in range(len(here)):
        if here[job]:
            values[1, job] = sharing.compute_s[job] + crowded_s(sharing, values[0], space.crowded, job)


def law_times(sharing: Sharing, here: NDArray[np.bool_], space: LawSpace) -> NDArray[np.float64]:
    """Mean iteration times, s, of jobs that have entered, shape (jobs,); nan for those that are not `here`."""
    values = np.full((2, len(here)), np.nan)
    _each(sharing, here, space, values)
    return values[1]


def mean_times(case: SharedCase) -> NDArray[np.float64]:
    """Mean iteration time of each job of a case by the law, s, shape (jobs,).

    If jobs stay, all of them share the links for ever. If they leave, a job advances by 1/T iterations a second, with T
    of the set of jobs that are there.

    Raises:
        InputError: the jobs have different priorities; the law has none.
    """
    if len({job.priority for job in case.jobs}) > 1:
        raise InputError("the law knows no priorities; use the grade flow", field=f"priority of instance {case.id}")
    here = np.zeros(len(case.jobs), dtype=bool)
    if not case.leave:
        sharing = everybody(case)
        return law_times(sharing, ~here, law_space(sharing))
    sharing = sharing_of(case)
    space = law_space(sharing)
    start = np.array([job.start_s for job in case.jobs])
    left = np.array([float(job.iterations) for job in case.jobs])
    finish = np.full(len(left), np.nan)
    now = float(start.min())
    while np.isnan(finish).any():
        before, here = here, (start <= now) & np.isnan(finish)
        for job in np.flatnonzero(before & ~here):
            leave(sharing, int(job))
        for job in np.flatnonzero(here & ~before):
            enter(sharing, int(job))
        times = law_times(sharing, here, space)
        ends = np.where(here, now + left * times, np.inf)
        then = min(ends.min(), start[start > now].min(initial=np.inf))
        left[here] -= (then - now) / times[here]
        finish[here & (ends <= then)] = then
        now = then
    mean_s = (finish - start) / np.array([job.iterations for job in case.jobs])
    # Differences of large times may round below what an iteration takes alone.
    return np.maximum(mean_s, sharing.compute_s + sharing.send_s)
