"""Small random instances of RAR-DDLS for the exact methods, and eq. 6 to 9 once more, slot by slot."""

from itertools import product
from math import floor
from types import SimpleNamespace

import numpy as np

from rarlib.cost.ring import SlottedRingCost
from rarlib.ilp.rar_ddls.slotted import slotted
from rarlib.model.cluster import Cluster
from rarlib.model.jobs import Jobs
from rarlib.model.seeds import stream

KINDS = {
    # sizes of servers, how many, gangs, longest job in slots, weights of contention and servers
    "mixed": ((1, 2, 3, 4), (2, 3), (1, 2, 2, 3, 4), 6, (0.0, 0.1, 0.5)),
    "spanning": ((2,), (3, 4), (1, 3, 3, 3, 5), 6, (0.2, 0.5, 1.0)),
    "alone": ((2, 3, 4), (2, 3), (1, 2, 3), 5, (0.0,)),
    "coarse": ((2, 3), (2, 3), (2, 3, 3, 5), 3, (0.5, 1.0)),  # one to three iterations per slot: rounding rules
}


def case(kind, seed, jobs):
    """Jobs, cluster, cost and the slotted problem."""
    servers, how_many, gangs, longest, weights = KINDS[kind]
    rng = stream(seed, "exact", kind, jobs)
    sizes = rng.choice(servers, int(rng.choice(how_many)))
    gpus = np.minimum(rng.choice(gangs, jobs), sizes.sum())
    tau0 = rng.uniform(0.3, 0.6, jobs) if kind == "coarse" else rng.uniform(0.04, 0.2, jobs)
    work = np.maximum(1.0, np.floor(rng.uniform(1.0, longest, jobs) / tau0))
    cost = SlottedRingCost(work, tau0, float(rng.choice(weights)), cap=1.0, alpha=float(rng.choice([0.0, 0.5])))
    table = Jobs.build(submit_s=np.zeros(jobs), gpus=gpus, duration_s=np.ones(jobs))
    cluster = Cluster.of(sizes)
    problem = slotted(table, cluster, cost.price(table, cluster))
    return SimpleNamespace(jobs=table, cluster=cluster, cost=cost, problem=problem)


def ends_slot_by_slot(c, starts, placements):
    """T_j from eq. 1 to 9 as printed, from the cost's constants alone; None where a server is overfull."""
    gang, cost, n = c.jobs.gpus, c.cost, len(c.jobs)
    y = np.array(placements)
    done, end, t = np.zeros(n), np.full(n, -1), 0
    while (end < 0).any():
        active = (np.array(starts) <= t) & (end < 0)
        if (y[active].sum(axis=0) > c.cluster.gpus).any():
            return None
        partly = (y > 0) & (y < gang[:, None]) & active[:, None]  # indicator of eq. 6
        for j in np.flatnonzero(active):
            p = max(partly[j, s] * partly[:, s].sum() for s in range(y.shape[1]))
            tau = cost.tau0[j]
            if p > 0:
                f = p + cost.alpha * (p - 1)
                tau = min(cost.cap, tau * (1 + cost.extra * (f + np.count_nonzero(y[j]))))
            done[j] += floor(1 / tau + 1e-9)
        t += 1
        end[active & (done >= cost.iterations)] = t
    return end.tolist()


def placements(c, job):
    """All of them, no symmetry used."""
    counts = product(*(range(size + 1) for size in c.cluster.gpus))
    return [row for row in counts if sum(row) == c.jobs.gpus[job]]
