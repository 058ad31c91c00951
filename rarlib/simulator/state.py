"""State of a run: a few record arrays, so that the same primitives serve the compiled and the Python driver.

There are few arrays with many fields, because the cost of a kernel call grows with the number of arrays passed.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.model.cluster import Cluster
from rarlib.model.jit import hot_kernel
from rarlib.model.jobs import Jobs
from rarlib.model.prices import Prices, iteration_s, iterations_per_s

FUTURE, WAITING, RUNNING, FINISHED = range(4)

RUN_DTYPE = np.dtype(
    [
        ("now", "f8"),
        ("pass_due", "f8"),  # time of the next scheduling pass, inf when none is due
        ("quantum", "f8"),
        ("origin_s", "f8"),  # time of the first submission on the clock that quantum and tick use
        ("until_s", "f8"),  # end of the run
        ("tick_s", "f8"),  # phases and jobs end at the nearest multiple of this; 0: at their exact times
        ("area_system", "f8"),  # integrals over time of jobs in the system, jobs waiting, GPUs busy
        ("area_waiting", "f8"),
        ("area_busy", "f8"),
        ("whole_slots", "i8"),
        ("arrived", "i8"),
        ("waiting", "i8"),
        ("busy", "i8"),
        ("finished", "i8"),
        ("rows", "i8"),  # allocation rows in use
        ("heap", "i8"),  # heap entries in use
        ("linked", "i8"),  # whether jobs share the links of a fabric
        ("changed", "i8"),  # jobs in `changed`
        ("expired", "i8"),  # job whose row of the price table has just expired, -1 for none
        ("events", "i8"),
        ("passes", "i8"),
    ]
)
JOB_DTYPE = np.dtype(
    [
        ("submit_s", "f8"),
        ("gpus", "i8"),
        ("work", "f8"),  # iterations requested
        ("alone_rate", "f8"),  # iterations per second on the requested gang, one server, uncontended
        ("phase", "i8"),
        ("done", "f8"),  # iterations done up to `settled`
        ("rate", "f8"),  # iterations per second now
        ("settled", "f8"),  # time up to which progress is accounted for
        ("ready", "f8"),  # a started job holds its GPUs without progress until this time
        ("finish_due", "f8"),
        ("expiry_due", "f8"),  # end of the phase for which its row of the price table is valid
        ("due", "f8"),  # next own event: the finish or the next level
        ("heap_at", "i8"),  # position in the heap, -1 outside
        ("level", "i8"),
        ("sharers", "i8"),  # p of SJF-BCO eq. 6, 0 on one server
        ("factor", "f8"),  # how many times longer than alone its sending takes now
        ("noted", "i8"),  # whether it is in `changed`
        ("laps", "f8"),  # iterations up to `settled`, if jobs share links
        ("speed", "f8"),  # speed of its slowest node
        ("link", "f8"),  # relative transfer time of the slowest link of the ring
        ("held", "i8"),  # GPUs
        ("first_row", "i8"),  # first allocation row of the current interval
        ("servers", "i8"),
        ("start_s", "f8"),
        ("finish_s", "f8"),
        ("queue_s", "f8"),
        ("useful_s", "f8"),
        ("contention_s", "f8"),
        ("overhead_s", "f8"),
        ("restart_s", "f8"),  # the part of the overhead due to launch and restarts
        ("gpu_seconds", "f8"),
        ("restarts", "i8"),
        ("moves", "i8"),  # moves to other GPUs without a restart
        ("unmeasured_s", "f8"),  # progress made on times of the nearest measurements
    ]
)
ROW_DTYPE = np.dtype([("job", "i8"), ("node", "i8"), ("gpus", "i8"), ("start_s", "f8"), ("end_s", "f8")])


class State(NamedTuple):
    """Arrays of a run."""

    run: "np.recarray[Any, np.dtype[Any]]"  # clock and counters, shape (1,), `RUN_DTYPE`
    job: "np.recarray[Any, np.dtype[Any]]"  # per job, shape (jobs,), `JOB_DTYPE`
    free: NDArray[np.int64]  # free GPUs of each node, shape (nodes,)
    # whether a node has GPUs (`free` also counts CPU task slots, which are not GPUs), shape (nodes,)
    is_gpu: NDArray[np.bool_]
    spanning: NDArray[np.int64]  # number of jobs on each node that span servers, shape (nodes,)
    tenants: NDArray[np.int64]  # rows of these jobs, shape (nodes, most GPUs of a node)
    # jobs that started, stopped or got another row of prices at this instant, if jobs share links; their rates are set
    # before time goes on (`rarlib.cost.links.link_sharing`), shape (jobs,)
    changed: NDArray[np.int64]
    # running jobs by next own event, then by row; from the end backwards, jobs in the order in which they finished
    heap: NDArray[np.int64]  # shape (jobs,)
    # allocation rows, one per job, node and interval, `ROW_DTYPE`; the array grows
    rows: "np.recarray[Any, np.dtype[Any]]"
    levels: NDArray[np.float64]  # attained GPU-seconds at which a running job triggers a scheduling pass


class Ended(NamedTuple):
    """What is left of a run when it has ended."""

    run: "np.recarray[Any, np.dtype[Any]]"  # clock and counters, shape (1,), `RUN_DTYPE`
    job: Mapping[str, NDArray[Any]]  # columns of `JOB_DTYPE` that the record of a run is made of, shape (jobs,)
    rows: "np.recarray[Any, np.dtype[Any]]"  # allocation rows, `ROW_DTYPE`


def new_state(
    jobs: Jobs,
    cluster: Cluster,
    prices: Prices,
    *,
    quantum: float = 0.0,
    whole_slots: bool = False,
    origin_s: float = 0.0,
    tick_s: float = 0.0,
    levels: tuple[float, ...] = (),
) -> State:
    """State before the first arrival."""
    state = idle_state(cluster, prices, 2 * len(jobs) + cluster.total_gpus, quantum=quantum, whole_slots=whole_slots)
    state.run["origin_s"], state.run["tick_s"] = origin_s, tick_s
    enter_jobs(state, prices, jobs.submit_s, jobs.gpus)
    return state._replace(levels=np.array(levels, dtype=np.float64))


def enter_jobs(state: State, prices: Prices, submit_s: NDArray[np.float64], gpus: NDArray[np.int64]) -> None:
    """Write what the job table says into an idle state; all arrays have shape (jobs,)."""
    state.job["submit_s"], state.job["gpus"] = submit_s, gpus
    _set_alone_rates(prices, state.job)


def idle_state(
    cluster: Cluster, prices: Prices, rows: int, *, quantum: float = 0.0, whole_slots: bool = False
) -> State:
    """State in which every GPU is free, with space for `rows` allocation rows."""
    n, nodes = len(prices.work), cluster.nodes
    run = _records(1, RUN_DTYPE)
    run["pass_due"], run["until_s"], run["expired"] = np.inf, np.inf, -1
    run["quantum"], run["whole_slots"] = quantum, whole_slots
    job = _records(n, JOB_DTYPE)
    job["work"], job["heap_at"] = prices.work, -1
    job["start_s"] = job["finish_s"] = np.nan
    return State(
        run=run,
        job=job,
        free=cluster.gpus.copy(),
        is_gpu=cluster.is_gpu,
        spanning=np.zeros(nodes, np.int64),
        tenants=np.zeros((nodes, int(cluster.gpus.max())), np.int64),
        changed=np.zeros(n, np.int64),
        heap=np.zeros(n, np.int64),
        rows=_records(rows, ROW_DTYPE),
        levels=np.zeros(0),
    )


@hot_kernel
def _set_alone_rates(prices: Prices, job: NDArray[Any]) -> None:
    for j in range(len(job)):
        job[j].alone_rate = prices.unit[j] * iterations_per_s(prices, j, iteration_s(prices, j, 1, 1))


def with_capacity(state: State, rows: int) -> State:
    """The state with space for at least `rows` more allocation rows."""
    used = int(state.run[0].rows)
    if used + rows <= len(state.rows):
        return state
    grown = _records(max(2 * len(state.rows), used + rows), ROW_DTYPE)
    grown[:used] = state.rows[:used]
    return state._replace(rows=grown)


def _records(size: int, dtype: np.dtype[Any]) -> "np.recarray[Any, np.dtype[Any]]":
    return np.zeros(size, dtype).view(np.recarray)
