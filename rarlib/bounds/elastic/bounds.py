"""Lower bounds on mean JCT and makespan under the goodput model, for every schedule that the simulator can produce.

Whatever a run does, a job in epoch e progresses at most as fast as `rarlib.bounds.elastic.rates` says of its GPUs: at
rate R(k, K, e) on K GPUs of type k. Let t_e be the least time of epoch e, its work over the largest rate; p the sum of
t_e over the job's epochs. Epochs follow each other, and nothing of a job progresses before its release r: submission
(or the next multiple of the quantum) and the delay of its first start, `launch_s`.

*Every job alone.* A job completes at r + p or later.

*One fast machine.* Let a second of a GPU of type k be worth l_k >= 0. To progress through epoch e by dw takes at least
dw a_e, where a_e = min over k, K of l_k K/R(k, K, e). So a job is charged a = sum over e of its work times a_e, and all
GPUs together give sum over k of l_k N_k per second: they do no more than one machine of that speed. On it shortest
remaining area first has the least sum of completions, and jobs released since some time end no earlier than their
areas take from then on (`rarlib.bounds.one_machine`). Any l gives a bound. Those tried divide sum l_k N_k among the
types in steps of a twentieth (of a quarter, for more than three types).

*Priced GPU time.* Let q(t) be the progress of a job until t, measured in least time: q' = (R/R_max)/p at most 1/p. Then
its mean busy time M = int t dq is at most C - p/2, for it is largest, C given, when q' = 1/p right before C. Cut the
epochs into parts, each with its own r_i = r + least times of the parts before, and least time p_i; in part i let
s_i(c) <= 1 be the largest R/R_max of configuration c = (k, K) in any of its epochs. While part i runs as c, let
x_i(c, t) = p q'/s_i(c) <= 1. Then int sum_c x_i s_i dt = p_i, M = (1/p) sum_i int t sum_c x_i s_i dt, and no more GPUs
are held by these x than by the run. With any prices y_k(t) >= 0 and any m_i,

    sum_j C_j >= sum_j p_j/2 + sum_i 1/p_j min_x int sum_c x_i (t s_i(c) + p_j y K) dt - sum_k N_k int y_k dt
              >= sum_j p_j/2 + sum_i 1/p_j (m_i p_i - int max(0, max_c ((m_i - t) s_i(c) - p_j y_k(t) K)) dt)
                 - sum_k N_k int y_k dt,

where t >= r_i. Prices of 0 give *every job alone*. Good prices are searched for by gradient ascent (AdaGrad: Duchi,
Hazan, Singer, JMLR 12, 2011); the prices of every step prove a bound. y is constant between the edges of buckets and
0 after the last.

All work is scaled by the job's data set (`recorded`), which scales all times of a job alike.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.bounds.elastic.dual import Lines, Market, Parts, least
from rarlib.bounds.elastic.rates import Pace, pace
from rarlib.bounds.lower_bounds import MAKESPAN, MEAN_JCT, Bound
from rarlib.bounds.one_machine import serve
from rarlib.cost.goodput.goodput import GoodputCost
from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError
from rarlib.model.jobs import Jobs
from rarlib.model.offers import MOST_REPLICAS
from rarlib.model.prices import first_pass

_PARTS = 4
"""Parts into which the epochs of a job are cut, of about equal least time."""

BUCKETS = 96
"""Buckets of time, each with one price for each GPU type."""

_EFFORT = 100
"""Evaluations of the dual function allowed to the search for prices; 60 come within a thousandth of 200."""

_STEP = 0.3
"""First step of prices, in completion seconds per second of the whole cluster."""


class _Needs(NamedTuple):
    """Least needs of jobs, s; `scale` is the relative size of a job's data set, `capacity` the GPUs of each type."""

    submit: NDArray[np.float64]
    release: NDArray[np.float64]
    scale: NDArray[np.float64]
    app: NDArray[np.int64]
    paces: list[Pace]
    capacity: NDArray[np.float64]

    @property
    def time(self) -> NDArray[np.float64]:
        """Least time of each job, shape (jobs,)."""
        each = np.array([_least_times(known).sum() for known in self.paces])
        return np.asarray(each[self.app] * self.scale)


class ElasticBounds:
    """Bounds on one cluster under one model; rates of applications are computed once and reused for further jobs.

    Raises:
        InputError: for a model of jobs on a fabric, whose links may be faster than those that the bounds assume.
    """

    def __init__(self, cost: GoodputCost, cluster: Cluster) -> None:
        if not isinstance(cost, GoodputCost):
            raise InputError("bounds of elastic jobs take goodput counted by server, not on a fabric", field="fabric")
        self._cost, self._cluster = cost, cluster
        self._paces: dict[str, Pace] = {}
        self._most = MOST_REPLICAS

    def bounds(self, jobs: Jobs, *, quantum: float = 0.0, effort: int = _EFFORT) -> list[Bound]:
        """All bounds for an instance; ends are exact (no `tick_s`).

        Args:
            jobs: as the simulator is given them.
            quantum: as in `rarlib.simulator.engine.simulate`; schedulers with a longer one are bounded as well.
            effort: evaluations allowed to the search for prices; 0: closed forms only.

        Raises:
            InputError: for a job that cannot run, or one of an application without bounds.
        """
        needs = self._needs(self._cost.admit(jobs, self._cluster), quantum)
        alone = needs.release + needs.time
        shares = _shares(len(needs.capacity))
        charged, ends = _fast_machine(needs, shares)
        found = [
            Bound(MAKESPAN, float(alone.max()), "longest job"),
            Bound(MAKESPAN, float(ends.max()), "one fast machine", _described(shares[int(np.argmax(ends))])),
            Bound(MEAN_JCT, float((alone - needs.submit).mean()), "every job alone"),
            Bound(MEAN_JCT, float((charged.max() - needs.submit.sum()) / len(jobs)), "one fast machine"),
        ]
        if effort > 0:
            found.append(Bound(MEAN_JCT, _priced(needs, effort), "priced GPU time"))
        return found

    def _needs(self, jobs: Jobs, quantum: float) -> _Needs:
        names = list(dict.fromkeys(jobs.application.tolist()))
        # Jobs that may hold more than `MOST_REPLICAS` are rare; up to that, the rates serve all instances.
        if jobs.max_gpus.max() > self._most:
            self._paces, self._most = {}, int(jobs.max_gpus.max())
        for name in names:
            if name not in self._paces:
                self._paces[name] = pace(self._cost, name, self._cluster, self._most)
        kinds = np.array(self._cluster.gpu_type)
        return _Needs(
            submit=jobs.submit_s,
            release=first_pass(jobs.submit_s, quantum) + self._cost.price(jobs, self._cluster).launch_s,
            scale=self._cost.scale(jobs, self._cluster),
            app=np.array([names.index(name) for name in jobs.application.tolist()], np.int64),
            paces=[self._paces[name] for name in names],
            capacity=np.array([self._cluster.gpus[kinds == kind].sum() for kind in dict.fromkeys(kinds)], np.float64),
        )


def _least_times(known: Pace) -> NDArray[np.float64]:
    return np.asarray(known.work / known.rate.max(axis=(0, 1)))


def _shares(types: int) -> NDArray[np.float64]:
    """Shares of the capacity's worth by type, shape (choices, types)."""
    steps = 20 if types <= 3 else 4
    return np.array(list(_divided(steps, types)), np.float64) / steps


def _divided(steps: int, types: int) -> Iterator[tuple[int, ...]]:
    """All ways to divide a number of steps among types."""
    if types == 1:
        yield (steps,)
        return
    for first in range(steps + 1):
        yield from ((first, *others) for others in _divided(steps - first, types - 1))


def _described(share: NDArray[np.float64]) -> str:
    return "worth of the GPU types: " + ", ".join(f"{100.0 * part:g} %" for part in share)


def _fast_machine(needs: _Needs, shares: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Sum of completions, and last end, for every choice of worths, whose capacity adds up to 1; shape (choices,)."""
    worth = shares / needs.capacity
    charge = np.zeros((len(shares), len(needs.paces)))
    for a, each in enumerate(needs.paces):
        gpus, can = np.arange(each.rate.shape[1], dtype=np.float64)[None, :, None], each.rate > 0.0
        taken = np.divide(gpus, each.rate, out=np.full(each.rate.shape, np.inf), where=can).min(axis=1)
        with np.errstate(invalid="ignore"):
            priced = np.nan_to_num(worth[:, :, None] * taken, nan=np.inf, posinf=np.inf)
        charge[:, a] = (priced.min(axis=1) * each.work).sum(axis=1)
    order = np.argsort(needs.release, kind="stable")
    area, release = (charge[:, needs.app] * needs.scale)[:, order], needs.release[order]
    completions = np.array([serve(release, each, 1.0, True).finish.sum() for each in area])
    ends = release + np.cumsum(area[:, ::-1], axis=1)[:, ::-1]
    return completions, ends.max(axis=1)


def _priced(needs: _Needs, effort: int) -> float:
    """Largest value of the dual function along AdaGrad's path: each slope is divided by the root of past squares."""
    parts, lines = _parts(needs)
    time = needs.time
    edges = _edges(needs, time)
    types, shape = len(needs.capacity), (len(needs.capacity), len(edges))
    span = np.diff(edges)
    start = parts.release + parts.length
    paid = needs.capacity[:, None] * span
    price, squares, best = np.zeros(shape), np.zeros((types, len(span))), -np.inf
    market = Market(lines, edges, price, np.zeros(len(lines.kind)))
    for _ in range(effort):
        used = np.zeros(shape)
        value = least(parts, market, start, used) - float((paid * price[:, :-1]).sum())
        best = max(best, value)
        slope = (used[:, :-1] - paid) / len(time)
        squares += slope**2
        step = np.divide(slope, np.sqrt(squares), out=np.zeros_like(slope), where=squares > 0.0)
        price[:, :-1] = np.maximum(price[:, :-1] + _STEP / float(needs.capacity.sum()) * step, 0.0)
    return best / len(time) + float((time / 2.0 - needs.submit).mean())


def _edges(needs: _Needs, time: NDArray[np.float64]) -> NDArray[np.float64]:
    """Edges of buckets: half where jobs arrive or may end, half evenly spaced until a while after the last arrival."""
    events = np.concatenate([needs.release, needs.release + 2.0 * time])
    until = float(needs.release.max()) + 2.0 * float(np.median(time))
    some = np.quantile(events, np.linspace(0.0, 1.0, BUCKETS // 2 + 1))
    return np.unique(np.concatenate([[0.0], some, np.linspace(0.0, until, BUCKETS // 2 + 1)]))


def _parts(needs: _Needs) -> tuple[Parts, Lines]:
    """Parts of all jobs, and the configurations of each part of each application."""
    segments, lengths = [], []
    kind: list[int] = []
    gpus: list[float] = []
    speed: list[float] = []
    first = [0]
    for each in needs.paces:
        times = _least_times(each)
        middle = (np.cumsum(times) - times / 2.0) / times.sum()
        of_epoch = np.minimum((middle * _PARTS).astype(np.int64), _PARTS - 1)
        relative = each.rate / each.rate.max(axis=(0, 1))
        numbers = np.unique(of_epoch)
        segments.append(len(first) - 1 + np.arange(len(numbers)))
        lengths.append(np.array([times[of_epoch == number].sum() for number in numbers]))
        for number in numbers:
            best = relative[:, :, of_epoch == number].max(axis=2)
            for k in range(len(best)):
                corners = _corners(best[k])
                kind += [k] * len(corners)
                gpus += corners.astype(float).tolist()
                speed += best[k, corners].tolist()
            first.append(len(kind))
    begin = [np.cumsum(each) - each for each in lengths]
    counts = np.array([len(each) for each in lengths])[needs.app]
    scale = np.repeat(needs.scale, counts)
    length = np.concatenate([lengths[a] for a in needs.app]) * scale
    before = np.concatenate([begin[a] for a in needs.app]) * scale
    return (
        Parts(
            release=np.repeat(needs.release, counts) + before,
            length=length,
            whole=np.repeat(needs.time, counts),
            segment=np.concatenate([segments[a] for a in needs.app]),
        ),
        Lines(np.array(kind, np.int64), np.array(gpus), np.array(speed), np.array(first, np.int64)),
    )


def _corners(speed: NDArray[np.float64]) -> NDArray[np.int64]:
    """GPUs at the corners of the least concave function above the speeds by GPUs, without the corner at 0 GPUs."""
    found = [0]
    top = int(np.argmax(speed))
    while found[-1] < top:
        here = found[-1]
        rest = np.arange(here + 1, top + 1)
        slopes = (speed[rest] - speed[here]) / (rest - here)
        found.append(int(rest[np.flatnonzero(slopes == slopes.max())[-1]]))
    return np.array(found[1:], np.int64)
