"""Which gangs could have started at what time: free GPUs over a run, server by server."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.allocate.placement import fewest_servers
from rarlib.model.jit import kernel
from rarlib.model.prices import first_pass
from rarlib.records.read import Record


class Availability(NamedTuple):
    """Free GPUs of a run as step functions of time.

    Attributes:
        record: the run.
        times: times of all events, ascending, shape (times,).
        groups: for each group of nodes that a gang may combine (`Record.type_of`), the nodes' GPUs in descending order.
        column: (group, servers) -> column of `most`, for each number of servers that matters to some gang; the last one
            of a group is all its servers.
        most: largest number of GPUs free from `times[i]` on, on that many servers of the group, shape (times, columns).
    """

    record: Record
    times: NDArray[np.float64]
    groups: tuple[NDArray[np.int64], ...]
    column: dict[tuple[int, int], int]
    most: NDArray[np.int64]

    @property
    def free(self) -> NDArray[np.int64]:
        """Free GPUs of the cluster, shape (times,)."""
        everywhere = [self.column[group, len(gpus)] for group, gpus in enumerate(self.groups)]
        return np.asarray(self.most[:, everywhere].sum(axis=1))

    def fits(self, gang: int) -> NDArray[np.bool_]:
        """Whether the placement rule could place a gang at each time, shape (times,)."""
        columns = [self.column[each, _servers(self.record, gpus, gang)] for each, gpus in enumerate(self.groups)]
        return np.asarray((self.most[:, columns] >= gang).any(axis=1))

    def next_pass(self, time: NDArray[np.float64]) -> NDArray[np.float64]:
        """First time at or after `time` at which the scheduler may act."""
        return first_pass(time, self.record.quantum_s, self.record.origin_s)


def availability(record: Record) -> Availability:
    """Free GPUs over a run."""
    jobs, rows = record.jobs, record.allocations
    times = np.unique(np.concatenate([jobs["submit_s"], jobs["finish_s"], rows["start_s"], rows["end_s"]]))
    rows = rows[record.is_gpu[rows["node"].to_numpy()]]
    kinds, group = np.unique(record.type_of, return_inverse=True)
    group = group - int(kinds[0] < 0)
    groups = tuple(np.sort(record.gpus[group == each])[::-1].copy() for each in range(group.max() + 1))
    wanted = {
        (each, servers)
        for each, gpus in enumerate(groups)
        for servers in (len(gpus), *(_servers(record, gpus, int(gang)) for gang in np.unique(record.gangs)))
    }
    columns = np.array(sorted(wanted))
    at = np.searchsorted(times, np.concatenate([rows["end_s"], rows["start_s"]]))
    change = np.concatenate([rows["gpus"], -rows["gpus"]])
    order = np.argsort(at, kind="stable")  # at the same time, GPUs are freed before they are taken
    most = np.zeros((len(times), len(columns)), np.int64)
    changes = _Changes(at[order], np.tile(rows["node"], 2)[order], change[order])
    _sweep(changes, np.where(record.is_gpu, record.gpus, 0), group, columns, most)
    return Availability(record, times, groups, {key: i for i, key in enumerate(sorted(wanted))}, most)


def _servers(record: Record, gpus: NDArray[np.int64], gang: int) -> int:
    """The most servers of a group over which the placement rule spreads a gang."""
    return min(int(fewest_servers(gpus, gang)), len(gpus)) if record.consolidates else len(gpus)


class _Changes(NamedTuple):
    """Changes of the free GPUs of a node (negative: taken), in order of time; each of shape (changes,)."""

    at: NDArray[np.int64]
    node: NDArray[np.int64]
    gpus: NDArray[np.int64]


@kernel
def _sweep(
    changes: _Changes,
    free: NDArray[np.int64],
    group: NDArray[np.int64],
    columns: NDArray[np.int64],
    most: NDArray[np.int64],
) -> None:
    """Fill `most` from the changes; `with_free[g, c]` counts the nodes of group g with c free GPUs."""
    with_free = np.zeros((group.max() + 1, free.max() + 1), np.int64)
    for node in range(len(free)):
        if group[node] >= 0:
            with_free[group[node], free[node]] += 1
    row = 0
    for i in range(len(most)):
        while row < len(changes.at) and changes.at[row] == i:
            node = changes.node[row]
            with_free[group[node], free[node]] -= 1
            free[node] += changes.gpus[row]
            with_free[group[node], free[node]] += 1
            row += 1
        for c in range(len(columns)):
            left, level = columns[c, 1], with_free.shape[1] - 1
            while left > 0 and level > 0:
                taken = min(left, with_free[columns[c, 0], level])
                most[i, c] += taken * level
                left -= taken
                level -= 1
