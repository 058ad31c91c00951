"""Which gangs could have started when: free GPUs over a run, server by server."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.experiments.runs.record import Record
from rarlib.model.jit import kernel
from rarlib.model.placement import fewest_servers


class Availability(NamedTuple):
    """Free GPUs between one instant of a run and the next.

    Attributes:
        record: the run.
        times: instants at which something happened, ascending, shape (times,).
        servers: numbers of servers that matter to some gang, ascending, the last all servers with GPUs.
        most: GPUs free from `times[i]` on, on the `servers[c]` servers with most of them, shape (times, servers).
    """

    record: Record
    times: NDArray[np.float64]
    servers: NDArray[np.int64]
    most: NDArray[np.int64]

    @property
    def free(self) -> NDArray[np.int64]:
        """Free GPUs of the cluster, shape (times,)."""
        return self.most[:, -1]

    def fits(self, gang: int) -> NDArray[np.bool_]:
        """Whether the placement rule could place a gang, shape (times,)."""
        column = np.searchsorted(self.servers, _servers_for(self.record, gang))
        return self.most[:, int(column)] >= gang

    def next_pass(self, time: NDArray[np.float64]) -> NDArray[np.float64]:
        """First instant at or after `time` at which the scheduler may act."""
        quantum, origin = self.record.quantum_s, self.record.origin_s
        if quantum <= 0.0:
            return time
        return np.maximum(np.ceil((time + origin) / quantum - 1e-9) * quantum - origin, time)


def availability(record: Record) -> Availability:
    """Free GPUs over a run."""
    jobs, rows = record.jobs, record.allocations
    times = np.unique(np.concatenate([jobs["submit_s"], jobs["finish_s"], rows["start_s"], rows["end_s"]]))
    rows = rows[record.is_gpu[rows["node"].to_numpy()]]
    wanted = {_servers_for(record, int(gang)) for gang in jobs["min_gpus"].unique()}
    servers = np.array(sorted(wanted | {int(record.is_gpu.sum())}))
    at = np.searchsorted(times, np.concatenate([rows["end_s"], rows["start_s"]]))
    change = np.concatenate([rows["gpus"], -rows["gpus"]])
    order = np.argsort(at, kind="stable")  # at one instant GPUs are freed before they are taken
    most = np.zeros((len(times), len(servers)), np.int64)
    free = np.where(record.is_gpu, record.gpus, 0)
    _sweep(at[order], np.tile(rows["node"], 2)[order], change[order], free, servers, most)
    return Availability(record, times, servers, most)


def _servers_for(record: Record, gang: int) -> int:
    """On how many servers, those with most free GPUs, a gang must find its GPUs to be placed."""
    capacity = np.sort(record.gpus[record.is_gpu])[::-1].copy()
    return int(fewest_servers(capacity, gang)) if record.consolidates else len(capacity)


@kernel
def _sweep(
    at: NDArray[np.int64],
    node: NDArray[np.int64],
    change: NDArray[np.int64],
    free: NDArray[np.int64],
    servers: NDArray[np.int64],
    most: NDArray[np.int64],
) -> None:
    """Fill `most` from what changes at which instant; `with_free[c]` counts the nodes with c free GPUs."""
    with_free = np.zeros(free.max() + 1, np.int64)
    for level in free:
        with_free[level] += 1
    row = 0
    for i in range(len(most)):
        while row < len(at) and at[row] == i:
            with_free[free[node[row]]] -= 1
            free[node[row]] += change[row]
            with_free[free[node[row]]] += 1
            row += 1
        for c in range(len(servers)):
            left, level = servers[c], len(with_free) - 1
            while left > 0 and level > 0:
                taken = min(left, with_free[level])
                most[i, c] += taken * level
                left -= taken
                level -= 1
