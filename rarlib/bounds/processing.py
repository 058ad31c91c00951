"""What every job needs at least, wherever it is placed and whatever else runs.

All lower bounds rest on three facts about any run of the simulator, which are proven here.

*Rate.* A job on g GPUs makes progress at most at the rate of some venue: one server, or at least S servers with a link
no faster than L, on GPUs of speed at least v, one of them exactly v, and no other job on its links. (Contention,
further servers and slower links only lengthen an iteration, because costs are not negative and `sharing` does not fall;
a gang runs at the speed of its slowest GPU; restarts hold GPUs without progress.) `venues` lists, for every speed v,
the least S and L that any placement on GPUs of speed >= v can have, inside a rack and across racks.

*Time.* Hence a job that is done has held GPUs for at least `time`, its work over the greatest such rate.

*Area.* Let a GPU of speed v count v per second. While the job progresses by a share x of its work on g GPUs in a venue
of speed v, it holds them for x work/rate seconds and is charged at least g v per second. So a job that is done has been
charged at least `area`, the least g v work/rate over all gangs and venues, and at most `width` per second. All GPUs
together are charged `capacity` per second.

With a quantum Q, jobs start and are stopped at multiples of Q. Two consequences:

*Whole slots.* Finishes are multiples of Q too, so the time held is one, and both time and area may be rounded up to it.

*Otherwise* GPUs freed inside a quantum idle until its end. Let a job that held GPUs for q >= p seconds, p its least
time, hold them until the end of its last quantum, and then cut its last quanta until exactly p' = ceil(p/Q) Q remain.
If q <= p', nothing is cut and the end moves from C to at most C + p' - p; else at least one quantum is cut and the end
moves before C. Either way C >= D - (p' - p), where D is the completion in the cut schedule, which is a schedule of jobs
that take p'. The same bounds therefore hold for p', less `slack` = p' - p.

Elastic jobs may change their gang at any time; the arguments speak of shares of the work and cover that.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError
from rarlib.model.jit import hot_kernel
from rarlib.model.jobs import Jobs
from rarlib.model.prices import Prices, first_pass, iteration_s, iterations_per_s

_ROUNDING = 1e-8
"""Quanta by which a time may exceed a whole number and still count as it (the simulator allows 1e-9)."""


class Venue(NamedTuple):
    """The best conditions that a gang can have on GPUs of at least this speed."""

    servers: int
    link: float
    speed: float


class Demand(NamedTuple):
    """Least needs of jobs; arrays of shape (jobs,), times in seconds."""

    gpus: NDArray[np.int64]  # fewest GPUs the job ever holds at once
    submit: NDArray[np.float64]  # submission
    release: NDArray[np.float64]  # earliest start: submission, or the next multiple of the quantum
    time: NDArray[np.float64]  # least time the job holds GPUs
    area: NDArray[np.float64]  # least GPU-seconds, each weighted by the GPU's speed
    width: NDArray[np.float64]  # most it can be charged per second
    slack: NDArray[np.float64]  # how far a completion may lie before the one that these needs imply
    capacity: float  # speeds of all GPUs added up
    total_gpus: int  # GPUs of all nodes together

    def take(self, index: NDArray[np.bool_]) -> "Demand":
        """The jobs that a mask selects."""
        by_job = self._fields[: self._fields.index("capacity")]
        return self._replace(**{name: getattr(self, name)[index] for name in by_job})


def demands(jobs: Jobs, cluster: Cluster, prices: Prices, quantum: float, whole_slots: bool) -> list[Demand]:
    """Least needs of all jobs; with a quantum but no whole slots, also those rounded up, which have slack.

    Raises:
        InputError: for a job that cannot be done on this cluster.
    """
    time, area = _least(jobs, cluster, prices)
    speed = prices.node_speed
    most = np.minimum(jobs.max_gpus, cluster.total_gpus)
    capacity = float(cluster.gpus @ speed)
    plain = Demand(
        gpus=jobs.min_gpus,
        submit=jobs.submit_s,
        release=first_pass(jobs.submit_s, quantum),
        time=time,
        area=area,
        width=most * speed.max(),
        slack=np.zeros(len(jobs)),
        capacity=capacity,
        total_gpus=cluster.total_gpus,
    )
    if quantum <= 0.0:
        return [plain]
    slots = round_up(time, quantum)
    held = jobs.min_gpus * speed.min() * slots
    if whole_slots:
        return [plain._replace(time=slots, area=np.maximum(area, held))]
    return [plain, plain._replace(time=slots, area=held, slack=np.maximum(slots - time, 0.0))]


def round_up(seconds: NDArray[np.float64], quantum: float) -> NDArray[np.float64]:
    """Next multiple of the quantum."""
    return np.ceil(seconds / quantum - _ROUNDING) * quantum


def _least(jobs: Jobs, cluster: Cluster, prices: Prices) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    time, area = np.full(len(jobs), np.inf), np.full(len(jobs), np.inf)
    for gang in gang_sizes(jobs, cluster):
        rows = np.flatnonzero((jobs.min_gpus <= gang) & (gang <= jobs.max_gpus))
        for venue in venues(gang, cluster, prices):
            held = processing_s(prices, rows, gang, venue)
            time[rows] = np.minimum(time[rows], held)
            area[rows] = np.minimum(area[rows], gang * venue.speed * held)
    never = np.flatnonzero(np.isinf(time))
    if len(never):
        name = jobs.job_id[never[0]]
        raise InputError(f"job {name} fits nowhere or makes no progress wherever it is placed", field="gpus")
    return time, area


def gang_sizes(jobs: Jobs, cluster: Cluster) -> list[int]:
    """All numbers of GPUs that some job may hold at once."""
    ranges = {(int(low), int(high)) for low, high in np.unique(np.stack([jobs.min_gpus, jobs.max_gpus]), axis=1).T}
    return sorted({gang for low, high in ranges for gang in range(low, min(high, cluster.total_gpus) + 1)})


def venues(gang: int, cluster: Cluster, prices: Prices) -> list[Venue]:
    """Least servers and fastest links of a gang's placements, by the speed of its slowest GPU."""
    found: dict[Venue, None] = {}
    for speed in np.unique(prices.node_speed)[::-1].tolist():
        nodes = np.flatnonzero(prices.node_speed >= speed)
        if cluster.gpus[nodes].max() >= gang:
            found[Venue(1, 1.0, speed)] = None
        racks = np.unique(prices.rack[nodes])
        for rack in racks:
            inside = _spanning(gang, nodes[prices.rack[nodes] == rack], cluster, prices)
            if inside is not None:
                found[Venue(*inside, speed)] = None
        across = _spanning(gang, nodes, cluster, prices)
        if across is not None and len(racks) > 1:
            second = float(np.sort(prices.rack_link[racks])[1])
            found[Venue(across[0], max(across[1], second), speed)] = None
    return list(found)


def _spanning(gang: int, nodes: NDArray[np.int64], cluster: Cluster, prices: Prices) -> tuple[int, float] | None:
    """Fewest servers, and the slowest link at best, of a gang on two or more of these nodes."""
    gpus, link = cluster.gpus[nodes], prices.node_link[nodes]
    if gang < 2 or len(nodes) < 2 or gpus.sum() < gang:
        return None
    fewest = int(np.searchsorted(np.cumsum(np.sort(gpus)[::-1]), gang)) + 1
    order = np.argsort(link, kind="stable")
    slowest = int(np.searchsorted(np.cumsum(gpus[order]), gang))
    return max(fewest, 2), float(link[order][max(slowest, 1)])


def processing_s(prices: Prices, rows: NDArray[np.int64], gang: int, venue: Venue) -> NDArray[np.float64]:
    """Time some jobs take in a venue, without contention, shape of `rows`; inf where they make no progress."""
    out = np.empty(len(rows))
    _fill_seconds(prices, rows, gang, venue.servers, venue.link, venue.speed, out)
    return out


@hot_kernel
def _fill_seconds(
    prices: Prices,
    rows: NDArray[np.int64],
    gang: int,
    servers: int,
    link: float,
    speed: float,
    out: NDArray[np.float64],
) -> None:
    for i in range(len(rows)):
        job = rows[i]
        pace = speed
        if prices.curve[job] >= 0:
            pace *= prices.speedup[prices.curve[job], gang]
        rate = 0.0
        if pace > 0.0:
            rate = iterations_per_s(prices, job, iteration_s(prices, job, servers, 1, link) / pace)
        if prices.work[job] == 0.0:
            out[i] = 0.0
        else:
            out[i] = prices.work[job] / rate if rate > 0.0 else np.inf
