"""DRF: progressive filling by hand and against water-filling, on a trace and as a schedule."""

from dataclasses import dataclass, field
from types import SimpleNamespace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rarlib.model.cluster import Cluster
from rarlib.model.decisions import Start, Stop
from rarlib.model.jobs import Jobs
from rarlib.model.offers import Offers
from rarlib.model.scheduler import Running
from rarlib.model.seeds import stream
from rarlib.schedulers.drf import Drf, filled, progressive_filling


@dataclass
class Seen:
    """What a scheduler sees, written down."""

    cluster: Cluster
    waiting: list = field(default_factory=list)
    running: list = field(default_factory=list)
    offers: Offers = field(default_factory=Offers)

    @property
    def prices(self):
        return SimpleNamespace(node_speed=self.cluster.speed)

    @property
    def free(self):
        free = self.cluster.gpus.copy()
        for held in self.running:
            for node, gpus in held.placement:
                free[node] -= gpus
        return free

    @property
    def rng(self):
        return stream(0, "test-drf")

    @property
    def waiting_rows(self):
        return np.array([job.row for job in self.waiting], np.int64)

    @property
    def running_rows(self):
        return np.array([held.job.row for held in self.running], np.int64)

    def job(self, row):
        return next(job for job in (*self.waiting, *(held.job for held in self.running)) if job.row == row)


def elastic(limits):
    low, high = np.array(limits).T
    return Jobs.build(submit_s=np.arange(len(low)), gpus=low, duration_s=np.ones(len(low)), min_gpus=low, max_gpus=high)


def counts(view):
    """GPUs by job after one pass."""
    held = {r.job.row: sum(g for _, g in r.placement) for r in view.running}
    for decision in Drf().decide(view):
        if isinstance(decision, Stop):
            del held[decision.job]
        else:
            held[decision.job] = sum(g for _, g in decision.placement)
    return [held.get(row, 0) for row in range(len(view.waiting) + len(view.running))]


def water_filling(limits, total):
    """Max-min fair shares of one divisible resource: raise a common level, clip at each limit."""
    order, left = np.argsort(limits), float(total)
    shares = np.zeros(len(limits))
    for position, job in enumerate(order):
        shares[job] = min(limits[job], left / (len(limits) - position))
        left -= shares[job]
    return shares


@given(st.lists(st.integers(1, 9), min_size=1, max_size=9), st.integers(1, 40))
def test_whole_gpus_lie_within_one_of_water_filling(limits, total):
    """Elastic from one GPU: rounding apart the shares are max-min fair, and no GPU idles that one could use."""
    jobs = elastic([(1, high) for high in limits])
    got = np.array(counts(Seen(Cluster.of([total]), waiting=list(jobs.rows))))
    fair = water_filling(np.array(limits), total)
    assert (np.abs(got - fair) < 1.0).all()
    assert got.sum() == min(total, sum(limits))


def test_a_newcomer_takes_from_those_who_have_more():
    """Four GPUs held by one job; a second one arrives: the first shrinks to two, on the node it gets."""
    jobs = elastic([(1, 4), (1, 4)])
    view = Seen(Cluster.of([4]), [jobs.rows[1]], [Running(jobs.rows[0], ((0, 4),), 0.0)])
    assert list(Drf().decide(view)) == [Stop(0), Start(0, ((0, 2),)), Start(1, ((0, 2),))]


@given(
    st.lists(st.tuples(st.integers(-1, 2), st.integers(1, 4), st.integers(0, 6)), max_size=9),
    st.lists(st.integers(0, 12), min_size=3, max_size=3),
)
def test_compiled_filling_is_the_general_one(jobs, capacity):
    """GPUs of three types, jobs of each and of none: unit by unit the same as one client after the other."""
    kind, least, extra = (
        (np.array(column, np.int64) for column in zip(*jobs, strict=True)) if jobs else [np.zeros(0, int)] * 3
    )
    most, spare, got = least + extra, list(capacity), [0] * len(jobs)

    def grow(i):
        step = 1 if got[i] else int(least[i])
        if kind[i] < 0 or step > spare[kind[i]] or got[i] + step > most[i]:
            return False
        got[i] += step
        spare[kind[i]] -= step
        return True

    progressive_filling(range(len(jobs)), lambda i: got[i] / max(capacity[kind[i]], 1), grow)
    assert filled(kind, least, most, np.array(capacity)).tolist() == got
