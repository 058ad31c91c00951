"""The search for the tightest limit theta (Alg. 1, l. 4-24), corrected where it cannot run as printed."""

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import NamedTuple

import numpy as np

from rarlib.model.cluster import Cluster
from rarlib.model.limits import SCANNED
from rarlib.schedulers.shared.planning.batch import Batch, PassSettings
from rarlib.schedulers.shared.planning.choose import SMALL_RULES
from rarlib.schedulers.shared.planning.gpu_state import FINISH, GpuState, idle_gpus
from rarlib.schedulers.shared.planning.idling import idle_pass
from rarlib.schedulers.shared.planning.queueing import first_feasible, next_limit, queue_pass
from rarlib.simulator.state import State, idle_state


class BatchSchedule(NamedTuple):
    """A complete schedule of a batch."""

    batch: Batch  # the gangs in planning order, with their GPUs, planned starts and finishes
    theta: float  # limit with which it was found
    kappa: int  # largest gang that counted as small
    makespan: float  # latest planned finish
    busiest: float  # largest accumulated estimated busy time of a GPU, What_max of the paper (times 1/u), s
    passes: int  # number of passes of the search
    looked: int  # number of GPUs and servers examined in all passes


class Method(NamedTuple):
    """What stays the same in all passes of a search."""

    waits_for_idle: bool  # whether gangs take idle GPUs only; if not, they queue on busy ones
    limit: int  # level on which the limit is tested, `BUSY` or `FINISH`
    rank: int  # level by which GPUs are ranked
    small_rule: str  # name of the rule for small gangs
    widening: float  # lambda_j
    horizon: float  # T, latest finish allowed
    now: float  # time at which planning begins
    step: float = 1.0  # limits are whole multiples of it, s; 1 in slotted time


class Search:
    """Passes over one batch, with the outcomes that rule out further passes."""

    def __init__(self, batch: Batch, cluster: Cluster, method: Method) -> None:
        self._batch, self._cluster, self._method = batch, cluster, method
        self._units = method.step if method.limit == FINISH else batch.units_per_s * method.step
        self._settled: dict[int, list[tuple[float, float]]] = {}
        self._gpus = idle_gpus(cluster.gpus, method.now, method.limit, method.rank)
        self.step = method.step
        self.passes = 0
        self.peak = 0.0
        """Highest level that the last pass reached, in steps."""
        self.short = 0.0
        """By how much the last pass exceeded its limit where it did so least, in steps; inf: nowhere."""

    def improve(self, theta: float, kappa: int, bound: float) -> BatchSchedule | None:
        """The schedule under a limit of `theta` steps, if there is a complete one whose makespan is below `bound`.

        In Alg. 1, l. 15 leaves the loop with a partial schedule whose makespan l. 17 may accept; here an incomplete
        schedule is never accepted.

        A pass that never needed a level above `peak` takes the same decisions under every limit in [peak, theta], since
        a smaller limit only excludes GPUs that it did not choose. The bound only falls during a search, so nothing
        better can be found under those limits, and the pass is not repeated.
        """
        settled = self._settled.setdefault(kappa, [])
        if any(peak <= theta * self._units <= upper for peak, upper in settled):
            self.short = 0.0
            return None
        batch, settings = self._fresh(theta, kappa, bound)
        if self._method.waits_for_idle:
            complete, makespan, peak = idle_pass(self._gpus, self._idle_cluster(), batch, settings)
        else:
            complete, makespan, peak = queue_pass(self._gpus, batch, settings)
        settled.append((peak, settings.theta))
        self.peak, self.short = peak / self._units, float(self._gpus.short[0]) / self._units
        self.passes += 1
        if not complete:
            return None
        longest = busiest(self._gpus, batch)
        return BatchSchedule(batch, theta * self.step, kappa, makespan, longest, self.passes, self.looked)

    @property
    def looked(self) -> int:
        """Number of GPUs and servers examined so far."""
        return int(self._gpus.looked[0])

    def first_feasible(self, kappa: int, first: int, last: int) -> int:
        """Smallest whole number of steps from `first` to `last` that admits a complete schedule, -1 if none does.

        Limits under which a pass takes the decisions of one that failed are not tried.

        Raises:
            InputError: beyond `SCANNED` limits where gangs wait for idle GPUs.
        """
        if self._method.waits_for_idle:
            theta, tried = first, 0
            while theta <= last and self.improve(theta, kappa, np.inf) is None:
                tried += 1
                SCANNED.check(tried, field="step_s")
                theta = next_limit(theta, self.short, last)
            self._settled.pop(kappa, None)
            return theta if theta <= last else -1
        theta = int(first_feasible(self._gpus, *self._fresh(first, kappa, np.inf), self._units, first, last))
        self.passes += (theta if theta > 0 else last) - first + 1
        return theta

    def _fresh(self, theta: float, kappa: int, bound: float) -> tuple[Batch, PassSettings]:
        """A batch to fill, and the settings of a pass."""
        m, n = self._method, len(self._batch.row)
        batch = self._batch._replace(gpus=self._batch.gpus.copy(), start=np.zeros(n), finish=np.zeros(n))
        rule, on_finish = SMALL_RULES[m.small_rule], m.limit == FINISH
        settings = PassSettings(theta * self._units, kappa, m.widening, rule, on_finish, bound, m.horizon, m.now)
        return batch, settings

    def _idle_cluster(self) -> State:
        """The state of a simulation in which gangs may start; it shares space with the one before."""
        s = self._idle
        return s._replace(run=s.run.copy(), job=s.job.copy(), free=s.free.copy(), spanning=s.spanning.copy())

    @cached_property
    def _idle(self) -> State:
        prices, slot_s = self._batch.prices, self._batch.prices.slot_s
        return idle_state(self._cluster, prices, len(self._batch.gpus), quantum=slot_s, whole_slots=slot_s > 0.0)


def busiest(state: GpuState, batch: Batch) -> float:
    """Largest accumulated estimated busy time of a GPU, in seconds (or slots)."""
    return float(state.busy.max()) / batch.units_per_s


def least_conceivable(batch: Batch, gpus: int, limit: int, step_s: float) -> int:
    """Number of steps below which no schedule of the batch exists: the mean level of all GPUs, and the longest gang."""
    added = batch.plain if limit == FINISH else batch.estimate / batch.units_per_s
    return int(np.floor(max(float((batch.gang * added).sum()) / gpus, float(added.max(initial=0.0))) / step_s))


def kappas(gangs: np.ndarray) -> list[int]:
    """Values of kappa that give different schedules.

    kappa has an effect only through the test G_j <= kappa, so the schedule changes only where kappa passes a gang size
    that occurs; trying these values is equivalent to trying all of 1..max G. Below the smallest gang every gang counts
    as large.
    """
    sizes = sorted({int(g) for g in gangs})
    return sizes if sizes[0] == 1 else [1, *sizes]


def bisect(attempt: Callable[[float, float], BatchSchedule | None], horizon: float) -> BatchSchedule | None:
    """Alg. 1, l. 4-6 and l. 19-23 for whole limits (as printed, theta may be a fraction and the loop need not end).

    If no whole limit serves, the horizon itself is tried, which may be a fraction. After a better schedule the search
    goes to smaller limits, otherwise to larger ones. It tests for improvement, not for feasibility, and improvement is
    not monotone in the limit: this is a heuristic, kept as printed. `attempt` gives a better plan than a makespan, or
    None.
    """
    best: BatchSchedule | None = None
    left, right = 1, max(1, int(np.floor(horizon)))
    while left <= right:
        theta = (left + right) // 2
        found = attempt(theta, best.makespan if best else np.inf)
        if found is None:
            left = theta + 1
        else:
            best, right = found, theta - 1
    return best or attempt(horizon, np.inf)


def least_feasible(search: Search, kappa: int, first: int, horizon: float) -> BatchSchedule | None:
    """The plan under the smallest whole limit, from `first` on, that admits one, or under the horizon.

    Limits are tried one by one: a larger one may admit no schedule where a smaller one does, so a bisection may miss
    the smallest.
    """
    last = max(1, int(np.floor(horizon)))
    theta = search.first_feasible(kappa, max(1, first), last)
    return search.improve(theta if theta > 0 else horizon, kappa, np.inf)


def search_shared(search: Search, choices: Iterable[int], horizon: float) -> BatchSchedule | None:
    """One bisection over theta in which every kappa is tried at every limit (Alg. 1 as printed)."""

    def attempt(theta: float, bound: float) -> BatchSchedule | None:
        best: BatchSchedule | None = None
        for kappa in choices:  # l. 7
            found = search.improve(theta, kappa, best.makespan if best else bound)
            best = found or best  # l. 17-18
        return best

    return bisect(attempt, horizon)


def search_all(search: Search, choices: Iterable[int], first: int, horizon: float) -> BatchSchedule | None:
    """Every whole limit from the horizon down to `first` with every kappa: what the bisection of Alg. 1 may miss.

    Limits between one pass's highest level and its limit give the same schedule and are skipped.
    """
    best: BatchSchedule | None = None
    for kappa in choices:
        theta = max(1, int(np.floor(horizon)))
        while theta >= first:
            best = search.improve(theta, kappa, best.makespan if best else np.inf) or best
            theta = min(theta, int(np.ceil(search.peak))) - 1
        best = best or search.improve(horizon, kappa, np.inf)
    return best


def search_per_kappa(search: Search, choices: Iterable[int], horizon: float) -> BatchSchedule | None:
    """A separate bisection for every kappa; returns the best of their results."""
    best: BatchSchedule | None = None
    for kappa in choices:
        found = search_shared(search, [kappa], horizon)
        if found is not None and (best is None or found.makespan < best.makespan):
            best = found
    return best
