"""Run a discipline without leaving compiled code; a long job table chunk by chunk.

A chunk holds the jobs that have not ended and the next ones to arrive. Jobs that have ended leave only the columns
that the record needs, so the state of a run over a long table needs memory for a chunk, not for all jobs.
"""

import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.allocate.placement import rule_number, tiers
from rarlib.model.cluster import Cluster
from rarlib.model.jobs import Jobs
from rarlib.model.prices import BY_JOB, Prices
from rarlib.model.scheduler import Discipline
from rarlib.simulator import compiled as kernels
from rarlib.simulator.clock import cut
from rarlib.simulator.compiled import Queues, new_queues
from rarlib.simulator.cost_models import RunLinks
from rarlib.simulator.run import JOB_RECORD
from rarlib.simulator.share import done_share, reporter
from rarlib.simulator.state import FINISHED, RUNNING, Ended, State, enter_jobs, idle_state, with_capacity

CHUNK = 500_000
"""Jobs that a chunk takes in; it also holds those of earlier chunks that have not ended."""
_EVENTS_PER_REPORT = 100_000


class CompiledInputs(NamedTuple):
    """Inputs of a compiled run."""

    jobs: Jobs  # the job table
    cluster: Cluster  # the cluster
    prices: Prices  # the price table
    discipline: Discipline  # what the scheduler declares
    clock: dict[str, Any]  # `quantum`, `whole_slots`, `origin_s` and `tick_s` of the run
    until_s: float  # end of the run
    rng: np.random.Generator  # the scheduler's own random stream


class _Chunk(NamedTuple):
    """A chunk under way: jobs from row `first` of the job table on, counted from 0 in `state` and `prices`."""

    first: int
    state: State
    prices: Prices
    rule: kernels.Rule
    queues: Queues


def run_compiled(
    given: CompiledInputs, links: RunLinks | None, progress: Callable[[float], None] | None
) -> State | Ended:
    """Run to the end; a run whose jobs share links is one chunk. `progress` gets the share of the work that is done.

    Returns:
        The last state, and of a run in several chunks only what its record needs.
    """
    jobs, n = given.jobs, len(given.jobs)
    ends = [n] if links is not None else list(chunk_ends(jobs.submit_s, CHUNK))
    random = given.rng.integers(0, 2**63, 1, dtype=np.uint64)
    chunk = _begin(given, 0, ends[0], random)
    chunk.state.run["linked"] = links is not None
    chunk = chunk._replace(state=with_capacity(chunk.state, 2 * n + given.cluster.total_gpus))
    columns = _blank(n) if len(ends) > 1 else {}

    def share() -> float:
        return (chunk.first + done_share(chunk.state) * len(chunk.state.job)) / n

    report = reporter(progress, share, n) if progress is not None else (lambda finished: None)
    for end in ends:
        if end > ends[0]:
            chunk = _follow(given, chunk, end, columns)
        chunk, over = _run_chunk(chunk, given.cluster, links, report, end < n)
        if over:
            break
    if math.isfinite(given.until_s) and chunk.first + chunk.state.run[0].finished < n:
        cut(chunk.state, chunk.prices)
    chunk.state.run["finished"] += chunk.first
    report(int(chunk.state.run[0].finished))
    if not columns:
        return chunk.state
    _leave(chunk, len(chunk.state.job), columns)
    return Ended(chunk.state.run, columns, chunk.state.rows)


def chunk_ends(submit_s: NDArray[np.float64], size: int) -> Iterator[int]:
    """Row after the last one of each chunk of at least `size` jobs; jobs submitted at the same time stay together."""
    n, end = len(submit_s), 0
    while end < n:
        end = min(end + size, n)
        if end < n:
            end = int(np.searchsorted(submit_s, submit_s[end - 1], side="right"))
        yield end


def _run_chunk(
    chunk: _Chunk, cluster: Cluster, links: RunLinks | None, report: Callable[[int], None], more_follow: bool
) -> tuple[_Chunk, bool]:
    """Run a chunk to the submission of its last job, and the last chunk to the end; also whether the run is over."""
    state, over, rows = chunk.state, False, int(chunk.state.run[0].rows)
    while not over and not (more_follow and state.run[0].arrived == len(state.job)):
        until_events = int(state.run[0].events) + _EVENTS_PER_REPORT
        over = kernels.run(state, chunk.prices, chunk.rule, chunk.queues, until_events, more_follow)
        if links is not None and not over:
            links.look_ahead(state, chunk.prices)
        if not over:
            state = with_capacity(state, cluster.total_gpus + _EVENTS_PER_REPORT)
            report(chunk.first + int(state.run[0].finished))
    state.rows["job"][rows : int(state.run[0].rows)] += chunk.first
    return chunk._replace(state=state), over


def _begin(given: CompiledInputs, first: int, end: int, random: NDArray[np.uint64]) -> _Chunk:
    """A chunk of which no job has arrived."""
    own = slice(first, end)
    names = (*BY_JOB, "gbps") if len(given.prices.gbps) else BY_JOB
    prices = given.prices._replace(**{name: getattr(given.prices, name)[own] for name in names})
    clock, gpus = given.clock, given.jobs.gpus[own]
    state = idle_state(given.cluster, prices, 0, quantum=clock["quantum"], whole_slots=clock["whole_slots"])
    state.run["origin_s"], state.run["tick_s"], state.run["until_s"] = clock["origin_s"], clock["tick_s"], given.until_s
    enter_jobs(state, prices, given.jobs.submit_s[own], gpus)
    queues = new_queues(gpus)
    rule = kernels.Rule(
        order=kernels.ORDERS[given.discipline.order],
        head_blocks=given.discipline.head_blocks,
        preemptive=given.discipline.preemptive,
        placement=rule_number(given.discipline.placement),
        duration_s=given.jobs.duration_s[own],
        total_gpus=given.cluster.total_gpus,
        capacity=np.sort(given.cluster.gpus)[::-1].copy(),
        tier=tiers(given.cluster.gpu_type, prices.node_speed),
        random=random,
        counts=np.zeros(given.cluster.nodes, np.int64),
        blocked=np.zeros(len(queues.sizes), np.bool_),
        ranked=np.zeros(len(gpus), np.int64),
        granted=np.zeros(len(gpus), np.int64),
        entered=np.zeros(2, np.int64),
    )
    state = state._replace(levels=np.array(given.discipline.levels, dtype=np.float64))
    return _Chunk(first, state, prices, rule, queues)


def _follow(given: CompiledInputs, before: _Chunk, end: int, columns: dict[str, NDArray[Any]]) -> _Chunk:
    """The next chunk: it goes on with the jobs of the one before, but for those up to the first that has not ended."""
    old = before.state
    left = np.flatnonzero(old.job["phase"] != FINISHED)
    gone = int(left[0]) if len(left) else len(old.job)
    _leave(before, gone, columns)
    chunk = _begin(given, before.first + gone, end, before.rule.random)
    new, heap = chunk.state, int(old.run[0].heap)
    new.job[: len(old.job) - gone] = old.job[gone:]
    new.run[:] = old.run
    new.run["finished"] -= gone
    new.run["arrived"] -= gone
    new.free[:], new.spanning[:], new.tenants[:] = old.free, old.spanning, old.tenants - gone
    new.heap[:heap] = old.heap[:heap] - gone
    entered, ranked = before.rule.entered
    running = before.rule.ranked[:ranked]
    running = running[old.job["phase"][running] == RUNNING] - gone
    chunk.rule.ranked[: len(running)] = running
    chunk.rule.entered[:] = max(entered - gone, 0), len(running)
    kernels.queue_again(new, chunk.queues, before.queues.key[gone:], int(chunk.rule.entered[0]))
    return chunk._replace(state=new._replace(rows=old.rows))


def _blank(n: int) -> dict[str, NDArray[Any]]:
    """Columns of jobs that have not arrived."""
    whole = {"restarts", "moves"}
    columns: dict[str, NDArray[Any]] = {name: np.zeros(n, np.int64 if name in whole else float) for name in JOB_RECORD}
    columns["start_s"][:] = columns["finish_s"][:] = np.nan
    return columns | {"done": np.zeros(n), "phase": np.zeros(n, np.int8)}


def _leave(chunk: _Chunk, jobs: int, columns: dict[str, NDArray[Any]]) -> None:
    """Keep the columns of the first jobs of a chunk."""
    for name, column in columns.items():
        column[chunk.first : chunk.first + jobs] = chunk.state.job[name][:jobs]
