"""Instances of GADGET's evaluation: jobs, servers, racks and links (INFOCOM 2022, section VI).

| paper | here | unit |
|---|---|---|
| S, T | `_SERVERS`, `SLOTS` | servers, slots |
| a_i | `Instance.arrival`, counted from 0 | slots |
| N_i, F_i, zeta_i, b_i | `_LIMIT`, `BUDGET`, `SPEED`, `JOB_GBPS`; fields of `SlotJobs` | see there |
| lambda1, lambda2, lambda3 | `PRIORITY`, `Reading.slope`, `EXPECTED`; fields of `Sigmoid` | see there |

The paper draws everything uniformly from stated ranges. Some of its statements contradict each other, and some choices
are left open; `READINGS` lists complete readings. The headline follows a rule that was fixed before any figure was
compared: the equations and the table of settings are used as printed, even where the text disagrees, and for what they
leave open the simplest choice is made. So F_i bounds worker-slots (eq. 3; the text calls it iterations, and as
worker-slots it never binds, since 5 workers over 200 slots stay below it), the sigmoid's slope is uniform on (0, 1),
FIFO and Tiresias give 1 to 10 workers although N_i is at most 5, and arrivals are Poisson, given their number, because
the paper does not state the arrival pattern of its trace.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rarlib.cost.reserved import TreeNetwork
from rarlib.cost.utilities import Sigmoid
from rarlib.ilp.gadget.problem import SlotJobs
from rarlib.model.errors import InputError
from rarlib.model.seeds import stream

SLOTS, _SERVERS, MOST_JOBS = 200, 50, 100
_SERVER_SIZES, RACKS = (1, 2, 4, 8), (2, 5)
LINK_GBPS, RACK_GBPS, JOB_GBPS = (10.0, 100.0), (200.0, 3200.0), (0.1, 5.0)
_LIMIT, BUDGET, SPEED, _FIXED = (1, 5), (1000, 6000), (50, 500), (1, 10)
PRIORITY, EXPECTED = (1, 100), (300, 3000)


@dataclass(frozen=True)
class Reading:
    """A choice for what the paper leaves open or states in two ways.

    Attributes:
        iterations: whether F_i counts iterations; if not, worker-slots, as printed in eq. 3.
        slope: range of lambda2, per iteration.
        capped: whether a baseline's fixed workers are limited to N_i.
        arrivals: `poisson`, `batch` (all in the first slot) or `trace` (submissions of a recorded trace, rescaled).
        slower: divisor of zeta_i; not a reading, but a hypothetical case with GPUs as scarce as the paper says.
    """

    iterations: bool = False
    slope: tuple[float, float] = (0.0, 1.0)
    capped: bool = False
    arrivals: str = "poisson"
    slower: float = 1.0


READINGS = {
    "headline": Reading(),
    "iterations": Reading(iterations=True),
    "smooth": Reading(slope=(0.001, 0.01)),
    "capped": Reading(capped=True),
    "batch": Reading(arrivals="batch"),
    "scattered": Reading(arrivals="batch"),
    "links": Reading(arrivals="batch"),
    "batch-smooth": Reading(arrivals="batch", slope=(0.001, 0.01)),
    "trace-arrivals": Reading(arrivals="trace"),
    **{f"slower-{factor}": Reading(slower=factor) for factor in (20, 80)},
}


@dataclass(frozen=True)
class Instance:
    """Jobs in the order of their arrivals, and the network.

    Attributes:
        network: servers, racks, links.
        jobs: the jobs as GADGET sees them.
        gangs: the same jobs with the fixed number of workers that FIFO and Tiresias give them.
        arrival: first slot of each job, shape (jobs,).
    """

    network: TreeNetwork
    jobs: SlotJobs
    gangs: SlotJobs
    arrival: NDArray[np.int64]


def instance(
    seed: int,
    jobs: int,
    reading: Reading = READINGS["headline"],
    *,
    network: TreeNetwork | None = None,
    submissions: NDArray[np.float64] | None = None,
) -> Instance:
    """The instance of a seed, the same for all schedulers: the first `jobs` of its hundred jobs.

    Args:
        seed: of the instance.
        jobs: 1 to 100.
        reading: what the paper leaves open.
        network: None: the one of Figures 4 and 7, `fig4_network`.
        submissions: submission times of a recorded trace, ascending, at least 100; needed for `trace` arrivals.

    Raises:
        InputError: for a number of jobs out of range, or `trace` arrivals without a trace.
    """
    if not 1 <= jobs <= MOST_JOBS:
        raise InputError(f"must be 1 to {MOST_JOBS}, found {jobs}", field="jobs")
    arrival = _arrivals(seed, reading.arrivals, submissions)[:jobs]
    order = np.argsort(arrival, kind="stable")

    def whole(name: str, bounds: tuple[int, int]) -> NDArray[np.int64]:
        return stream(seed, "gadget", name).integers(bounds[0], bounds[1] + 1, MOST_JOBS)[order]

    def real(name: str, bounds: tuple[float, float]) -> NDArray[np.float64]:
        draw = 1.0 - stream(seed, "gadget", name).random(MOST_JOBS)[order]  # in (0, 1]: a slope of 0 is invalid
        return bounds[0] + (bounds[1] - bounds[0]) * draw

    limit, fixed = whole("limit", _LIMIT), whole("fixed", _FIXED)
    all_jobs = SlotJobs.build(
        utility=Sigmoid(whole("priority", PRIORITY), real("slope", reading.slope), whole("expected", EXPECTED)),
        largest=limit,
        bandwidth=real("bandwidth", JOB_GBPS),
        efficiency=whole("speed", SPEED) / reading.slower,
        budget=whole("budget", BUDGET),
        budget_counts="iterations" if reading.iterations else "worker-slots",
    )
    fixed = np.minimum(fixed, limit) if reading.capped else fixed
    gangs = replace(all_jobs, smallest=fixed, largest=fixed)
    return Instance(network or fig4_network(seed), all_jobs, gangs, arrival[order])


def fig4_network(seed: int) -> TreeNetwork:
    """50 servers of 1, 2, 4 or 8 GPUs in 2 to 5 racks, links as stated."""
    return _tree(seed, stream(seed, "gadget", "servers").choice(_SERVER_SIZES, _SERVERS))


def fig5_network(seed: int, factor: float) -> TreeNetwork:
    """The network of Figure 5: `factor` units of 100 GPUs, spread evenly over the 50 servers; links as stated.

    A server has 1 to 8 GPUs, so a unit of 100 GPUs can only be a share of the whole cluster.
    """
    return _tree(seed, _even(100 * factor))


def fig6_network(seed: int, factor: float, unit: str = "uplink") -> TreeNetwork:
    """The network of Figure 6: `factor` units of 200 Gbit/s of edge resource.

    Args:
        seed: of the instance.
        factor: number of units.
        unit: `uplink`: each rack's uplink has this capacity, on the servers of Figure 4; `links`: all server links
            share it evenly, as servers share GPUs in Figure 5; `uplink-400`: as `uplink`, on 400 GPUs spread evenly,
            because the published values at factors 1 to 4 are those of Figure 5 with 400 GPUs.
    """
    sizes, gbps = stream(seed, "gadget", "servers").choice(_SERVER_SIZES, _SERVERS), 200.0 * factor
    if unit == "links":
        return _tree(seed, sizes, link_gbps=gbps / _SERVERS)
    return _tree(seed, _even(400) if unit == "uplink-400" else sizes, rack_gbps=gbps)


def _even(gpus: float) -> NDArray[np.int64]:
    return np.full(_SERVERS, int(gpus) // _SERVERS)


def _tree(
    seed: int, sizes: NDArray[np.int64], link_gbps: float | None = None, rack_gbps: float | None = None
) -> TreeNetwork:
    """Servers in racks, drawn for the seed; a capacity that is given replaces the ones drawn."""
    rng = stream(seed, "gadget", "racks")
    racks = int(rng.integers(RACKS[0], RACKS[1] + 1))
    rack = rng.integers(0, racks, _SERVERS)
    up, link = rng.uniform(*RACK_GBPS, racks), rng.uniform(*LINK_GBPS, _SERVERS)
    return TreeNetwork.build(
        sizes, link if link_gbps is None else link_gbps, rack, up if rack_gbps is None else np.full(racks, rack_gbps)
    )


def _arrivals(seed: int, pattern: str, submissions: NDArray[np.float64] | None) -> NDArray[np.int64]:
    """Slots in which 100 jobs arrive, unsorted; given their number, Poisson arrivals are uniform."""
    rng = stream(seed, "gadget", "arrivals", pattern)
    if pattern == "poisson":
        return rng.integers(0, SLOTS, MOST_JOBS)
    if pattern == "batch":
        return np.zeros(MOST_JOBS, np.int64)
    if submissions is None or len(submissions) < MOST_JOBS:
        raise InputError(f"trace arrivals need a trace of at least {MOST_JOBS} jobs", field="trace")
    first = int(rng.integers(0, len(submissions) - MOST_JOBS + 1))
    times = submissions[first : first + MOST_JOBS] - submissions[first]
    slots = np.floor(times / max(float(times[-1]), 1e-9) * SLOTS).astype(np.int64)
    return rng.permutation(np.minimum(slots, SLOTS - 1))
