"""Jobs of a run on the links of a fabric: who is on which link, and how long each job's sending takes by the law.

Rates are renewed once for each instant, before time goes on, and only for jobs that a change concerns: those on the
links of a job that came or went, those whose chain holds one of them (`rarlib.fabric.law`), and then those on a link
that all of these make more or less full. Rates are a function of the jobs that run, not of the past.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.cost.links.link_traffic import Traffic, account, find_tightest, no_traffic, skip
from rarlib.fabric.chain import CHAIN_JOBS
from rarlib.fabric.full import crowded_s, crowding
from rarlib.fabric.law import LawSpace, free_sending_s, law_space
from rarlib.fabric.links import SharedLinks, most_crossings, ring_links
from rarlib.fabric.routing import STARTS
from rarlib.fabric.sharing import LEAST_COMPUTING, Sharing, enter, leave
from rarlib.model.jit import hot_kernel
from rarlib.model.prices import Prices
from rarlib.simulator.progress import set_factor, speed_of
from rarlib.simulator.state import RUNNING, State

WATCHED = CHAIN_JOBS - 1
"""Jobs that a job watches at most: those in its chain besides itself."""


class Watchers(NamedTuple):
    """Places job * `WATCHED` + i stand for the i-th job that a job watches; -1 ends a list."""

    watched: NDArray[np.int64]  # the job watched at a place, -1 for none, shape (jobs * WATCHED,)
    first: NDArray[np.int64]  # first place of those who watch a job, shape (jobs,)
    after: NDArray[np.int64]  # next place in the same list, shape (jobs * WATCHED,)
    before: NDArray[np.int64]  # the one before, shape (jobs * WATCHED,)


def no_watchers(jobs: int) -> Watchers:
    """Nobody watches anybody."""
    places = jobs * WATCHED
    return Watchers(np.full(places, -1), np.full(jobs, -1), np.full(places, -1), np.full(places, -1))


@hot_kernel
def watch_nobody(watchers: Watchers, job: int) -> None:
    """A job watches nobody any more."""
    for place in range(job * WATCHED, (job + 1) * WATCHED):
        other = watchers.watched[place]
        if other < 0:
            continue
        before, after = watchers.before[place], watchers.after[place]
        if before < 0:
            watchers.first[other] = after
        else:
            watchers.after[before] = after
        if after >= 0:
            watchers.before[after] = before
        watchers.watched[place] = -1


@hot_kernel
def watch(watchers: Watchers, job: int, nth: int, other: int) -> None:
    """The `nth` job that a job watches is `other`."""
    place = job * WATCHED + nth
    first = watchers.first[other]
    watchers.watched[place] = other
    watchers.before[place], watchers.after[place] = -1, first
    if first >= 0:
        watchers.before[first] = place
    watchers.first[other] = place


class LinkState(NamedTuple):
    """Jobs on links."""

    links: SharedLinks  # the fabric
    sharing: Sharing  # jobs on its links; bytes are seconds of `link_s`, all times those on the job's GPUs
    traffic: Traffic  # what the links carried
    law: LawSpace  # memory of the law
    watchers: Watchers  # jobs, by those in their chains
    free_s: NDArray[np.float64]  # mean seconds of each job's exchange as long as no link is full, shape (jobs,)
    on: NDArray[np.bool_]  # whether a job is on links, shape (jobs,)
    used: NDArray[np.int64]  # places in use of `sharing.link`, shape (1,)
    spare: NDArray[np.int64]  # memory to move links in, as long as `sharing.link`
    near: NDArray[np.int64]  # jobs to renew, shape (jobs,)
    is_near: NDArray[np.bool_]  # whether a job is among them, shape (jobs,)
    stale: NDArray[np.int64]  # links to look at, shape (links,)
    is_stale: NDArray[np.bool_]  # whether a link is among them, shape (links,)


def link_state(links: SharedLinks, jobs: int, slots: int) -> LinkState:
    """Links before any job is on them, for `jobs` jobs on `slots` GPUs and task slots, of which each takes one."""
    crossings, count = 2 * most_crossings(links, slots), len(links.capacity)
    places = int(links.most_users.sum())
    sharing = Sharing(
        compute_s=np.zeros(jobs),
        size=np.zeros(jobs),
        send_s=np.zeros(jobs),
        begin=np.zeros(jobs, np.int64),
        end=np.zeros(jobs, np.int64),
        link=np.zeros(crossings, np.int64),
        times=np.ones(crossings),
        first_user=np.cumsum(links.most_users) - links.most_users,
        users=np.zeros(count, np.int64),
        user=np.zeros(places, np.int64),
        user_times=np.zeros(places),
        changes=np.zeros(count, np.int64),
        capacity=links.capacity,
        alpha=links.alpha,
    )
    return LinkState(
        links=links,
        sharing=sharing,
        traffic=no_traffic(jobs, count),
        law=law_space(sharing),
        watchers=no_watchers(jobs),
        free_s=np.zeros(jobs),
        on=np.zeros(jobs, np.bool_),
        used=np.zeros(1, np.int64),
        spare=np.zeros(crossings, np.int64),
        near=np.zeros(jobs, np.int64),
        is_near=np.zeros(jobs, np.bool_),
        stale=np.zeros(count, np.int64),
        is_stale=np.zeros(count, np.bool_),
    )


@hot_kernel
def _mark(state: LinkState, job: int, many: int) -> int:
    """Put a job among those to renew; returns how many there are."""
    if state.is_near[job]:
        return many
    state.is_near[job] = True
    state.near[many] = job
    return many + 1


@hot_kernel
def _mark_users(state: LinkState, link: int, many: int) -> int:
    """Put the users of a link among the jobs to renew; returns how many there are."""
    sharing = state.sharing
    for who in range(sharing.first_user[link], sharing.first_user[link] + sharing.users[link]):
        many = _mark(state, sharing.user[who], many)
    return many


@hot_kernel
def _mark_around(state: LinkState, job: int, many: int) -> int:
    """Put a job, those on its links and those who watch one of them among the jobs to renew; returns how many."""
    sharing = state.sharing
    for at in range(sharing.begin[job], sharing.end[job]):
        link = sharing.link[at]
        for who in range(sharing.first_user[link], sharing.first_user[link] + sharing.users[link]):
            many = _mark(state, sharing.user[who], many)
            place = state.watchers.first[sharing.user[who]]
            while place >= 0:
                many = _mark(state, place // WATCHED, many)
                place = state.watchers.after[place]
    return many


@hot_kernel
def _move_together(state: LinkState, need: int) -> None:
    """Move the links of all jobs together if there are not enough free places behind them."""
    if state.used[0] + need <= len(state.sharing.link):
        return
    sharing, used = state.sharing, 0
    for job in range(len(state.on)):
        if state.on[job]:
            begin = used
            for at in range(sharing.begin[job], sharing.end[job]):
                state.spare[used] = sharing.link[at]
                used += 1
            sharing.begin[job], sharing.end[job] = begin, used
    for at in range(used):
        sharing.link[at] = state.spare[at]
    state.used[0] = used


@hot_kernel
def put_on(state: LinkState, s: State, prices: Prices, job: int) -> None:
    """Route a job's ring and put the job on its links."""
    sharing, servers = state.sharing, s.job[job].servers
    _move_together(state, most_crossings(state.links, servers))
    nodes = state.spare[:servers]
    for row in range(servers):
        nodes[row] = s.rows[s.job[job].first_row + row].node
    key = np.uint64(job + STARTS * s.job[job].restarts)
    begin = state.used[0]
    end = ring_links(state.links, key, nodes, sharing.link, begin)
    state.used[0] = sharing.end[job] = end
    sharing.begin[job] = begin
    slowest = 0.0
    for at in range(begin, end):
        slowest = max(slowest, 1.0 / state.links.capacity[sharing.link[at]])
    s.job[job].link = slowest
    speed = speed_of(s, prices, job)
    sharing.size[job] = prices.link_s[job] / speed
    sharing.send_s[job] = sharing.size[job] * slowest
    compute_s = (prices.base_s[job] + prices.server_s[job] * servers) / speed
    sharing.compute_s[job] = max(compute_s, LEAST_COMPUTING * sharing.send_s[job])
    if sharing.send_s[job] > 0.0:
        enter(sharing, job)
        skip(state.traffic, s, job)
        state.on[job] = True


@hot_kernel
def take_off(state: LinkState, s: State, job: int) -> None:
    """Account for what a job did on its links, and take it off them."""
    account(state.traffic, state.sharing, s, job)
    state.traffic.tightest[job] = -1
    leave(state.sharing, job)
    state.on[job] = False


@hot_kernel
def _value(state: LinkState, job: int) -> None:
    """Renew what a job's exchange takes as long as no link is full, and whom the job watches for it."""
    state.free_s[job] = free_sending_s(state.sharing, job, state.law)
    watch_nobody(state.watchers, job)
    for nth in range(WATCHED):
        if state.law.chosen[nth + 1] >= 0:
            watch(state.watchers, job, nth, state.law.chosen[nth + 1])


@hot_kernel
def _look_at_links(state: LinkState, many: int) -> int:
    """Which links the jobs to renew are on; how full these are; returns their number."""
    sharing, stale = state.sharing, 0
    for i in range(many):
        job = state.near[i]
        if not state.on[job]:
            continue
        for at in range(sharing.begin[job], sharing.end[job]):
            link = sharing.link[at]
            if not state.is_stale[link]:
                state.is_stale[link] = True
                state.stale[stale] = link
                stale += 1
    for i in range(stale):
        state.law.crowded[state.stale[i]] = crowding(sharing, state.free_s, state.stale[i])
    return stale


@hot_kernel
def _move_jobs(state: LinkState, s: State, prices: Prices) -> int:
    """Take changed jobs off their old links and put them on new ones; returns how many jobs are to be renewed.

    No job is put on before all are off: links have places for the jobs of one instant only.
    """
    many = 0
    for i in range(s.run[0].changed):
        job = s.changed[i]
        if state.on[job]:
            many = _mark_around(state, job, many)
            take_off(state, s, job)
            watch_nobody(state.watchers, job)
    for i in range(s.run[0].changed):
        job = s.changed[i]
        if s.job[job].phase == RUNNING and s.job[job].servers > 1:
            put_on(state, s, prices, job)
            many = _mark(state, job, _mark_around(state, job, many))
    return many


@hot_kernel
def renew_rates(state: LinkState, s: State, prices: Prices, now: float) -> None:
    """Set the rates of all jobs that the changes of this instant concern; the changes are then forgotten."""
    sharing, many = state.sharing, _move_jobs(state, s, prices)
    for i in range(many):
        if state.on[state.near[i]]:
            _value(state, state.near[i])
    stale = _look_at_links(state, many)
    for i in range(stale):
        many = _mark_users(state, state.stale[i], many)
        state.is_stale[state.stale[i]] = False
    for i in range(many):
        job = state.near[i]
        state.is_near[job] = False
        if s.job[job].phase == RUNNING and s.job[job].servers > 1:
            factor = 1.0
            if state.on[job]:
                factor = crowded_s(sharing, state.free_s, state.law.crowded, job) / sharing.send_s[job]
            if factor != s.job[job].factor or s.job[job].noted:
                set_factor(s, prices, job, factor, now)
                if state.on[job]:
                    account(state.traffic, sharing, s, job)
                    find_tightest(state.traffic, sharing, state.free_s, job)
    for i in range(s.run[0].changed):
        s.job[s.changed[i]].noted = 0
    s.run[0].changed = 0
