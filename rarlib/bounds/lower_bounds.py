"""Proven lower bounds on makespan and mean JCT that hold for every schedule the simulator can produce.

The proof of each method is in the module that computes it. With a quantum and no whole slots, the closed forms are
computed from plain and from rounded needs (`rarlib.bounds.processing`) and the larger value counts.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from rarlib.bounds import completion
from rarlib.bounds.dual_feasible import gangs_that_stay
from rarlib.bounds.job_groups import group
from rarlib.bounds.one_machine import longest_job, released_area, serve
from rarlib.bounds.packing import PackingBound, gang_packing
from rarlib.bounds.processing import Demand, demands, round_up
from rarlib.bounds.server_classes import ServerClasses
from rarlib.model.cluster import Cluster
from rarlib.model.jobs import Jobs
from rarlib.model.prices import Prices

MAKESPAN, MEAN_JCT = "makespan", "mean_jct"
EFFORT = 200


class Bound(NamedTuple):
    """One proven bound.

    Attributes:
        objective: `makespan` or `mean_jct`.
        value_s: no schedule has less, s (slots in slotted instances).
        method: name of the relaxation.
        detail: which of its instances was best, how a linear program ended, what was left out.
    """

    objective: str
    value_s: float
    method: str
    detail: str = ""


def lower_bounds(
    jobs: Jobs,
    cluster: Cluster,
    prices: Prices,
    *,
    quantum: float = 0.0,
    whole_slots: bool = False,
    never_stopped: bool = False,
    effort: int = EFFORT,
) -> list[Bound]:
    """All bounds for an instance.

    Args:
        jobs: the jobs.
        cluster: the cluster.
        prices: the price table of both; its costs are not negative and its `sharing` does not fall.
        quantum: as in `rarlib.simulator.engine.simulate`.
        whole_slots: as there.
        never_stopped: whether only schedules count in which a job, once started, keeps its GPUs until it ends (SJF-BCO
            eq. 3); this allows one bound more.
        effort: rounds of column generation allowed to each linear program; 0: closed forms only.

    Raises:
        InputError: for a job that cannot be done on this cluster.
    """
    needs = demands(jobs, cluster, prices, quantum, whole_slots)
    slot_s = quantum if whole_slots else 0.0
    found = [*_makespans(needs, effort)]
    if effort > 0:
        found += _with_servers(jobs, cluster, prices, needs[0], slot_s, effort)
    if never_stopped:
        found.append(_never_stopped(needs[0], slot_s, max(bound.value_s for bound in found)))
    if whole_slots:
        found = [bound._replace(value_s=_slot_end(bound.value_s, quantum)) for bound in found]
    return [*found, *_mean_jcts(needs, effort)]


def largest_bound(bounds: Iterable[Bound], objective: str) -> Bound:
    """The largest bound on `makespan` or `mean_jct`; the first of equal ones."""
    return max((bound for bound in bounds if bound.objective == objective), key=lambda bound: bound.value_s)


def _makespans(needs: list[Demand], effort: int) -> Iterable[Bound]:
    yield Bound(MAKESPAN, longest_job(needs[0])[0], "longest job")
    values = [released_area(need) for need in needs]
    value, since = max(values)
    yield Bound(MAKESPAN, value, "area", _released(needs[0], since))
    if effort > 0:
        tried = [
            _later(gang_packing(part, effort), need, part, since) for need in needs for since, part in _suffixes(need)
        ]
        yield max(tried, key=lambda bound: bound.value_s)


def _suffixes(need: Demand) -> list[tuple[float, Demand]]:
    """All jobs, and the jobs released since each time that gives a closed form.

    The programs of these jobs therefore give at least the values of the closed forms.
    """
    times = {float(need.release[0]), released_area(need)[1], longest_job(need)[1]}
    return [(since, need.take(need.release >= since)) for since in sorted(times)]


def _later(found: PackingBound | None, need: Demand, part: Demand, since: float, method: str = "gang packing") -> Bound:
    if found is None:
        return Bound(MAKESPAN, since, method, "no work to do")
    value = since + found.value - float(part.slack.max())
    return Bound(MAKESPAN, value, method, f"{_released(need, since)}; {found.detail}")


def _released(need: Demand, since: float) -> str:
    count = int((need.release >= since).sum())
    return "all jobs" if count == len(need.time) else f"{count:,} jobs released from {since:,.0f} s on"


def _with_servers(
    jobs: Jobs, cluster: Cluster, prices: Prices, need: Demand, slot_s: float, effort: int
) -> Iterable[Bound]:
    tried = []
    for since, part in _suffixes(need):
        groups = group(jobs, cluster, prices, np.flatnonzero(need.release >= since), slot_s)
        found = None
        if len(groups.gang):
            found = ServerClasses(groups, cluster, prices, float(part.time.max())).solve(effort)
        tried.append(_later(found, need, part, since, "server classes"))
    yield max(tried, key=lambda bound: bound.value_s)


def _never_stopped(need: Demand, slot_s: float, at_least: float) -> Bound:
    if slot_s > 0.0:
        at_least = _slot_end(at_least, slot_s)
    value = gangs_that_stay(need.gpus, need.time, need.total_gpus, at_least, slot_s)
    return Bound(MAKESPAN, value, "gangs that stay", "no job is stopped; from the largest bound above")


def _slot_end(value: float, quantum: float) -> float:
    """Jobs that hold whole slots end at the end of one."""
    return float(round_up(np.array([value]), quantum)[0])


def _mean_jcts(needs: list[Demand], effort: int) -> Iterable[Bound]:
    served = [serve(need.release, need.area, need.capacity, False) for need in needs]
    pairs = list(zip(needs, served, strict=True))
    yield Bound(MEAN_JCT, max(completion.alone(need) for need in needs), "every job alone")
    yield Bound(MEAN_JCT, max(completion.squashed_areas(need) for need in needs), "squashed areas")
    yield Bound(MEAN_JCT, max(completion.mean_busy_times(*pair) for pair in pairs), "mean busy times")
    if effort > 0:
        value, source = max(completion.priced_gpu_time(*pair) for pair in pairs)
        yield Bound(MEAN_JCT, value, "priced GPU time", source)
