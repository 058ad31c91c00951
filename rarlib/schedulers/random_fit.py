"""Random placement (RAND), a baseline of SJF-BCO: random servers, random GPUs on them, a limit on the clock.

Source: baseline of Yu et al., MobiHoc 2022, doi 10.1145/3492866.3549716, section 7.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray

from rarlib.model.decisions import Decision, Placement, Start
from rarlib.model.errors import InfeasibleError
from rarlib.model.jit import Repeated
from rarlib.model.scheduler import View
from rarlib.model.settings import LENGTH_S, OneOf, check_settings
from rarlib.schedulers.shared.planning.batch import Batch
from rarlib.schedulers.shared.planning.gpu_state import BUSY, FINISH, LEVELS, GpuState, idle_gpus
from rarlib.schedulers.shared.planning.planner import Planner
from rarlib.schedulers.shared.planning.prepare import planning_order
from rarlib.schedulers.shared.planning.queueing import promise
from rarlib.schedulers.shared.planning.search import BatchSchedule, busiest


@dataclass
class RandomFit(Planner):
    """Servers in random order; on each, all GPUs that pass the limit, and on the last server a random part of them.

    Two readings of `availability`. Under `queue` gangs queue on busy GPUs: the limit is the horizon itself and is
    tested on the planned clock without communication cost, so a run may end somewhat later; a gang that finds too few
    GPUs makes the instance infeasible, and there is no second draw. Under `idle` the next gang draws servers until they
    are large enough for it; if they have too few idle GPUs, it waits for an exit and draws again, as Alg. 2 and 3 wait.

    Attributes:
        order: `gang` (ascending size) or `submission`.
        availability: `queue` on busy GPUs, or `idle` GPUs only.
        horizon: the limit; None: a value so large that it never binds.
        replan: `arrivals` or `events` (see `Planner`); without effect under `idle`, where nothing is planned ahead.
        limit: what the horizon limits under `queue`: `finish` (the clock of a GPU) or `busy` (its accumulated
            estimated time; a run may end later than the horizon then).
        tau_hat: estimated iteration time of every job; None: each job's upper bound tau^u.
    """

    name: ClassVar[str] = "random"
    label: ClassVar[str] = "RAND"
    paper: ClassVar[str] = "sjf-bco"

    order: Annotated[str, OneOf("gang", "submission")] = "gang"
    availability: Annotated[str, OneOf("idle", "queue")] = "queue"
    horizon: Annotated[float, LENGTH_S] | None = None
    replan: Annotated[str, OneOf("arrivals", "events")] = "arrivals"
    limit: Annotated[str, OneOf(*LEVELS)] = "finish"
    tau_hat: Annotated[float, LENGTH_S] | None = None

    def __post_init__(self) -> None:
        check_settings(self)

    def decide(self, view: View) -> Iterable[Decision]:
        """Release the plan, or start gangs in order until one has to wait.

        Raises:
            InfeasibleError: when the next gang cannot end within the horizon.
        """
        return self._starts(view) if self.availability == "idle" else super().decide(view)

    def _starts(self, view: View) -> Iterator[Start]:
        size, idle = view.cluster.gpus.tolist(), view.free.tolist()
        for job in planning_order(view.waiting, self.order):
            if self.horizon is not None and view.now_s + job.duration_s > self.horizon:
                raise InfeasibleError(f"{self.name} found no schedule that ends by {self.horizon:g}", field="horizon")
            placement = _draw_idle(size, idle, job.gpus, view.rng)
            if placement is None:
                return
            for server, count in placement:
                idle[server] -= count
            yield Start(job.row, placement)

    def plan(self, view: View, batch: Batch, horizon: float) -> BatchSchedule | None:
        """Draw GPUs for one gang after the other."""
        level = LEVELS[self.limit]
        state = idle_gpus(view.cluster.gpus, view.now_s, level, BUSY)
        most, added = (horizon, batch.plain) if level == FINISH else (horizon * batch.units_per_s, batch.estimate)
        gangs, plan_gang = len(batch.row), Repeated(promise)
        for i in range(gangs):
            if i < batch.running[0]:
                gpus = batch.gpus[batch.at[i] : batch.at[i + 1]].copy()
            else:
                gpus = _draw(state, int(batch.gang[i]), most - added[i], view.rng)
            if len(gpus) < batch.gang[i]:
                return None
            plan_gang(state, batch, i, gpus)
        return BatchSchedule(
            batch, horizon, 0, float(batch.finish.max()), busiest(state, batch), 1, gangs * len(state.busy)
        )


def _draw_idle(size: list[int], idle: list[int], gang: int, rng: np.random.Generator) -> Placement | None:
    """Idle GPUs of the first servers of a random order that together hold a gang; None if they are too few."""
    taken, missing, held = [], gang, 0
    for server in rng.permutation(len(size)).tolist():
        if count := min(idle[server], missing):
            taken.append((server, count))
            missing -= count
        held += size[server]
        if held >= gang:
            break
    return None if missing else tuple(sorted(taken))


def _draw(state: GpuState, gang: int, level_limit: float, rng: np.random.Generator) -> NDArray[np.int64]:
    """GPUs of a gang, ascending; fewer than requested if not enough pass the limit."""
    taken: list[NDArray[np.int64]] = []
    missing, passing = gang, np.flatnonzero(state.limited <= level_limit)
    first = np.searchsorted(passing, state.first).tolist()
    for server in rng.permutation(len(state.spare)).tolist():
        able = passing[first[server] : first[server + 1]]
        taken.append(able if len(able) <= missing else rng.choice(able, missing, replace=False))
        missing -= len(taken[-1])
        if missing == 0:
            break
    return np.sort(np.concatenate(taken))
