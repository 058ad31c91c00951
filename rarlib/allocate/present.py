"""Jobs in the system as arrays: their rows, the GPUs they hold, the bandwidth their rings reserve."""

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from rarlib.model.decisions import Decision, Placement, Start, Stop
from rarlib.model.errors import InputError
from rarlib.model.scheduler import View


def rows_in_system(view: View) -> NDArray[np.int64]:
    """Rows of the jobs that wait or run, ascending."""
    return np.sort(np.concatenate([view.waiting_rows, view.running_rows]))


def held_gpus(view: View, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """GPUs that jobs hold now, by node, shape (rows, nodes); `rows` must ascend and include all running jobs."""
    found = np.zeros((len(rows), view.cluster.nodes), np.int64)
    for running in view.running:
        at = int(np.searchsorted(rows, running.job.row))
        for node, gpus in running.placement:
            found[at, node] = gpus
    return found


def numbered_gpus(view: View) -> dict[int, NDArray[np.int64]]:
    """GPUs of each running job, by row; those of a server are numbered on from those of the servers before it.

    A view does not say which GPUs of a server a job holds; jobs that started first get the lowest numbers.
    """
    following = np.concatenate([[0], np.cumsum(view.cluster.gpus)[:-1]])
    numbers: dict[int, NDArray[np.int64]] = {}
    for running in sorted(view.running, key=lambda running: (running.since_s, running.job.row)):
        own = [np.arange(following[node], following[node] + gpus) for node, gpus in running.placement]
        for node, gpus in running.placement:
            following[node] += gpus
        numbers[running.job.row] = np.sort(np.concatenate(own))
    return numbers


def reserved_gbps(view: View, rows: NDArray[np.int64]) -> NDArray[np.float64]:
    """Bandwidth that the rings of these jobs reserve, Gbit/s, shape (rows,).

    Raises:
        InputError: if the cost model reserves no bandwidth.
    """
    if not len(view.prices.gbps):
        raise InputError("needs a cost model that reserves bandwidth", field="placement")
    return view.prices.gbps[rows]


def exchange(view: View, wanted: Mapping[int, Placement]) -> Iterator[Decision]:
    """Stop running jobs whose placement changes, then start jobs on new placements in the order of `wanted`."""
    held = {running.job.row: running.placement for running in view.running}
    yield from (Stop(job) for job, placement in held.items() if wanted.get(job) != placement)
    yield from (Start(job, placement) for job, placement in wanted.items() if held.get(job) != placement)
