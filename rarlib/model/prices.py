"""The price table: what a cost model gives to the simulator and to planners.

A cost model is evaluated once per run into plain arrays, so that compiled kernels can price an iteration
without calling back into Python. A `rarlib.model.training.Training` rewrites rows of it during the run. The time of
one iteration of job j spread over S servers, where p jobs share its busiest server, is (SJF-BCO eq. 6 and 8):

    S = 1:  min(cap_s, base_s + local_s)
    S > 1:  min(cap_s, base_s + link_s * sharing[p] * slowest link + server_s * S)

In a run in which jobs share the links of a fabric, the law of `rarlib.fabric.law` takes the place of sharing[p].
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.model.errors import InputError
from rarlib.model.jit import hot_kernel, kernel


class Prices(NamedTuple):
    """Arrays of shape (jobs,) unless said otherwise; times in seconds (or slots, if the work is in slots).

    Attributes:
        work: iterations the job has to do (seconds of recorded duration under the trace model).
        base_s: iteration time without any communication cost.
        local_s: added when all workers share one server.
        link_s: added when the gang spans servers and shares no link (multiplied by `sharing`).
        server_s: added per server when the gang spans servers.
        cap_s: upper limit of the iteration time (inf: none).
        unit: work that one iteration does.
        until: work done at which the row expires and its training is asked for the next one (inf: never).
        launch_s: seconds the job holds its GPUs without progress when it starts for the first time.
        restart_s: the same for later starts.
        sharing: f by number p of jobs that share the busiest server, shape (p_max + 1,); [0] = [1] = 1.
        slot_s: length of a slot when only whole iterations per slot count (phi = floor(slot/tau)); 0: no slots.
        node_speed: relative speed of each node's GPUs, shape (nodes,); a gang runs at its slowest node's.
        node_link: transfer time over each node's link relative to the one `link_s` assumes, shape (nodes,).
        rack: rack of each node, shape (nodes,).
        rack_link: the same for the uplink of each rack, used by gangs that span racks, shape (racks,).
        curve: row of `speedup` the job follows, -1 for a rigid job.
        speedup: rate relative to the requested gang, shape (curves, GPUs + 1).
        gbps: bandwidth that a ring over several servers reserves on each of its links, each way, Gbit/s, shape (jobs,);
            shape (0,): nothing is reserved.
        linked: whether jobs share the links of a fabric, so that the table says only what they cost alone.
        unmeasured: whether a row rests on the nearest measurements because there are none of the placement or batch,
            shape (jobs,); shape (0,): no row does.
    """

    work: NDArray[np.float64]
    base_s: NDArray[np.float64]
    local_s: NDArray[np.float64]
    link_s: NDArray[np.float64]
    server_s: NDArray[np.float64]
    cap_s: NDArray[np.float64]
    unit: NDArray[np.float64]
    until: NDArray[np.float64]
    launch_s: NDArray[np.float64]
    restart_s: NDArray[np.float64]
    sharing: NDArray[np.float64]
    slot_s: float
    node_speed: NDArray[np.float64]
    node_link: NDArray[np.float64]
    rack: NDArray[np.int64]
    rack_link: NDArray[np.float64]
    curve: NDArray[np.int64]
    speedup: NDArray[np.float64]
    gbps: NDArray[np.float64] = np.zeros(0)
    linked: bool = False
    unmeasured: NDArray[np.bool_] = np.zeros(0, np.bool_)

    def take(self, rows: NDArray[np.int64]) -> "Prices":
        """The table of some jobs, by row."""
        return self._replace(**{name: getattr(self, name)[rows] for name in BY_JOB})


BY_JOB = (
    "work", "base_s", "local_s", "link_s", "server_s", "cap_s", "unit", "until", "launch_s", "restart_s", "curve"
)  # fmt: skip
REWRITTEN = ("base_s", "local_s", "link_s", "server_s", "cap_s", "unit", "until")
"""Columns of a job's row that its training may write while the job runs."""


def refuse_links(prices: Prices, who: str) -> None:
    """Refuse a table of jobs on a fabric.

    Args:
        prices: the table.
        who: what needs a table that holds all costs.

    Raises:
        InputError: if jobs share the links of a fabric.
    """
    if prices.linked:
        rule = f"{who} knows jobs by server only and cannot price shared links; leave the fabric out"
        raise InputError(rule, field="fabric")


def own_rows(prices: Prices) -> Prices:
    """A table whose rows a training may rewrite without changing those that others read.

    Its rows hold for a placement, so speeds of nodes and speed-up curves do not change them any further.
    """
    own: dict[str, Any] = dict(zip(REWRITTEN, np.array([getattr(prices, name) for name in REWRITTEN]), strict=True))
    own["unmeasured"] = np.zeros(len(prices.work), np.bool_)
    return prices._replace(node_speed=np.ones_like(prices.node_speed), curve=np.full_like(prices.curve, -1), **own)


def rewritten(prices: Prices) -> NDArray[np.float64]:
    """The columns of `REWRITTEN` of a table of `own_rows`, as one array that changes with them, shape (7, jobs)."""
    return np.asarray(prices.base_s.base)


@hot_kernel
def iteration_s(prices: Prices, job: int, servers: int, sharers: int, link: float = 1.0) -> float:
    """Time of one iteration (SJF-BCO eq. 8) on `servers` servers with `sharers` jobs on the busiest one.

    Contention is counted from 1 (the job itself), and a smaller number stands for 1. `link` is the relative transfer
    time of the slowest link of the ring.
    """
    return stretched_s(prices, job, servers, factor_of(prices, sharers), link)


@hot_kernel
def factor_of(prices: Prices, sharers: int) -> float:
    """How many times longer sending takes with that many jobs on the busiest server; a number below 1 stands for 1."""
    return prices.sharing[min(max(sharers, 1), len(prices.sharing) - 1)]


@hot_kernel
def stretched_s(prices: Prices, job: int, servers: int, factor: float, link: float) -> float:
    """Time of one iteration on `servers` servers whose sending takes `factor` times as long as alone."""
    if servers <= 1:
        return min(prices.cap_s[job], prices.base_s[job] + prices.local_s[job])
    tau = prices.base_s[job] + prices.link_s[job] * factor * link + prices.server_s[job] * servers
    return min(prices.cap_s[job], tau)


@hot_kernel
def iterations_per_s(prices: Prices, job: int, tau: float) -> float:
    """Progress per second; with slots only whole iterations count (SJF-BCO: phi = floor(1/tau))."""
    if prices.slot_s > 0.0:
        # The quotient of two short decimals may fall a rounding error below the whole number it stands for.
        return np.floor(prices.slot_s / tau * (1.0 + 1e-12)) / prices.slot_s
    return 1.0 / tau


@kernel
def alone_per_s(prices: Prices, jobs: NDArray[np.int64]) -> NDArray[np.float64]:
    """Iterations per second of each job alone on one server at speed 1, shape of `jobs`."""
    rates = np.zeros(len(jobs))
    for i in range(len(jobs)):
        rates[i] = iterations_per_s(prices, jobs[i], iteration_s(prices, jobs[i], 1, 1))
    return rates


@hot_kernel
def reach(prices: Prices, nodes: NDArray[np.int64]) -> tuple[int, float, float]:
    """What a gang runs across; `nodes` ascend, and may stand once for each GPU.

    Returns:
        Number of nodes; speed of the slowest; relative transfer time of the slowest link of the gang's ring: its
        nodes' links, and the uplinks of their racks if it spans racks.
    """
    count, last, crosses = 0, -1, False
    speed, link, uplink = np.inf, 0.0, 0.0
    home = prices.rack[nodes[0]]
    for node in nodes:
        if node == last:
            continue
        last = node
        count += 1
        rack = prices.rack[node]
        crosses = crosses or rack != home
        speed = min(speed, prices.node_speed[node])
        link = max(link, prices.node_link[node])
        uplink = max(uplink, prices.rack_link[rack])
    return count, speed, max(link, uplink) if crosses else link


@hot_kernel
def slot_end(time: float, slot_s: float, origin_s: float = 0.0) -> float:
    """`time`, or the end of the slot it falls into: slots end at multiples of `slot_s` on a clock ahead by `origin_s`.

    A rounding error past the end of a slot does not count as the next one.
    """
    if slot_s <= 0.0:
        return time
    return np.ceil((time + origin_s) / slot_s - 1e-9) * slot_s - origin_s


def first_pass(time: NDArray[np.float64], quantum: float, origin_s: float = 0.0) -> NDArray[np.float64]:
    """First instants at or after `time` at which a scheduler that acts at multiples of `quantum` may act, same shape.

    The clock is ahead by `origin_s`; a quantum of 0 means that it may act at any time.
    """
    if quantum <= 0.0:
        return time
    ends = np.ceil((time + origin_s) / quantum - 1e-9) * quantum - origin_s
    return np.asarray(np.maximum(ends, time) + 0.0)  # never -0.0
