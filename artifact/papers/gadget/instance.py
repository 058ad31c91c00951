"""Instances of GADGET's evaluation: jobs, servers, racks and links (INFOCOM 2022, section VI).

| paper | here | unit |
|---|---|---|
| S, T | `GadgetSettings.servers`, `GadgetSettings.slots` | servers, slots |
| a_i | `Instance.arrival`, counted from 0 | slots |
| N_i, F_i, zeta_i, b_i | ranges in `GadgetSettings`; fields of `SlotJobs` | see there |
| lambda1, lambda2, lambda3 | `GadgetSettings.priority`, `.slope`, `.expected`; fields of `Sigmoid` | see there |

The paper draws everything uniformly from stated ranges. Some of its statements contradict each other, and some choices
are left open: config/readings/gadget.yaml lists them. Nearest to the text are the equations and the table of settings
as printed: F_i bounds worker-slots (eq. 3; the text calls it iterations, and as worker-slots it never binds, since 5
workers over 200 slots stay below it), the sigmoid's slope is uniform on (0, 1), FIFO and Tiresias give 1 to 10 workers
although N_i is at most 5, and arrivals are Poisson, given their number.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarlib.cost.utilities import Sigmoid
from rarlib.ilp.gadget.problem import SlotJobs
from rarlib.model.errors import InputError
from rarlib.model.seeds import stream
from rarlib.model.tree_network import TreeNetwork

SLOTS, GADGET_SERVERS, MOST_JOBS = 200, 50, 100
_SERVER_SIZES, _RACKS, _FIXED = (1, 2, 4, 8), (2, 5), (1, 10)
_LINK_GBPS, _RACK_GBPS = (10.0, 100.0), (200.0, 3200.0)
PRIORITY = (1, 100)


@dataclass(frozen=True)
class GadgetSettings:
    """The paper's table of settings, and a choice for what it leaves open or states in two ways.

    Attributes:
        iterations: whether F_i counts iterations; if not, worker-slots, as printed in eq. 3.
        slope: range of lambda2, per iteration.
        capped: whether a baseline's fixed workers are limited to N_i.
        arrivals: `poisson` or `batch` (all in the first slot).
        slower: divisor of zeta_i.
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
    servers: int = GADGET_SERVERS
    priority: tuple[int, int] = PRIORITY
    expected: tuple[int, int] = (300, 3000)
    speed: tuple[int, int] = (50, 500)
    limit: tuple[int, int] = (1, 5)
    budget: tuple[int, int] = (1000, 6000)
    bandwidth: tuple[float, float] = (0.1, 5.0)

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> "GadgetSettings":
        """As printed, with the table of settings that a configuration states.

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
"""Name in config/config.yaml -> field of `GadgetSettings`."""

SOLVER_SEES = 1e-6
"""Gains below this, in units of utility, are within the tolerance of a solver in floating-point numbers; utilities are
up to 100."""

AS_PRINTED = GadgetSettings()


@dataclass(frozen=True)
class Instance:
    """Jobs in the order of their arrivals, and the network.

    Attributes:
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
    settings: GadgetSettings = AS_PRINTED,
    *,
    network: TreeNetwork | None = None,
) -> Instance:
    """The instance of a seed, the same for all schedulers: the first `jobs` of its hundred jobs.

    `jobs`: 1 to 100; `network`: None: the one of Figures 4 and 7, `fig4_network`.

    Raises:
        InputError: for a number of jobs out of range.
    """
    if not 1 <= jobs <= MOST_JOBS:
        raise InputError(f"must be 1 to {MOST_JOBS}, found {jobs}", field="jobs")
    arrival = _arrivals(seed, settings)[:jobs]
    order = np.argsort(arrival, kind="stable")

    def whole(name: str, bounds: tuple[int, int]) -> NDArray[np.int64]:
        return stream(seed, "gadget", name).integers(bounds[0], bounds[1] + 1, MOST_JOBS)[order]

    def real(name: str, bounds: tuple[float, float]) -> NDArray[np.float64]:
        draw = 1.0 - stream(seed, "gadget", name).random(MOST_JOBS)[order]  # in (0, 1]: a slope of 0 is invalid
        return bounds[0] + (bounds[1] - bounds[0]) * draw

    limit, fixed = whole("limit", settings.limit), whole("fixed", _FIXED)
    all_jobs = SlotJobs.build(
        utility=Sigmoid(
            whole("priority", settings.priority), real("slope", settings.slope), whole("expected", settings.expected)
        ),
        largest=limit,
        bandwidth=real("bandwidth", settings.bandwidth),
        efficiency=whole("speed", settings.speed) / settings.slower,
        budget=whole("budget", settings.budget),
        budget_counts="iterations" if settings.iterations else "worker-slots",
    )
    fixed = np.minimum(fixed, limit) if settings.capped else fixed
    gangs = replace(all_jobs, smallest=fixed, largest=fixed)
    return Instance(network or fig4_network(seed, settings.servers), all_jobs, gangs, arrival[order])


def fig4_network(seed: int, servers: int = GADGET_SERVERS) -> TreeNetwork:
    """The first `servers` of 50 servers of 1, 2, 4 or 8 GPUs in 2 to 5 racks, links as stated."""
    return _tree(seed, _sizes(seed, servers))


def fig5_network(seed: int, units: float, sizes: str = "even", servers: int = GADGET_SERVERS) -> TreeNetwork:
    """The network of Figure 5: `units` times 100 GPUs over the servers; links as stated.

    A server has 1 to 8 GPUs, so a unit of 100 GPUs can only be a share of the whole cluster.

    `units`: hundreds of GPUs. `sizes`: `even`: all servers have the same number of GPUs, up to one; `stated`: in the
    proportions of the sizes that Figure 4 draws from 1, 2, 4 and 8. `servers`: 1 to 50.
    """
    return _tree(seed, _shared(seed, 100 * units, sizes, servers))


def fig6_network(
    seed: int,
    units: float,
    unit: str = "uplink",
    gpus: int | None = None,
    sizes: str = "stated",
    servers: int = GADGET_SERVERS,
) -> TreeNetwork:
    """The network of Figure 6: `units` times 200 Gbit/s of edge resource.

    `unit`: `uplink`: each rack's uplink has this capacity; `links`: all server links share it evenly, as servers share
    GPUs in Figure 5. `gpus`: of all servers, by `sizes` as in `fig5_network`; None: those of Figure 4.
    """
    drawn = _sizes(seed, servers) if gpus is None else _shared(seed, gpus, sizes, servers)
    gbps = 200.0 * units
    return _tree(seed, drawn, link_gbps=gbps / servers) if unit == "links" else _tree(seed, drawn, rack_gbps=gbps)


def _shared(seed: int, gpus: float, sizes: str, servers: int) -> NDArray[np.int64]:
    return _scaled(seed, gpus, servers) if sizes == "stated" else _even(gpus, servers)


def _sizes(seed: int, servers: int) -> NDArray[np.int64]:
    """GPUs of the first servers."""
    return stream(seed, "gadget", "servers").choice(_SERVER_SIZES, GADGET_SERVERS)[:servers]


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
    rack = rng.integers(0, racks, GADGET_SERVERS)[:servers]
    up, link = rng.uniform(*_RACK_GBPS, racks), rng.uniform(*_LINK_GBPS, GADGET_SERVERS)[:servers]
    return TreeNetwork.build(
        sizes, link if link_gbps is None else link_gbps, rack, up if rack_gbps is None else np.full(racks, rack_gbps)
    )


def _arrivals(seed: int, settings: GadgetSettings) -> NDArray[np.int64]:
    """Slots in which 100 jobs arrive, unsorted; given their number, Poisson arrivals are uniform."""
    if settings.arrivals == "batch":
        return np.zeros(MOST_JOBS, np.int64)
    return stream(seed, "gadget", "arrivals", settings.arrivals).integers(0, settings.slots, MOST_JOBS)


def without_bandwidth(case: Instance) -> Instance:
    """The same instance with rings that reserve no bandwidth: eq. 5 switched off."""
    jobs, gangs = (replace(of, bandwidth=np.full(len(of), 1e-9)) for of in (case.jobs, case.gangs))
    return replace(case, jobs=jobs, gangs=gangs)
