"""Assembling price tables: defaults for what a cost model does not use."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarlib.model import limits
from rarlib.model.cluster import Cluster
from rarlib.model.jobs import Jobs
from rarlib.model.prices import Prices


def price_table(
    jobs: Jobs, cluster: Cluster, *, work: NDArray[np.float64], shared: bool = False, **given: Any
) -> Prices:
    """A price table in which every cost that is not `given` is absent; scalars stand for every job.

    With `shared`, columns that are not given and hold the same number are one array, which nobody may write to; a table
    of many jobs is half as large then.
    """
    n = len(jobs)
    # Fresh arrays throughout: kernels are compiled anew for arrays that are read-only or not contiguous.
    per_job = {"base_s": 1.0, "local_s": 0.0, "link_s": 0.0, "server_s": 0.0, "cap_s": np.inf}
    per_job |= {"unit": 1.0, "until": np.inf, "launch_s": 0.0, "restart_s": 0.0}
    same = {value: np.full(n, value) for value in set(per_job.values())} if shared else {}
    arrays: dict[str, Any] = {
        name: same[absent]
        if shared and name not in given
        else np.array(np.broadcast_to(given.pop(name, absent), (n,)), dtype=np.float64)
        for name, absent in per_job.items()
    }
    rest: dict[str, Any] = {
        "sharing": np.ones(2),
        "slot_s": 0.0,
        "node_speed": np.ones(cluster.nodes),
        "node_link": np.ones(cluster.nodes),
        "rack": cluster.rack.copy(),
        "rack_link": np.ones(len(cluster.rack_gbps)),
        "curve": np.full(n, -1, dtype=np.int64),
        "speedup": np.ones((1, 1)),
    }
    return Prices(work=np.array(work, dtype=np.float64), **arrays, **{**rest, **given})


def linear_speedup(jobs: Jobs, cluster: Cluster) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Speed-up curves of elastic jobs whose rate grows in proportion to their GPUs, as far as the cluster has them.

    Returns:
        `curve`, shape (jobs,), -1 for rigid jobs; `speedup`, shape (curves, GPUs + 1), one curve per requested gang.
    """
    elastic = (jobs.min_gpus != jobs.gpus) | (jobs.max_gpus != jobs.gpus)
    gangs = np.unique(jobs.gpus[elastic])
    if len(gangs) == 0:
        return np.full(len(jobs), -1, dtype=np.int64), np.ones((1, 1))
    curve = np.where(elastic, np.searchsorted(gangs, jobs.gpus), -1).astype(np.int64)
    most = min(int(jobs.max_gpus.max()), cluster.total_gpus)
    limits.CURVE_ENTRIES.check(len(gangs) * (most + 1), field="gpus")
    return curve, np.arange(most + 1)[None, :] / gangs[:, None]
