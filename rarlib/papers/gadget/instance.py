"""Instances of GADGET's evaluation: jobs, servers, racks and links (INFOCOM 2022, section VI).

| paper | here | unit |
|---|---|---|
| S, T | `Reading.servers`, `Reading.slots` | servers, slots |
| a_i | `Instance.arrival`, counted from 0 | slots |
| N_i, F_i, zeta_i, b_i | ranges in `Reading`; fields of `SlotJobs` | see there |
| lambda1, lambda2, lambda3 | `Reading.priority`, `.slope`, `.expected`; fields of `Sigmoid` | see there |

The paper draws everything uniformly from stated ranges. Some of its statements contradict each other, and some choices
are left open; `READINGS` lists complete readings. The headline follows a rule that was fixed before any figure was
compared: the equations and the table of settings are used as printed, even where the text disagrees, and for what they
leave open the simplest choice is made. So F_i bounds worker-slots (eq. 3; the text calls it iterations, and as
worker-slots it never binds, since 5 workers over 200 slots stay below it), the sigmoid's slope is uniform on (0, 1),
FIFO and Tiresias give 1 to 10 workers although N_i is at most 5, and arrivals are Poisson, given their number, because
the paper does not state the arrival pattern of its trace.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarlib.cost.reserved import TreeNetwork
from rarlib.cost.utilities import Sigmoid
from rarlib.ilp.gadget.problem import SlotJobs
from rarlib.model.errors import InputError
from rarlib.model.seeds import stream

SLOTS, _SERVERS, MOST_JOBS = 200, 50, 100
_SERVER_SIZES, _RACKS, _FIXED = (1, 2, 4, 8), (2, 5), (1, 10)
_LINK_GBPS, _RACK_GBPS = (10.0, 100.0), (200.0, 3200.0)
PRIORITY = (1, 100)


@dataclass(frozen=True)
class Reading:
    """The paper's table of settings, and a choice for what it leaves open or states in two ways.

    Attributes:
        iterations: whether F_i counts iterations; if not, worker-slots, as printed in eq. 3.
        slope: range of lambda2, per iteration.
        capped: whether a baseline's fixed workers are limited to N_i.
        arrivals: `poisson`, `batch` (all in the first slot) or `trace` (submissions of a recorded trace, rescaled).
        slower: divisor of zeta_i; not a reading, but a hypothetical case with GPUs as scarce as the paper says.
        slots: T.
        servers: S; the first so many of a draw of 50.
        priority: range of lambda1, whole numbers.
        expected: range of lambda3, whole iterations.
        speed: range of zeta_i, whole iterations per worker and slot.
        limit: range of N_i, workers.
        budget: range of F_i.
        bandwidth: range of b_i, Gbit/s.
    """

    iterations: bool = False
    slope: tuple[float, float] = (0.0, 1.0)
    capped: bool = False
    arrivals: str = "poisson"
    slower: float = 1.0
    slots: int = SLOTS
    servers: int = _SERVERS
    priority: tuple[int, int] = PRIORITY
    expected: tuple[int, int] = (300, 3000)
    speed: tuple[int, int] = (50, 500)
    limit: tuple[int, int] = (1, 5)
    budget: tuple[int, int] = (1000, 6000)
    bandwidth: tuple[float, float] = (0.1, 5.0)

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> "Reading":
        """The headline, with the table of settings that a configuration states.

        Raises:
            InputError: a range whose first number is above its second, or slopes that are all 0.
        """
        given = {key: settings[key] for key in SETTINGS if settings.get(key) is not None}
        for key, value in given.items():
            if isinstance(value, list | tuple) and (value[0] > value[1] or value[1] <= 0):
                raise InputError(f"needs a lower and an upper end, the upper one above 0, found {value}", field=key)
        values: dict[str, Any] = {SETTINGS[key]: tuple(v) if isinstance(v, list) else v for key, v in given.items()}
        return cls(**values)


SETTINGS = {
    "T": "slots",
    "servers": "servers",
    "arrivals": "arrivals",
    "lambda1": "priority",
    "lambda2": "slope",
    "lambda3": "expected",
    "zeta": "speed",
    "N": "limit",
    "F": "budget",
    "b": "bandwidth",
}
"""Name in config/config.yaml -> field of `Reading`."""

_SMOOTH = (0.001, 0.01)
CHANGES: dict[str, dict[str, Any]] = {
    "headline": {},
    "iterations": {"iterations": True},
    "smooth": {"slope": _SMOOTH},
    "capped": {"capped": True},
    "batch": {"arrivals": "batch"},
    "links": {"arrivals": "batch"},
    "scattered": {"arrivals": "batch"},
    "server-sizes": {"arrivals": "batch"},
    "batch-smooth": {"arrivals": "batch", "slope": _SMOOTH},
    "gather": {"arrivals": "batch", "slope": _SMOOTH},
    "trace-arrivals": {"arrivals": "trace"},
    **{f"slower-{factor}": {"slower": float(factor)} for factor in (20, 80)},
}
"""Name of a reading -> what it changes in the headline."""

READINGS = {name: Reading(**changes) for name, changes in CHANGES.items()}


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
    arrival = _arrivals(seed, reading, submissions)[:jobs]
    order = np.argsort(arrival, kind="stable")

    def whole(name: str, bounds: tuple[int, int]) -> NDArray[np.int64]:
        return stream(seed, "gadget", name).integers(bounds[0], bounds[1] + 1, MOST_JOBS)[order]

    def real(name: str, bounds: tuple[float, float]) -> NDArray[np.float64]:
        draw = 1.0 - stream(seed, "gadget", name).random(MOST_JOBS)[order]  # in (0, 1]: a slope of 0 is invalid
        return bounds[0] + (bounds[1] - bounds[0]) * draw

    limit, fixed = whole("limit", reading.limit), whole("fixed", _FIXED)
    all_jobs = SlotJobs.build(
        utility=Sigmoid(
            whole("priority", reading.priority), real("slope", reading.slope), whole("expected", reading.expected)
        ),
        largest=limit,
        bandwidth=real("bandwidth", reading.bandwidth),
        efficiency=whole("speed", reading.speed) / reading.slower,
        budget=whole("budget", reading.budget),
        budget_counts="iterations" if reading.iterations else "worker-slots",
    )
    fixed = np.minimum(fixed, limit) if reading.capped else fixed
    gangs = replace(all_jobs, smallest=fixed, largest=fixed)
    return Instance(network or fig4_network(seed, reading.servers), all_jobs, gangs, arrival[order])


def fig4_network(seed: int, servers: int = _SERVERS) -> TreeNetwork:
    """The first `servers` of 50 servers of 1, 2, 4 or 8 GPUs in 2 to 5 racks, links as stated."""
    return _tree(seed, _sizes(seed, servers))


def fig5_network(seed: int, units: float, sizes: str = "even", servers: int = _SERVERS) -> TreeNetwork:
    """The network of Figure 5: `units` times 100 GPUs over the servers; links as stated.

    A server has 1 to 8 GPUs, so a unit of 100 GPUs can only be a share of the whole cluster.

    Args:
        seed: of the instance.
        units: hundreds of GPUs.
        sizes: `even`: all servers have the same number of GPUs, up to one; `stated`: in the proportions of the sizes
            that Figure 4 draws from 1, 2, 4 and 8.
        servers: 1 to 50.
    """
    gpus = 100 * units
    return _tree(seed, _scaled(seed, gpus, servers) if sizes == "stated" else _even(gpus, servers))


def fig6_network(seed: int, units: float, unit: str = "uplink", servers: int = _SERVERS) -> TreeNetwork:
    """The network of Figure 6: `units` times 200 Gbit/s of edge resource.

    Args:
        seed: of the instance.
        units: multiples of 200 Gbit/s.
        unit: `uplink`: each rack's uplink has this capacity, on the servers of Figure 4; `links`: all server links
            share it evenly, as servers share GPUs in Figure 5; `uplink-400`: as `uplink`, on 400 GPUs spread evenly,
            because the published values at factors 1 to 4 are those of Figure 5 with 400 GPUs; `uplink-stated`: the
            same in the proportions of the stated sizes.
        servers: 1 to 50.
    """
    sizes, gbps = _sizes(seed, servers), 200.0 * units
    if unit == "links":
        return _tree(seed, sizes, link_gbps=gbps / servers)
    other = {"uplink-400": _even(400, servers), "uplink-stated": _scaled(seed, 400, servers)}
    return _tree(seed, other.get(unit, sizes), rack_gbps=gbps)


def _sizes(seed: int, servers: int) -> NDArray[np.int64]:
    """GPUs of the first servers."""
    return stream(seed, "gadget", "servers").choice(_SERVER_SIZES, _SERVERS)[:servers]


def _even(gpus: float, servers: int) -> NDArray[np.int64]:
    """GPUs by server; the first ones have one more if the number is not a multiple of that of the servers."""
    return np.full(servers, int(gpus) // servers) + (np.arange(servers) < int(gpus) % servers)


def _scaled(seed: int, gpus: float, servers: int) -> NDArray[np.int64]:
    """The servers of Figure 4 scaled to `gpus` in all; fractions are rounded so that the largest remainders get one."""
    sizes = _sizes(seed, servers)
    exact = sizes * gpus / sizes.sum()
    whole = np.floor(exact).astype(np.int64)
    whole[np.argsort(whole - exact, kind="stable")[: round(gpus) - int(whole.sum())]] += 1
    return whole


def _tree(
    seed: int, sizes: NDArray[np.int64], link_gbps: float | None = None, rack_gbps: float | None = None
) -> TreeNetwork:
    """Servers in racks, drawn for the seed; a capacity that is given replaces the ones drawn."""
    rng = stream(seed, "gadget", "racks")
    racks, servers = int(rng.integers(_RACKS[0], _RACKS[1] + 1)), len(sizes)
    rack = rng.integers(0, racks, _SERVERS)[:servers]
    up, link = rng.uniform(*_RACK_GBPS, racks), rng.uniform(*_LINK_GBPS, _SERVERS)[:servers]
    return TreeNetwork.build(
        sizes, link if link_gbps is None else link_gbps, rack, up if rack_gbps is None else np.full(racks, rack_gbps)
    )


def _arrivals(seed: int, reading: Reading, submissions: NDArray[np.float64] | None) -> NDArray[np.int64]:
    """Slots in which 100 jobs arrive, unsorted; given their number, Poisson arrivals are uniform."""
    rng, slots = stream(seed, "gadget", "arrivals", reading.arrivals), reading.slots
    if reading.arrivals == "poisson":
        return rng.integers(0, slots, MOST_JOBS)
    if reading.arrivals == "batch":
        return np.zeros(MOST_JOBS, np.int64)
    if submissions is None or len(submissions) < MOST_JOBS:
        raise InputError(f"trace arrivals need a trace of at least {MOST_JOBS} jobs", field="trace")
    first = int(rng.integers(0, len(submissions) - MOST_JOBS + 1))
    times = submissions[first : first + MOST_JOBS] - submissions[first]
    when = np.floor(times / max(float(times[-1]), 1e-9) * slots).astype(np.int64)
    return rng.permutation(np.minimum(when, slots - 1))
