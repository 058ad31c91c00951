"""Small random instances that use everything a price table and the simulator know."""

from typing import NamedTuple

import numpy as np

from rarlib.cost.contention import sharing_factors
from rarlib.cost.table import price_table
from rarlib.model.cluster import Cluster
from rarlib.model.jobs import Jobs
from rarlib.model.prices import Prices
from rarlib.model.seeds import stream


class Table(NamedTuple):
    """A cost model that is a price table."""

    prices: Prices

    def price(self, jobs, cluster):
        return self.prices


class Case(NamedTuple):
    jobs: Jobs
    cluster: Cluster
    prices: Prices
    options: dict[str, float]

    @property
    def cost(self):
        return Table(self.prices)


def cluster_of(gpus, speed, rack, rack_gbps=(10.0, 5.0)) -> Cluster:
    return Cluster(
        gpus=np.array(gpus, np.int64),
        gpu_type=tuple(f"t{s:g}" for s in speed),
        rack=np.array(rack, np.int64),
        speed=np.array(speed, np.float64),
        rack_gbps=np.array(rack_gbps),
    )


def random_case(seed: int, shortest: int = 1) -> Case:
    """Gangs, releases, links, racks, speeds, slots, quanta, elastic jobs: each present in some of the cases."""
    rng = stream(seed, "bounds")
    nodes = int(rng.integers(1, 5))
    sizes = rng.choice([1, 2, 3, 4, 8], nodes)
    hetero, racks = rng.random() < 0.4, rng.random() < 0.3
    cluster = cluster_of(
        sizes,
        rng.choice([1.0, 2.0, 3.5], nodes) if hetero else np.full(nodes, 1.0),
        rng.integers(0, 2, nodes) if racks else np.zeros(nodes),
    )
    total = int(sizes.sum())
    n = int(rng.integers(1, 10))
    gpus = np.minimum(rng.choice([1, 1, 2, 3, 4, 5, 8], n), total)
    elastic = rng.random(n) < (0.5 if rng.random() < 0.25 else 0.0)
    low, high = np.where(elastic, 1, gpus), np.where(elastic, 2 * gpus, gpus)
    spread = rng.choice([0, 0, 6, 30])
    submit = rng.integers(0, spread + 1, n) if rng.random() < 0.5 else rng.uniform(0, spread, n)
    duration = rng.integers(shortest, 20, n).astype(float)
    jobs = Jobs.build(submit_s=submit, gpus=gpus, duration_s=duration, min_gpus=low, max_gpus=high)
    prices = _prices(rng, jobs, cluster)
    quantum = float(rng.choice([0.0, 0.0, 1.0, 4.0]))
    options = {"quantum": quantum, "whole_slots": bool(quantum and rng.random() < 0.5)}
    return Case(jobs, cluster, prices, options)


def _prices(rng, jobs, cluster) -> Prices:
    n = len(jobs)
    elastic = jobs.min_gpus != jobs.max_gpus
    speedup = np.arange(jobs.max_gpus.max() + 1)[None, :] ** rng.choice([0.6, 1.0])
    base = rng.uniform(0.2, 1.0, n) if rng.random() < 0.5 else np.ones(n)
    slotted = rng.random() < 0.3
    unit = 0.1 if slotted else 1.0  # several iterations per slot, or a job could stand still
    costs = unit * (rng.random() < 0.7)
    given = {
        "base_s": unit * base,
        "local_s": unit * rng.choice([0.0, 0.1]),
        "link_s": costs * rng.uniform(0.0, 0.4),
        "server_s": costs * rng.choice([0.0, 0.05]),
        "cap_s": unit * (1.3 if slotted else rng.choice([np.inf, 1.3])),
        "sharing": sharing_factors(int(cluster.gpus.max()), float(rng.choice([0.0, 0.5])), 1.0),
        "slot_s": float(slotted),
        "node_speed": cluster.speed,
        "node_link": rng.choice([1.0, 1.5], cluster.nodes) if rng.random() < 0.3 else np.ones(cluster.nodes),
        "rack_link": 10.0 / cluster.rack_gbps,
        "curve": np.where(elastic, 0, -1).astype(np.int64),
        "speedup": speedup,
    }
    return price_table(jobs, cluster, work=jobs.duration_s.copy(), **given)
