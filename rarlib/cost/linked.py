"""Jobs that share the links of a fabric, under any cost model: `rarlib.fabric.law` in the place of f(alpha, k).

A cost model says how long an iteration computes and sends when the job is alone; its `link_s` is the time over a link
of the capacity that it assumes. The fabric says over which links a job's ring goes and who else is there. Planners
still believe what the cost model says (SJF-BCO eq. 6 to 8); only the run is priced by the law.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from rarlib.cost.links.link_sharing import LinkState, link_state, renew_rates
from rarlib.cost.links.link_traffic import account_all
from rarlib.fabric.links import SharedLinks, link_names, numbered_links
from rarlib.fabric.shapes import Shape, rack_tree
from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError
from rarlib.model.forecast import Forecast
from rarlib.model.jit import Repeated
from rarlib.model.jobs import Jobs
from rarlib.model.prices import Prices
from rarlib.model.scheduler import Scheduler
from rarlib.model.training import Training
from rarlib.simulator.run import LinkFrames
from rarlib.simulator.state import State

_BUSIEST = 8
"""Links whose load over time is recorded."""


class LawLinks:
    """Jobs of a run on links, by the law; `names` are those of the links, in their order."""

    def __init__(self, tables: LinkState, names: list[str]) -> None:
        self.tables, self._names, self._renew = tables, names, Repeated(renew_rates)

    def look_ahead(self, state: State, prices: Prices) -> None:
        """See `rarlib.simulator.cost_models.RunLinks`."""
        if state.run[0].changed:
            self._renew(self.tables, state, prices, float(state.run[0].now))

    def frames(self, state: State) -> LinkFrames:
        """See `rarlib.simulator.cost_models.RunLinks`."""
        links, names = self.tables, self._names
        account_all(links.traffic, links.sharing, links.on, state)
        traffic = links.traffic
        sums = {"carried_s": traffic.carried_s, "contention_s": traffic.contention_s}
        frame = pd.DataFrame({"link": names, **sums})
        busiest = np.argsort(-traffic.carried_s, kind="stable")[:_BUSIEST]
        busiest = busiest[traffic.carried_s[busiest] > 0.0]
        bin_s, bins = float(traffic.bin_s[0]), traffic.load_s.shape[1]
        load = pd.DataFrame(traffic.load_s[busiest].T / bin_s, columns=[names[link] for link in busiest])
        load.insert(0, "start_s", np.arange(bins) * bin_s)
        load = load[load["start_s"] < float(state.run[0].now)]
        return LinkFrames(frame[frame["carried_s"] > 0.0].reset_index(drop=True), load)


def cluster_shape(cluster: Cluster) -> Shape:
    """The fabric that a cluster describes: its racks and their uplinks, or one switch."""
    nics = np.broadcast_to(np.asarray(cluster.node_gbps, dtype=np.float64), cluster.nodes).copy()
    return rack_tree(cluster.rack, nics, cluster.rack_gbps) if len(cluster.rack_gbps) > 1 else Shape(nics)


def laid_out(cluster: Cluster, shape: Shape) -> Cluster:
    """A cluster whose links are those of a fabric: racks are the groups of its first layer, with one cable as uplink.

    Raises:
        InputError: if the fabric does not have the cluster's servers.
    """
    if shape.servers != cluster.nodes:
        raise InputError(f"has {shape.servers} servers, the cluster {cluster.nodes} nodes", field="fabric")
    if not shape.layers:
        return replace(
            cluster, rack=np.zeros(cluster.nodes, np.int64), node_gbps=shape.nic_gbps, rack_gbps=np.array([np.inf])
        )
    nearest = shape.layers[0]
    return replace(cluster, rack=nearest.group, node_gbps=shape.nic_gbps, rack_gbps=nearest.gbps)


@dataclass(frozen=True)
class LinkedCost:
    """A cost model on a fabric."""

    alone: Any  # what jobs cost when they are alone
    shape: Shape  # the fabric; its servers are the cluster's nodes, and the cluster must be laid out on it (`laid_out`)
    alpha: float = 0.0  # loss per further job that sends over a link
    ecmp_seed: int = 0  # of the hash that chooses paths

    @property
    def name(self) -> str:
        """Name of the cost model that says what jobs cost alone."""
        return str(self.alone.name)

    def price(self, jobs: Jobs, cluster: Cluster) -> Prices:
        """Price table of jobs that are alone, which is what planners believe."""
        prices: Prices = self.alone.price(jobs, cluster)
        return prices._replace(linked=True)

    def links(self, cluster: Cluster, prices: Prices) -> SharedLinks:
        """The links, relative to what the price table assumes; errors as for `run_links`."""
        if self.shape.servers != cluster.nodes:
            raise InputError(f"has {self.shape.servers} servers, the cluster {cluster.nodes} nodes", field="fabric")
        if prices.slot_s > 0.0 or np.isfinite(prices.cap_s).any() or len(prices.gbps):
            raise InputError(
                "cost models with slots, caps or reserved bandwidth do not run on a fabric", field="fabric"
            )
        assumed = prices.node_link * np.broadcast_to(cluster.node_gbps, cluster.nodes)
        return numbered_links(self.shape, cluster.gpus, float(assumed[0]), self.alpha, self.ecmp_seed)

    def run_links(self, jobs: int, cluster: Cluster, prices: Prices) -> LawLinks:
        """See `rarlib.simulator.cost_models.LinkedModel`."""
        tables = link_state(self.links(cluster, prices), jobs, int(cluster.gpus.sum()))
        return LawLinks(tables, link_names(self.shape))


@dataclass(frozen=True)
class LinkedTrainings(LinkedCost):
    """The same for a cost model of jobs whose iteration time changes while they run."""

    def admit(self, jobs: Jobs, cluster: Cluster) -> Jobs:
        """See `rarlib.simulator.cost_models.TrainingModel`."""
        admitted: Jobs = self.alone.admit(jobs, cluster)
        return admitted

    def train(self, jobs: Jobs, cluster: Cluster, prices: Prices, scheduler: Scheduler, forecast: Forecast) -> Training:
        """See `rarlib.simulator.cost_models.TrainingModel`."""
        training: Training = self.alone.train(jobs, cluster, prices, scheduler, forecast)
        return training


def on_fabric(cost: Any, shape: Shape, alpha: float = 0.0, ecmp_seed: int = 0) -> LinkedCost:
    """A cost model on a fabric; arguments as for `LinkedCost`."""
    kind = LinkedTrainings if hasattr(cost, "train") else LinkedCost
    return kind(cost, shape, alpha, ecmp_seed)
