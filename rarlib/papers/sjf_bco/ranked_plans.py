"""What SJF-BCO would gain if it ranked its candidate plans by the fast law, and not by jobs on a server (eq. 6 to 8).

Alg. 1 tries limits theta and gang sizes kappa and keeps the plan whose makespan is least as it believes. Here all plans
that its passes make are kept, each is run under the fast law, and the one that ends first is taken. Passes themselves
still count jobs: a pass tries each gang on many sets of servers, for which a ring has no path yet.

Paths come from ECMP, by a seed that a planner cannot know. Plans are therefore ranked on paths of another seed than
those of the run (`blind`), and also on the very paths of the run, which is the most that ranking can gain (`told`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import NamedTuple

import numpy as np

from rarlib.cost.linked import laid_out, on_fabric
from rarlib.model.cluster import Cluster
from rarlib.model.jobs import Jobs
from rarlib.model.scheduler import View
from rarlib.papers.sjf_bco.premise import UnlikeRing, premise_batch, premise_shape
from rarlib.schedulers.shared.planning.batch import Batch
from rarlib.schedulers.shared.planning.gpu_state import BUSY, LEVELS
from rarlib.schedulers.shared.planning.search import BatchSchedule, Search, kappas
from rarlib.schedulers.sjf_bco import SjfBco
from rarlib.simulator.engine import simulate

RANKINGS = ("eq. 6", "blind", "told")
"""By what the plan is chosen: SJF-BCO's own choice, the law on other paths, the law on the paths of the run."""

_PATHS, _OTHER_PATHS = 0, 1


class RankedRun(NamedTuple):
    """A batch under the plan that one ranking chooses.

    Attributes:
        ranking: one of `RANKINGS`.
        duty: share of an iteration on several servers that a job alone sends.
        sharers: most jobs that can share a server, its GPUs.
        oversubscription: of the racks.
        seed: of the batch.
        plans: different plans that were ranked.
        law_s: makespan by the fast law.
        flow_s: makespan phase by phase.
    """

    ranking: str
    duty: float
    sharers: int
    oversubscription: float
    seed: int
    plans: int
    law_s: float
    flow_s: float


@dataclass
class EveryPlan(SjfBco):
    """SJF-BCO that keeps every complete plan of its passes, each whole limit with each kappa.

    Attributes:
        found: the plans, without those that give the same GPUs in the same order.
    """

    found: list[BatchSchedule] = field(default_factory=list)

    def plan(self, view: View, batch: Batch, horizon: float) -> BatchSchedule | None:
        """Alg. 1; all plans are in `found` afterwards."""
        search = self.search(view, batch, horizon, LEVELS[self.limit], BUSY, self.fa_ffp, self.lambda_)
        known = set()
        for kappa in kappas(batch.gang):
            for plan in _plans(search, kappa, self._first(view, batch), horizon / self.step_s):
                key = (plan.batch.row.tobytes(), plan.batch.gpus.tobytes(), plan.batch.start.tobytes())
                if key not in known:
                    known.add(key)
                    self.found.append(plan)
        return super().plan(view, batch, horizon)


def _plans(search: Search, kappa: int, first: int, horizon: float) -> Iterator[BatchSchedule]:
    """Complete plans under all whole limits, from the horizon down; limits that give the same plan are skipped."""
    theta = max(1, int(np.floor(horizon)))
    while theta >= first:
        plan = search.improve(theta, kappa, np.inf)
        if plan is not None:
            yield plan
        theta = min(theta, int(np.ceil(search.peak))) - 1


@dataclass
class GivenPlan(SjfBco):
    """Releases a plan that was made before.

    Attributes:
        given: the plan, of the whole batch.
    """

    given: BatchSchedule | None = None

    def plan(self, view: View, batch: Batch, horizon: float) -> BatchSchedule | None:
        """The given plan, whatever the batch."""
        return self.given


def every_plan(jobs: Jobs, cluster: Cluster, cost: UnlikeRing) -> list[BatchSchedule]:
    """SJF-BCO's own choice, and then all plans of a batch that waits at 0."""
    planner = EveryPlan()
    simulate(jobs, cluster, planner, cost)
    return [*([] if planner.last_plan is None else [planner.last_plan]), *planner.found]


def ranked_runs(
    duties: Sequence[float], sharers: Sequence[int], oversubscriptions: Sequence[float], seeds: Sequence[int]
) -> Iterator[RankedRun]:
    """Every ranking on the batches and clusters of `rarlib.papers.sjf_bco.premise`."""
    for duty, most, over, seed in product(duties, sharers, oversubscriptions, seeds):
        jobs, alone = premise_batch(seed, duty)
        shape = premise_shape(most, over)
        cluster = laid_out(Cluster.of([most] * shape.servers), shape)
        plans = every_plan(jobs, cluster, alone)

        def ends_s(plan: BatchSchedule, grade: str, paths: int) -> float:
            """Makespan under a plan."""
            cost = on_fabric(alone, shape, ecmp_seed=paths, grade=grade)  # noqa: B023
            return float(simulate(jobs, cluster, GivenPlan(given=plan), cost).makespan_s)  # noqa: B023

        blind, exact = ([ends_s(plan, "law", paths) for plan in plans] for paths in (_OTHER_PATHS, _PATHS))
        for ranking, at in zip(RANKINGS, (0, int(np.argmin(blind)), int(np.argmin(exact))), strict=True):
            flow_s = ends_s(plans[at], "flow", _PATHS)
            yield RankedRun(ranking, duty, most, over, seed, len(plans) - 1, exact[at], flow_s)
