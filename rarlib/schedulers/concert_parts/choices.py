"""Pools of nodes that gangs stay inside: GPUs of one type, in one rack if uplinks are slower than servers' links.

A choice is a gang size in a pool. Sizes are those of Sia (`configurations`): powers of two within a server, and whole
servers. So two gangs that span servers never share a server, and there is no contention (SJF-BCO eq. 6). The only
effects of the network are the parts of eq. 8 that do not depend on other jobs: slower links, and overhead per server.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.allocate.by_type import requested_speed
from rarlib.allocate.nodes import Pools, configurations
from rarlib.model.offers import Configurations, GoodputEstimates, RestartEstimates, needed
from rarlib.model.scheduler import View


class ConcertChoices(NamedTuple):
    """What does not change during a run; columns are the sizes, pool by pool, then the requested size in each pool."""

    goodput: GoodputEstimates  # the jobs' estimates of their speed
    restarts: RestartEstimates  # the cost of restarts
    options: Configurations  # configurations by GPU type
    option: NDArray[np.int64]  # configuration of each column except the requested sizes, shape (columns - pools,)
    pool: NDArray[np.int64]  # pool of each column, shape (columns,)
    pools: Pools  # the pools
    kind: NDArray[np.int64]  # GPU type of each pool, shape (pools,)
    # transfer time over the slowest link of each pool's servers, relative to that in the price table, shape (pools,)
    link: NDArray[np.float64]

    @classmethod
    def of(cls, view: View, name: str, *, by_rack: bool) -> "ConcertChoices":
        """Build the choices on a cluster; with `by_rack` gangs stay inside a rack if its uplink is slow.

        Raises:
            InputError: if the cost model offers no goodput, or nodes of one type differ in size; names the scheduler.
        """
        cluster, prices = view.cluster, view.prices
        goodput = needed(view.offers.goodput, name, "goodput")
        types = np.array([goodput.types.index(each) for each in cluster.gpu_type])
        slow = prices.rack_link[cluster.rack] > prices.node_link
        rack = np.where(slow & by_rack, cluster.rack + 1, 0)
        found, of_node = np.unique(np.stack([types, rack], axis=1), axis=0, return_inverse=True)
        pools, kind = Pools.of(cluster, of_node.reshape(-1), name), found[:, 0]
        options = configurations(goodput)
        fits = [
            np.flatnonzero((options.kind == kind[i]) & (options.nodes <= len(part)))
            for i, part in enumerate(pools.nodes)
        ]
        every = np.arange(len(pools.nodes))
        pool = np.concatenate([np.repeat(every, [len(each) for each in fits]), every])
        link = np.array([float(prices.node_link[part].max()) for part in pools.nodes])
        restarts = needed(view.offers.restarts, name, "restarts")
        return cls(goodput, restarts, options, np.concatenate(fits), pool, pools, kind, link)

    def sizes(self, view: View, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """GPUs of every column, 0 where a job cannot choose it, shape (rows, columns)."""
        jobs = [view.job(row) for row in rows.tolist()]
        asked, fewest, most = (np.array([getattr(j, n) for j in jobs]) for n in ("gpus", "min_gpus", "max_gpus"))
        rigid = np.array([job.adaptivity == "rigid" for job in jobs])
        chosen = np.broadcast_to(self.options.gpus[self.option], (len(rows), len(self.option)))
        chosen = np.where(rigid[:, None] | (chosen < fewest[:, None]) | (chosen > most[:, None]), 0, chosen)
        fits = rigid[:, None] & (asked[:, None] <= self.pools.capacity)
        return np.concatenate([chosen, np.where(fits, asked[:, None], 0)], axis=1)

    def rates(self, view: View, rows: NDArray[np.int64], gpus: NDArray[np.int64]) -> NDArray[np.float64]:
        """Estimated work per second without network delays, 0 where a job cannot choose, shape (rows, columns).

        A job without estimates is assumed to be as fast per GPU on the fewest GPUs of any type as on those it requests.
        """
        known, inner = self.goodput, len(self.option)
        rate = np.zeros(gpus.shape)
        rate[:, :inner] = known.goodputs(rows, self.options)[:, self.option] / known.samples[rows][:, None]
        asked = requested_speed(view, rows)
        rigid = np.flatnonzero(gpus[:, inner:].any(axis=1))
        if len(rigid):
            speed = known.requested_goodputs(rows[rigid])
            first = speed[np.arange(len(rigid)), (speed > 0.0).argmax(axis=1)]
            rate[rigid, inner:] = (asked[rigid] / np.maximum(first, 1e-9))[:, None] * speed[:, self.kind]
        rate[gpus == 0] = 0.0
        blank = np.asarray(~rate.any(axis=1))
        unit = known.pipeline[rows][:, self.kind[self.pool]]
        request = np.array([view.job(row).gpus for row in rows.tolist()])
        alone = (blank[:, None] & (gpus == unit) & (gpus > 0)) * (asked / np.maximum(request, 1))[:, None]
        return np.asarray(rate + alone * unit)

    def delay(self, view: View, rows: NDArray[np.int64], gpus: NDArray[np.int64]) -> NDArray[np.float64]:
        """Iteration time relative to that without network delays, shape (rows, columns).

        It follows from the shares of communication and overhead in an iteration as requested (SJF-BCO eq. 8 with no
        other job on the servers).
        """
        prices, servers = view.prices, -(-gpus // self.pools.gpus_per_node[self.pool])
        alone, link, server = prices.base_s[rows] + prices.link_s[rows], prices.link_s[rows], prices.server_s[rows]
        slower = link[:, None] * (self.link[self.pool] - 1.0) + server[:, None] * servers
        return np.where(servers > 1, 1.0 + slower / np.maximum(alone, 1e-12)[:, None], 1.0)
