"""Where SJF-BCO's premise holds: its lead over first fit, list scheduling and plain SJF, by law, duty, sharers, fabric.

SJF-BCO plans with the number of jobs on a server (eq. 6 to 8). The same batches are priced by that law itself, by the
fast law of shared links, and phase by phase; plans do not depend on which of them holds.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.cost.linked import laid_out, on_fabric
from rarlib.cost.ring import RingCost
from rarlib.discovery import make_scheduler
from rarlib.fabric.shapes import Shape, leaf_spine
from rarlib.model.cluster import Cluster
from rarlib.model.jobs import Jobs
from rarlib.model.prices import Prices
from rarlib.model.seeds import stream
from rarlib.simulator.engine import simulate

PREMISE_RIVALS = ("first-fit", "list-scheduling", "sjf")
LAWS = ("counted", "law", "flow")
"""f = k by jobs on a server; the fast law of shared links; phase by phase."""

_GPUS, _SPINES, _GBPS = 32, 2, 10.0
_SIZES, _CHANCES = (1, 2, 4, 8, 16), (0.3, 0.15, 0.25, 0.2, 0.1)
_LEAST_S, _MOST_S, _JOBS = 60.0, 600.0, 24
_ITERATION_S = (0.3, 1.2)


class PremiseRun(NamedTuple):
    """One scheduler on one batch under one law.

    Attributes:
        law: one of `LAWS`.
        duty: share of an iteration on several servers that a job alone sends.
        sharers: most jobs that can share a server, its GPUs.
        oversubscription: of the racks.
        seed: of the batch.
        scheduler: the scheduler.
        makespan_s: latest finish.
        mean_jct_s: mean completion.
        contention_s: mean contention.
    """

    law: str
    duty: float
    sharers: int
    oversubscription: float
    seed: int
    scheduler: str
    makespan_s: float
    mean_jct_s: float
    contention_s: float


@dataclass(frozen=True)
class UnlikeRing(RingCost):
    """`RingCost` of jobs whose iterations last differently long, so that their phases mix.

    Attributes:
        iteration_s: of each job alone on one server, shape (jobs,).
    """

    iteration_s: NDArray[np.float64] = field(default_factory=lambda: np.ones(1))

    def price(self, jobs: Jobs, cluster: Cluster) -> Prices:
        """Price table with `work` in iterations."""
        prices, each = super().price(jobs, cluster), self.iteration_s
        columns = ("base_s", "local_s", "link_s", "server_s")
        return prices._replace(work=prices.work / each, **{name: getattr(prices, name) * each for name in columns})


def premise_batch(seed: int, duty: float) -> tuple[Jobs, UnlikeRing]:
    """A batch that waits at 0, and what its jobs cost: sizes about as in the paper's section 7."""
    rng = stream(seed, "premise")
    gpus, duration_s = rng.choice(_SIZES, _JOBS, p=_CHANCES), rng.uniform(_LEAST_S, _MOST_S, _JOBS).round(3)
    iteration_s = rng.uniform(*_ITERATION_S, _JOBS)
    jobs = Jobs.build(submit_s=np.zeros(_JOBS), gpus=gpus, duration_s=duration_s)
    return jobs, UnlikeRing(alpha=0.0, share=duty, overhead=0.0, gbps=_GBPS, iteration_s=iteration_s)


def premise_shape(sharers: int, oversubscription: float) -> Shape:
    """Two racks of servers with so many GPUs each, below two spines."""
    per_rack = _GPUS // sharers // 2
    return leaf_spine(2, per_rack, _SPINES, _GBPS, per_rack * _GBPS / (_SPINES * oversubscription))


def premise_runs(
    duties: Sequence[float], sharers: Sequence[int], oversubscriptions: Sequence[float], seeds: Sequence[int]
) -> Iterator[PremiseRun]:
    """SJF-BCO and its rivals on every batch, cluster and law."""
    for duty, most, over, seed in product(duties, sharers, oversubscriptions, seeds):
        jobs, alone = premise_batch(seed, duty)
        shape = premise_shape(most, over)
        cluster = laid_out(Cluster.of([most] * shape.servers), shape)
        for law, scheduler in product(LAWS, ("sjf-bco", *PREMISE_RIVALS)):
            cost: Any = alone if law == LAWS[0] else on_fabric(alone, shape, grade=law)
            run = simulate(jobs, cluster, make_scheduler(scheduler, {}), cost, seed=seed)
            means = float(run.turnaround_s.mean()), float(run.contention_s.mean())
            yield PremiseRun(law, duty, most, over, seed, scheduler, run.makespan_s, *means)
