"""Pollux at work: what every run must satisfy, and small cases whose outcome is plain."""

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
import pytest

from rarlib.cost.table import price_table
from rarlib.cost.trace import TraceCost
from rarlib.discovery import make_scheduler
from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError
from rarlib.model.jobs import Jobs
from rarlib.model.offers import Offers
from rarlib.model.seeds import stream
from rarlib.schedulers import pollux
from rarlib.schedulers.pollux_parts.nsga2 import search
from rarlib.simulator.engine import Conventions, simulate

QUICK = {"population": 20, "generations": 10}


class Doubling:
    """Jobs whose speed is a power of their GPUs; each knows it once it has run, and may double what it had."""

    def __init__(self, jobs, cluster, prices):
        self.types = tuple(dict.fromkeys(cluster.gpu_type))
        at = [[node for node, kind in enumerate(cluster.gpu_type) if kind == name] for name in self.types]
        self.gpus_per_node = np.array([cluster.gpus[nodes[0]] for nodes in at])
        self.nodes = np.array([len(nodes) for nodes in at])
        self.prices, self.cluster = prices, cluster
        self.seen, self.held = np.zeros(len(jobs), int), np.zeros(len(jobs), int)
        self._starts, self.placements = np.zeros(len(jobs), int), []

    def begin(self, job, placement, variant, done):
        self.held[job] = sum(gpus for _, gpus in placement)
        self.placements.append((job, placement, int(self.seen[job])))
        self.prices.unit[job] = self.held[job] ** 0.8
        self._starts[job] += 1

    @property
    def offers(self):
        return Offers(goodput=self, restarts=self)

    @property
    def profiled_nodes(self):
        return self.nodes

    @property
    def restarts(self):
        return np.maximum(self._starts - 1, 0)

    def progressed(self, jobs):
        self.seen[jobs] = np.maximum(self.seen[jobs], self.held[jobs])

    def goodputs(self, jobs, options, *, shared_limits=True):
        return np.where(self.seen[jobs, None] > 0, options.gpus**0.8 * np.where(options.nodes > 1, 0.9, 1.0), 0.0)

    def limits(self, jobs):
        return np.maximum(2 * self.seen[jobs], 1)[:, None]


@dataclass
class DoublingCost:
    name: ClassVar[str] = "doubling"
    made: Any = None

    def admit(self, jobs, cluster):
        return replace(jobs, min_gpus=np.ones_like(jobs.gpus), max_gpus=np.full_like(jobs.gpus, 64))

    def price(self, jobs, cluster):
        return price_table(jobs, cluster, work=jobs.duration_s, launch_s=20.0, restart_s=20.0)

    def train(self, jobs, cluster, prices, scheduler, forecast):
        self.made = Doubling(jobs, cluster, prices)
        return self.made


def batch(seed, jobs=12, spread=900.0):
    rng = stream(seed, "test-pollux")
    gpus = rng.choice([1, 2, 4], jobs)
    return Jobs.build(submit_s=rng.uniform(0, spread, jobs), gpus=gpus, duration_s=rng.uniform(300, 3000, jobs))


def run(jobs, spec="t4:2x4,a100:1x8", cost=None, **params):
    cost = cost or DoublingCost()
    scheduler = make_scheduler("pollux", {**QUICK, **params})
    return simulate(
        jobs, Cluster.parse(spec), scheduler, cost, quantum=60.0, conventions=Conventions(free_moves=True)
    ), cost


def test_every_start_keeps_to_the_rules():
    """One type; twice the GPUs seen at most, and never more than the smallest type has."""
    result, cost = run(batch(0))
    kinds = Cluster.parse("t4:2x4,a100:1x8").gpu_type
    starts = cost.made.placements
    assert len(starts) > 12
    for _, placement, seen in starts:
        held = sum(gpus for _, gpus in placement)
        assert len({kinds[node] for node, _ in placement}) == 1
        assert held <= min(max(2 * seen, 1), 8)
    assert max(sum(gpus for _, gpus in placement) for _, placement, _ in starts) > 2
    assert result.restarts.sum() == len(starts) - 12


def test_a_lone_job_grows_by_doubling():
    """1, 2, 4 and 8 GPUs, one round after it has been seen to progress."""
    one = Jobs.build(submit_s=[0.0], gpus=[1], duration_s=[5000.0])
    _, cost = run(one, "t4:2x4")
    held = [sum(gpus for _, gpus in placement) for _, placement, _ in cost.made.placements]
    assert held == sorted(held)
    assert held[0] == 1 and held[-1] == 8
    assert all(after <= 2 * before for before, after in pairwise(held))


def test_shares_are_fairer_the_more_negative_p_is():
    """A job that scales perfectly and one that hardly does, on four GPUs, once a restart no longer matters much.

    Relative to two GPUs: 3 and 1 GPUs give speedups of 1.5 and 0.91, the greatest harmonic mean (2 and 2: of 1 and 1);
    4 and 0 give 2 and 0, the greatest mean of eighth powers.
    """
    curve = np.array([np.arange(5) * 1.0, np.minimum(np.arange(5) * 1.0, 1.0 + 0.05 * np.arange(5))])
    jobs = Jobs.build(submit_s=[0.0, 0.0], gpus=[1, 1], duration_s=[2400.0, 2400.0], max_gpus=[4, 4])

    class Curves:
        name = "curves"

        def price(self, jobs, cluster):
            return price_table(jobs, cluster, work=jobs.duration_s, curve=np.array([0, 1]), speedup=curve)

    def held(p):
        result, _ = run(jobs, "1x4", Curves(), p=p)
        frame = result.allocations_frame()
        now = frame[(frame["start_s"] <= 400) & (frame["end_s"] > 400)]
        return now.groupby("job_id")["gpus"].sum().to_dict()

    assert held(-1.0) == {"0": 3, "1": 1}
    assert held(8.0) == {"0": 4}


def test_only_rounds_in_which_something_can_improve_are_searched(monkeypatch):
    """Two jobs run side by side; of four, one waits. A search of every round gives the two the same run."""
    searches = []
    monkeypatch.setattr(pollux, "search", lambda *given, **more: searches.append(1) or search(*given, **more))

    def played(submitted):
        searches.clear()
        jobs = Jobs.build(submit_s=submitted, gpus=[2] * len(submitted), duration_s=[30_000.0] * len(submitted))
        return run(jobs, "2x3", TraceCost(), restart_s=600.0)[0], len(searches)

    two, few = played([0.0, 0.0])
    assert few <= 3
    assert played([0.0, 0.0, 0.0, 600.0])[1] > 100
    monkeypatch.setattr(pollux, "cannot_improve", lambda problem: False)
    searched, every = played([0.0, 0.0])
    assert every >= 500 and searched.turnaround_s.tolist() == two.turnaround_s.tolist()


def test_parameters_out_of_range():
    for name, value in (("population", 0), ("generations", 0), ("round_s", 0.0)):
        with pytest.raises(InputError, match=name):
            make_scheduler("pollux", {name: value})
