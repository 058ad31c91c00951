"""Jobs on links after every change of a run, against the law of those that are there, asked from nothing."""

from dataclasses import replace

import numpy as np
import pytest
from link_replay import ALONE, SENDS, SHAPES, trace

from rarlib.cost.linked import laid_out, on_fabric
from rarlib.cost.links.link_sharing import renew_rates
from rarlib.discovery import make_scheduler
from rarlib.fabric.chain import CHAIN_JOBS
from rarlib.fabric.law import free_sending_s, law_space, law_times
from rarlib.fabric.links import ring_links
from rarlib.fabric.routing import STARTS
from rarlib.fabric.sharing import LEAST_COMPUTING, enter
from rarlib.model.cluster import Cluster
from rarlib.simulator import policy
from rarlib.simulator.engine import simulate
from rarlib.simulator.state import RUNNING

SPEED = (1.0, 0.5, 2.0, 1.0, 1.5, 1.0, 0.75, 1.0)


class Uneven:
    """A cost model whose every fourth job sends nothing, and whose every fifth does nothing else."""

    def __init__(self, alone):
        self.alone, self.name = alone, alone.name

    def price(self, jobs, cluster):
        prices, row = self.alone.price(jobs, cluster), np.arange(len(jobs))
        rest = {name: np.where(row % 5 == 1, 1e-9, getattr(prices, name)) for name in ("base_s", "server_s")}
        return prices._replace(link_s=np.where(row % 4 == 2, 0.0, prices.link_s), **rest)


def spanning(s, prices):
    """Jobs that run on several servers and send, with these servers in the order of the allocation rows."""
    jobs = np.flatnonzero((s.job["phase"] == RUNNING) & (s.job["servers"] > 1) & (prices.link_s > 0.0)).tolist()
    first, many = s.job["first_row"], s.job["servers"]
    return {job: s.rows["node"][first[job] : first[job] + many[job]].copy() for job in jobs}


def anew(state, s, prices, nodes):
    """The same jobs on the same fabric, as if all had come in the order of their rows."""
    jobs, links, every = len(s.job), state.links, {}
    for job, own in nodes.items():
        found = np.zeros(len(state.sharing.link), np.int64)
        key = np.uint64(job + STARTS * int(s.job["restarts"][job]))
        every[job] = found[: ring_links(links, key, own.copy(), found, 0)]
    ends = np.cumsum([len(every.get(job, ())) for job in range(jobs)])
    compute_s, size, send_s = np.zeros((3, jobs))
    for job, own in nodes.items():
        speed = min(SPEED[node] for node in own)
        size[job] = prices.link_s[job] / speed
        send_s[job] = size[job] / links.capacity[every[job]].min()
        alone_s = (prices.base_s[job] + prices.server_s[job] * len(own)) / speed
        compute_s[job] = max(alone_s, LEAST_COMPUTING * send_s[job])
    link = np.concatenate([every.get(job, np.zeros(0, np.int64)) for job in range(jobs)])
    fresh = state.sharing._replace(
        compute_s=compute_s, size=size, send_s=send_s, begin=ends - [len(every.get(job, ())) for job in range(jobs)],
        end=ends, link=link, times=np.ones(len(link)), users=np.zeros_like(state.sharing.users),
        user=np.zeros_like(state.sharing.user), user_times=np.zeros_like(state.sharing.user_times),
        changes=np.zeros_like(state.sharing.changes),
    )  # fmt: skip
    for job in nodes:
        enter(fresh, job)
    return fresh, every


def check(state, s, prices):
    """Who is where, times, rates and whom each job watches; nothing is left to renew. Returns how many jobs send."""
    nodes, sharing = spanning(s, prices), state.sharing
    fresh, every = anew(state, s, prices, nodes)
    assert np.flatnonzero(state.on).tolist() == list(nodes)
    assert (s.run[0].changed, state.is_near.sum(), state.is_stale.sum(), s.job["noted"].sum()) == (0, 0, 0, 0)
    for job, crossed in every.items():
        assert sharing.link[sharing.begin[job] : sharing.end[job]].tolist() == crossed.tolist()
        assert sharing.end[job] <= state.used[0]
        assert s.job["link"][job] == pytest.approx(1.0 / state.links.capacity[crossed].min())
    assert sharing.users.tolist() == fresh.users.tolist()
    for link, many in enumerate(fresh.users):
        places = slice(fresh.first_user[link], fresh.first_user[link] + many)
        assert sharing.user[places].tolist() == fresh.user[places].tolist()
    rows, space = list(nodes), law_space(fresh)
    for name in ("compute_s", "size", "send_s"):
        np.testing.assert_allclose(getattr(sharing, name)[rows], getattr(fresh, name)[rows], rtol=1e-12)
    there = np.isin(np.arange(len(s.job)), rows)
    times = law_times(fresh, there, space)
    factor = (times - fresh.compute_s)[rows] / fresh.send_s[rows]
    np.testing.assert_allclose(s.job["factor"][rows], factor, rtol=1e-7)
    seen = {job: [] for job in range(len(s.job))}
    for job in rows:
        np.testing.assert_allclose(state.free_s[job], free_sending_s(fresh, job, space), rtol=1e-9)
        watched = state.watchers.watched[job * (CHAIN_JOBS - 1) : (job + 1) * (CHAIN_JOBS - 1)]
        assert watched.tolist() == space.chosen[1:].tolist()
        for other in watched[watched >= 0]:
            seen[int(other)].append(job)
    for other, those in seen.items():
        found, place = [], state.watchers.first[other]
        while place >= 0:
            found.append(int(place // (CHAIN_JOBS - 1)))
            place = state.watchers.after[place]
        assert sorted(found) == those
    assert (state.traffic.tightest >= 0).tolist() == there.tolist()
    return len(rows)


@pytest.mark.parametrize("shape", ["racks", "leaf-spine"])
@pytest.mark.parametrize(("alone", "alpha"), [(ALONE, 0.3), (SENDS, 0.0)])
def test_rates_are_those_of_the_law_from_nothing(shape, alone, alpha, monkeypatch):
    """After every instant at which a job came or went, on nodes of several speeds, with restarts."""
    many = []

    def watched(state, s, prices, now):
        renew_rates(state, s, prices, now)
        many.append(check(state, s, prices))

    monkeypatch.setattr(policy, "renew_rates", watched)
    fabric, jobs = SHAPES[shape], trace(5, 20)
    cluster = replace(laid_out(Cluster.of([3] * 8), fabric), speed=np.array(SPEED))
    cost = on_fabric(Uneven(alone), fabric, alpha, 3)
    run = simulate(jobs, cluster, make_scheduler("srtf", {"placement": "random"}), cost, restart_s=7.0, compiled=False)
    assert run.restarts.sum() > 0
    assert max(many) >= 4
