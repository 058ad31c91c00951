"""Groups of jobs by where they may run and how much longer they take there, for the program over server classes.

A gang holds its GPUs in one of several modes: all on one server of speed v (local), or on several servers of which the
slowest has speed v (spread). Few jobs form groups of one. Of many jobs, those of one gang size whose times in all modes
are in the same proportion form one group: averaging, over its jobs, the shares of work that a schedule does in each
mode, weighted by their least times, changes neither the time nor the GPU-seconds they hold together in any mode.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.bounds.processing import Venue, gang_sizes, processing_s, round_up, venues
from rarlib.model.cluster import Cluster
from rarlib.model.jobs import Jobs
from rarlib.model.prices import Prices

_MOST_GROUPS = 400
_DIGITS = (12, 3, 2, 1, 0)


class Groups(NamedTuple):
    """Groups of jobs, times and GPU-seconds summed over their jobs; inf where a mode is impossible."""

    gang: NDArray[np.int64]  # gang size; 0 for elastic jobs, which are counted by GPU-seconds only, shape (groups,)
    jobs: NDArray[np.int64]  # number of jobs, shape (groups,)
    least_s: NDArray[np.float64]  # least time they hold GPUs, whole slots of rigid jobs included, shape (groups,)
    # time on one server, by its speed, shape (groups, speeds); inf also where spreading costs nothing
    local_s: NDArray[np.float64]
    # time on several servers, by the speed of the slowest; elastic jobs: on any number; same shape
    spread_s: NDArray[np.float64]
    spread_area: NDArray[np.float64]  # GPU-seconds there, same shape
    digits: int  # decimals to which times relative to the least one were rounded down, to have few groups


def group(jobs: Jobs, cluster: Cluster, prices: Prices, rows: NDArray[np.int64], slot_s: float) -> Groups:
    """Group the jobs of `rows` that have work to do; `slot_s` is the length of the slots a job holds whole, or 0."""
    rows = rows[prices.work[rows] > 0.0]
    speeds = np.unique(prices.node_speed)[::-1]
    gang, modes = _modes(jobs, cluster, prices, rows, speeds)
    least = modes[:, :2].min(axis=(1, 2))
    relative = modes.reshape(len(rows), 3 * len(speeds)) / least[:, None]
    digits = _DIGITS[0]
    kinds, of = np.column_stack([gang, relative]), np.arange(len(rows))
    if len(rows) > _MOST_GROUPS:
        for digits in _DIGITS:
            key = np.floor(relative * 10.0**digits) / 10.0**digits
            kinds, of = np.unique(np.column_stack([gang, key]), axis=0, return_inverse=True)
            if len(kinds) <= _MOST_GROUPS:
                break
    total = np.bincount(of, least)
    rounded = (gang > 0) & (slot_s > 0.0)
    held = np.bincount(of, np.where(rounded, round_up(least, slot_s or 1.0), least)).astype(np.float64)
    parts: NDArray[np.float64] = (kinds[:, 1:] * total[:, None]).reshape(len(kinds), 3, len(speeds)).astype(np.float64)
    return Groups(kinds[:, 0].astype(np.int64), np.bincount(of), held, parts[:, 0], parts[:, 1], parts[:, 2], digits)


def _modes(
    jobs: Jobs, cluster: Cluster, prices: Prices, rows: NDArray[np.int64], speeds: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Gang (0: elastic), and local time, spread time, spread area by speed, shape (rows, 3, speeds)."""
    modes = np.full((len(rows), 3, len(speeds)), np.inf)
    rigid = jobs.min_gpus[rows] == jobs.max_gpus[rows]
    largest = [int(cluster.gpus[prices.node_speed == speed].max()) for speed in speeds]
    for size in gang_sizes(jobs.take(rows), cluster):
        at = np.flatnonzero((jobs.min_gpus[rows] <= size) & (size <= jobs.max_gpus[rows]))
        fixed, free = at[rigid[at]], at[~rigid[at]]
        for v, speed in enumerate(speeds.tolist()):
            if largest[v] >= size:
                modes[fixed, 0, v] = processing_s(prices, rows[fixed], size, Venue(1, 1.0, speed))
        for venue in venues(size, cluster, prices):
            v = int(np.flatnonzero(speeds == venue.speed)[0])
            spread = fixed if venue.servers > 1 else fixed[:0]
            for part in (spread, free):
                held = processing_s(prices, rows[part], size, venue)
                modes[part, 1, v] = np.minimum(modes[part, 1, v], held)
                modes[part, 2, v] = np.minimum(modes[part, 2, v], held * size)
    modes[:, 0][modes[:, 0] >= modes[:, 1]] = np.inf
    return np.where(rigid, jobs.gpus[rows], 0), modes
