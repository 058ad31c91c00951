"""Pools of nodes inside which gangs stay: GPUs of one type, and one rack where uplinks are slower than servers' links.

A choice is a size of gang in a pool. Sizes are those of Sia (`configurations`): parts of a server that are powers of
two, and whole servers. So no two gangs that span servers ever share one, and contention (SJF-BCO eq. 6) has nobody to
slow down. What remains of the network is the part of eq. 8 that does not depend on others: slower links, and overhead
per server.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.cost.goodput.estimates import Configurations
from rarlib.cost.goodput.training import GoodputTraining
from rarlib.model.errors import InputError
from rarlib.model.scheduler import View
from rarlib.schedulers.sia_parts.configurations import configurations


class Pools(NamedTuple):
    """What does not change during a run. Columns are sizes pool by pool, then the requested size in each pool.

    Attributes:
        training: what jobs know of themselves.
        options: configurations by GPU type.
        option: configuration of each column but the last ones, shape (columns - pools,).
        pool: of each column, shape (columns,).
        kind: GPU type of each pool, shape (pools,).
        room: GPUs of a node of each pool, shape (pools,).
        capacity: GPUs of each pool, shape (pools,).
        nodes: nodes of each pool.
        link: transfer time over the slowest link of each pool's servers, relative to the prices', shape (pools,).
    """

    training: GoodputTraining
    options: Configurations
    option: NDArray[np.int64]
    pool: NDArray[np.int64]
    kind: NDArray[np.int64]
    room: NDArray[np.int64]
    capacity: NDArray[np.int64]
    nodes: tuple[NDArray[np.int64], ...]
    link: NDArray[np.float64]

    @classmethod
    def of(cls, view: View, name: str, *, by_rack: bool) -> "Pools":
        """The pools of a cluster.

        Args:
            view: of the run.
            name: of the scheduler, for errors.
            by_rack: whether gangs stay in a rack whose uplink is slower than its servers' links.

        Raises:
            InputError: jobs are not priced by goodput, or nodes of one type differ in size.
        """
        training, cluster, prices = view.training, view.cluster, view.prices
        if not isinstance(training, GoodputTraining):
            raise InputError(f"{name} needs jobs that learn their goodput: --cost goodput", field="cost")
        types = np.array([training.types.index(each) for each in cluster.gpu_type])
        slow = prices.rack_link[cluster.rack] > prices.node_link
        rack = np.where(slow & by_rack, cluster.rack + 1, 0)
        pairs = sorted(set(zip(types.tolist(), rack.tolist(), strict=True)))
        nodes = tuple(np.flatnonzero((types == kind) & (rack == where)) for kind, where in pairs)
        for part in nodes:
            if len(set(cluster.gpus[part].tolist())) > 1:
                raise InputError(f"{name} needs equal nodes of type {cluster.gpu_type[part[0]]}", file="--cluster")
        options = configurations(training)
        kind = np.array([kind for kind, _ in pairs])
        fits = [
            np.flatnonzero((options.kind == kind[i]) & (options.nodes <= len(part))) for i, part in enumerate(nodes)
        ]
        pool = np.concatenate([np.repeat(np.arange(len(nodes)), [len(each) for each in fits]), np.arange(len(nodes))])
        room = np.array([int(cluster.gpus[part[0]]) for part in nodes])
        link = np.array([float(prices.node_link[part].max()) for part in nodes])
        count = np.array([len(part) for part in nodes])
        return cls(training, options, np.concatenate(fits), pool, kind, room, room * count, nodes, link)

    def sizes(self, view: View, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """GPUs of every column, 0 where a job cannot choose it, shape (rows, columns)."""
        jobs = [view.job(row) for row in rows.tolist()]
        asked, fewest, most = (np.array([getattr(j, n) for j in jobs]) for n in ("gpus", "min_gpus", "max_gpus"))
        rigid = np.array([job.adaptivity == "rigid" for job in jobs])
        chosen = np.broadcast_to(self.options.gpus[self.option], (len(rows), len(self.option)))
        chosen = np.where(rigid[:, None] | (chosen < fewest[:, None]) | (chosen > most[:, None]), 0, chosen)
        fits = rigid[:, None] & (asked[:, None] <= self.capacity)
        return np.concatenate([chosen, np.where(fits, asked[:, None], 0)], axis=1)

    def rates(self, view: View, rows: NDArray[np.int64], gpus: NDArray[np.int64]) -> NDArray[np.float64]:
        """Believed work per second without the network's delays, 0 where there is no choice, shape (rows, columns).

        A job that knows nothing yet is taken to be as fast on the fewest GPUs of any type as on each GPU of its
        request.
        """
        training, inner = self.training, len(self.option)
        rate = np.zeros(gpus.shape)
        rate[:, :inner] = training.goodputs(rows, self.options)[:, self.option] / training.samples[rows][:, None]
        asked = view.prices.work[rows] / np.maximum([view.job(row).duration_s for row in rows.tolist()], 1e-9)
        rigid = np.flatnonzero(gpus[:, inner:].any(axis=1))
        if len(rigid):
            speed = training.requested.goodputs(rows[rigid])
            first = speed[np.arange(len(rigid)), (speed > 0.0).argmax(axis=1)]
            rate[rigid, inner:] = (asked[rigid] / np.maximum(first, 1e-9))[:, None] * speed[:, self.kind]
        rate[gpus == 0] = 0.0
        blank = np.asarray(~rate.any(axis=1))
        unit = training.pipeline[rows][:, self.kind[self.pool]]
        request = np.array([view.job(row).gpus for row in rows.tolist()])
        alone = (blank[:, None] & (gpus == unit) & (gpus > 0)) * (asked / np.maximum(request, 1))[:, None]
        return np.asarray(rate + alone * unit)

    def delay(self, view: View, rows: NDArray[np.int64], gpus: NDArray[np.int64]) -> NDArray[np.float64]:
        """Time of an iteration over that without the network's delays, shape (rows, columns).

        From the shares of exchange and of overhead in an iteration as requested (SJF-BCO eq. 8, nobody else on the
        servers).
        """
        prices, servers = view.prices, -(-gpus // self.room[self.pool])
        alone, link, server = prices.base_s[rows] + prices.link_s[rows], prices.link_s[rows], prices.server_s[rows]
        slower = link[:, None] * (self.link[self.pool] - 1.0) + server[:, None] * servers
        return np.where(servers > 1, 1.0 + slower / np.maximum(alone, 1e-12)[:, None], 1.0)
