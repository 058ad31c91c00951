"""Run a scheduler over a job table on a cluster."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from rarlib.allocate.placement import CONSOLIDATE, rule_number
from rarlib.model import limits, seeds
from rarlib.model.cluster import Cluster
from rarlib.model.errors import DecisionError, InputError
from rarlib.model.forecast import Forecast
from rarlib.model.jobs import Jobs
from rarlib.model.prices import Prices, own_rows
from rarlib.model.scheduler import Discipline, Scheduler, discipline_of
from rarlib.simulator import compiled as kernels
from rarlib.simulator import compiled_run, identities
from rarlib.simulator.cost_models import CostModel, LinkedModel, RunLinks, TrainingModel
from rarlib.simulator.policy import Driver, LiveView
from rarlib.simulator.run import NO_LINKS, Run
from rarlib.simulator.share import done_share, reporter
from rarlib.simulator.state import RUNNING, WAITING, Ended, State, new_state


class Conventions(NamedTuple):
    """Conventions in which other simulators differ from ours, to reproduce their runs.

    Attributes:
        origin_s: time of the first submission on the other simulator's clock; quantum and tick are counted on that
            clock.
        tick_s: jobs, and phases of their work under a training, end at the nearest multiple of this; 0: ends are exact.
        free_moves: a gang that is stopped and started in the same pass continues without a restart if its new nodes,
            taken in order, have the same types and give it the same numbers of GPUs.
    """

    origin_s: float = 0.0
    tick_s: float = 0.0
    free_moves: bool = False


_NONE = Conventions()  # the clock starts at the first submission, ends are exact, every move is a restart


class Given(NamedTuple):
    """Inputs of a run that is not compiled: random stream, predictions, free moves, shared links."""

    rng: np.random.Generator
    forecast: Forecast
    free_moves: bool = False
    links: RunLinks | None = None


def simulate(  # noqa: PLR0913 - the options of an experiment, all by keyword
    jobs: Jobs,
    cluster: Cluster,
    scheduler: Scheduler,
    cost: CostModel,
    *,
    quantum: float = 0.0,
    whole_slots: bool = False,
    restart_s: float | None = None,
    until_s: float = math.inf,
    conventions: Conventions = _NONE,
    forecast: Forecast | None = None,
    seed: int = 0,
    progress: Callable[[float], None] | None = None,
    compiled: bool | None = None,
) -> Run:
    """Run all jobs to their ends, or up to a given time, and check the identities that every run must satisfy.

    Args:
        jobs: the job table.
        cluster: the cluster.
        scheduler: a fresh scheduler object (it may keep state).
        cost: prices iterations.
        quantum: scheduling passes happen at multiples of this many seconds only; 0: whenever something changes.
        whole_slots: a job holds its GPUs until the end of its last quantum (SJF-BCO eq. 9).
        restart_s: seconds a job that starts again holds its GPUs without progress; None: the cost model's, job by job.
        until_s: the run ends at this time, before its decisions, even if jobs are left.
        conventions: those of another simulator whose runs are to be reproduced.
        forecast: the predictions of job lengths that schedulers are given; None: the true lengths.
        seed: seed of the scheduler's own random stream.
        progress: called from time to time with the share of all work that is done (`rarlib.simulator.share`).
        compiled: force the compiled driver (True) or calls of `decide` (False); None: compiled if possible.

    Raises:
        InputError: for a job that does not fit the cluster or an option out of range.
        DecisionError: when the scheduler asks for something impossible, or jobs are left and nothing will ever happen.
        IdentityError: when the record of the run contradicts itself.
    """
    clock = _clock(quantum, whole_slots, conventions, restart_s, until_s)
    changing = cost if isinstance(cost, TrainingModel) else None
    jobs = _admitted(jobs, cluster, scheduler, changing)
    discipline = _discipline(scheduler, cluster)
    predicted = forecast if forecast is not None else Forecast.exact(len(jobs))
    rule = _compilable(discipline, scheduler, changing is not None or not predicted.is_exact, compiled)
    prices = price_table_of(cost, jobs, cluster, restart_s)
    links = cost.run_links(len(jobs), cluster, prices) if isinstance(cost, LinkedModel) else None
    rng = seeds.stream(seed, "scheduler", scheduler.name)
    state: State | Ended
    if rule is not None:
        inputs = compiled_run.CompiledInputs(jobs, cluster, prices, rule, clock, until_s, rng)
        state = compiled_run.run_compiled(inputs, links, progress)
    else:
        state = new_state(jobs, cluster, prices, levels=() if discipline is None else discipline.levels, **clock)
        state.run["until_s"], state.run["linked"] = until_s, links is not None
        given = Given(rng, predicted, conventions.free_moves, links)
        state = make_driver(state, prices, cost, scheduler, jobs, cluster, given).run(_report(progress, state))
    _check_all_ended(state, until_s, jobs, scheduler)
    run = _recorded(state, jobs, cluster, prices, links)
    del state  # a long run's rows need the memory that the check takes
    # Prices do not know how fast a training's last phase is.
    hold_s = 0.0 if not whole_slots else math.inf if changing is not None else quantum
    identities.check_identities(run, hold_s=hold_s, until_s=until_s)
    return run


def _clock(
    quantum: float, whole_slots: bool, conventions: Conventions, restart_s: float | None, until_s: float
) -> dict[str, Any]:
    """The run's settings of time, all within their ranges."""
    clock: dict[str, Any] = {"quantum": quantum, "whole_slots": whole_slots}
    clock |= {"origin_s": conventions.origin_s, "tick_s": conventions.tick_s}
    check_times(restart_s=restart_s, **clock)
    if not until_s > 0.0:
        raise InputError(f"must be above 0, found {until_s}", field="until_s")
    return clock


def _admitted(jobs: Jobs, cluster: Cluster, scheduler: Scheduler, cost: TrainingModel | None) -> Jobs:
    """The jobs as their training has them, if any, all of which must fit the cluster and suit the scheduler."""
    jobs = cost.admit(jobs, cluster) if cost is not None else jobs
    check_fits(jobs, cluster)
    check_types(scheduler, jobs, cluster, trained=cost is not None)
    return jobs


def _recorded(state: State | Ended, jobs: Jobs, cluster: Cluster, prices: Prices, links: RunLinks | None) -> Run:
    """The record of a run, with what its links carried."""
    if links is None or not isinstance(state, State):
        return Run.of(state, jobs, cluster, prices, NO_LINKS)
    return Run.of(state, jobs, cluster, prices, links.frames(state))


def _report(progress: Callable[[float], None] | None, state: State) -> Callable[[int], None]:
    """What tells the share that is done of all work."""
    if progress is None:
        return lambda finished: None
    return reporter(progress, partial(done_share, state), len(state.job))


def _check_all_ended(state: State | Ended, until_s: float, jobs: Jobs, scheduler: Scheduler) -> None:
    """Say why a run without an end, in which nothing will ever happen, has not ended."""
    if until_s < math.inf or state.run[0].finished == len(jobs):
        return
    if len(running := np.flatnonzero(state.job["phase"] == RUNNING)):
        why = f"job {jobs.job_id[running[0]]} runs, but never ends: not one of its iterations fits a slot"
    else:
        waiting = int(np.argmax(state.job["phase"] == WAITING))
        why = f"job {jobs.job_id[waiting]} waits and nothing runs or will arrive: the scheduler never starts it"
    raise DecisionError(f"scheduler {scheduler.name} at {state.run[0].now:.6f} s: {why}")


def price_table_of(cost: CostModel, jobs: Jobs, cluster: Cluster, restart_s: float | None) -> Prices:
    """The price table, with another time of a restart unless that is None."""
    prices = cost.price(jobs, cluster)
    return prices if restart_s is None else prices._replace(restart_s=np.full(len(jobs), float(restart_s)))


def _compilable(
    discipline: Discipline | None, scheduler: Scheduler, changing: bool, compiled: bool | None
) -> Discipline | None:
    """The discipline to run compiled, or None to call `decide`."""
    if compiled and discipline is None:
        raise InputError(f"scheduler {scheduler.name} declares no discipline, so it cannot run compiled")
    if compiled and changing:
        raise InputError("jobs whose speed changes, or whose predicted length is not exact, cannot run compiled")
    return None if compiled is False or changing else discipline


def make_driver(
    state: State,
    prices: Prices,
    cost: CostModel,
    scheduler: Scheduler,
    jobs: Jobs,
    cluster: Cluster,
    given: Given,
) -> Driver:
    """A driver of the scheduler over a state, with a view of it and, if the cost model has one, a training."""
    live, training = prices, None
    if isinstance(cost, TrainingModel):
        live = own_rows(prices)
        training = cost.train(jobs, cluster, live, scheduler, given.forecast)
    view = LiveView(state, jobs, cluster, prices, given.rng, training, given.forecast)
    return Driver(state, view, scheduler, live, links=given.links, free_moves=given.free_moves)


def _discipline(scheduler: Scheduler, cluster: Cluster) -> Discipline | None:
    if not (cluster.is_gpu.all() or getattr(scheduler, "uses_cpu", False)):
        raise InputError(f"scheduler {scheduler.name} places nothing on CPU task slots", file="cluster")
    discipline = discipline_of(scheduler)
    if discipline is not None:
        _check_discipline(discipline)
    return discipline


def _check_discipline(discipline: Discipline) -> None:
    if discipline.order not in kernels.ORDERS:
        raise InputError(f"unknown order {discipline.order!r}; known: {', '.join(kernels.ORDERS)}", field="order")
    if rule_number(discipline.placement) == CONSOLIDATE and discipline.preemptive:
        raise InputError(
            "consolidate may refuse a gang; choose another placement for a preemptive order", field="placement"
        )
    levels = discipline.levels
    if any(not b > a for a, b in zip((0.0, *levels), levels, strict=False)):
        raise InputError(f"must be positive and ascending, found {levels}", field="levels")


def check_times(*, whole_slots: bool, **seconds: float | None) -> None:
    """Refuse seconds that are not finite numbers of at least 0 below the cap, and whole slots without a quantum.

    Raises:
        InputError: naming the parameter.
    """
    for name, value in seconds.items():
        if value is not None and not 0 <= value <= limits.SECONDS.most:
            rule = f"must be a number of seconds, 0 or more and at most {limits.SECONDS.most:,}, found {value}"
            raise InputError(rule, field=name)
    if whole_slots and not seconds["quantum"]:
        raise InputError("whole slots need a quantum above 0", field="quantum")


def check_fits(jobs: Jobs, cluster: Cluster, file: object = None) -> None:
    """Refuse a job whose gang is larger than the cluster.

    Raises:
        InputError: naming `file` and the job.
    """
    large = np.flatnonzero(jobs.gpus > cluster.total_gpus)
    if len(large):
        job = int(large[0])
        raise InputError(
            f"job {jobs.job_id[job]} asks for {jobs.gpus[job]} GPUs, the cluster has {cluster.total_gpus}",
            file=file,
            field="gpus",
        )


_NAMED = 3
"""Jobs that a message names."""


def check_types(scheduler: Scheduler, jobs: Jobs, cluster: Cluster, *, trained: bool) -> None:
    """Refuse jobs that need more GPUs than any type has, under a scheduler that gives a job GPUs of one type.

    The scheduler's class attribute `one_type` says that it gives a job the GPUs "requested", or at least the "fewest",
    of one type; without it, gangs may span types. Without a training (`trained`), schedulers that resize gangs see one
    type.

    Raises:
        InputError: naming jobs, and what would hold them.
    """
    rule = getattr(scheduler, "one_type", "")
    if not rule or (rule == "fewest" and not trained):
        return
    kinds = np.array(cluster.gpu_type)
    have = {str(kind): int(cluster.gpus[cluster.is_gpu & (kinds == kind)].sum()) for kind in dict.fromkeys(kinds)}
    largest = max(have, key=lambda kind: have[kind])
    need = jobs.gpus if rule == "requested" else jobs.min_gpus
    large = np.flatnonzero(need > have[largest])
    if len(large) == 0:
        return
    named = ", ".join(f"{jobs.job_id[row]} ({need[row]} GPUs)" for row in large[:_NAMED].tolist())
    more = f" and {len(large) - _NAMED} more" if len(large) > _NAMED else ""
    raise InputError(
        f"{scheduler.name} gives a job GPUs of one type, and {largest} has most of them, {have[largest]}, too few for "
        f"{named}{more}; a type with {int(need.max())} GPUs would hold them, or a scheduler whose gangs span types, "
        "such as fifo, backfill, las or srtf",
        field="gpus",
    )
