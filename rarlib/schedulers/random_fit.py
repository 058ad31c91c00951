"""Random placement (RAND), a baseline of SJF-BCO: random servers, random GPUs on them, a limit on the clock.

Source: baseline of Yu et al., MobiHoc 2022, doi 10.1145/3492866.3549716, section 7.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from rarlib.model.scheduler import View
from rarlib.schedulers.shared.planning.batch import Batch
from rarlib.schedulers.shared.planning.gpu_state import BUSY, FINISH, GpuState, idle_gpus
from rarlib.schedulers.shared.planning.planner import Planner
from rarlib.schedulers.shared.planning.queueing import promise
from rarlib.schedulers.shared.planning.search import BatchSchedule


@dataclass
class RandomFit(Planner):
    """Servers in random order; on each, all GPUs that pass the limit, and on the last server a random part of them.

    The limit is the horizon itself and is tested on the planned clock without communication cost, so a run may end
    somewhat later. A gang that finds too few GPUs makes the instance infeasible: there is no second draw.

    Attributes:
        order: `gang` (ascending size) or `submission`.
        horizon: the limit; None: a value so large that it never binds.
        replan: `arrivals` or `events` (see `Planner`).
    """

    name: ClassVar[str] = "random"
    label: ClassVar[str] = "RAND"
    paper: ClassVar[str] = "sjf-bco"

    order: str = "gang"
    horizon: float | None = None
    replan: str = "arrivals"

    def plan(self, view: View, batch: Batch, horizon: float) -> BatchSchedule | None:
        """Draw GPUs for one gang after the other."""
        state = idle_gpus(view.cluster.gpus, view.now_s, FINISH, BUSY)
        gangs = len(batch.row)
        for i in range(gangs):
            if i < batch.running[0]:
                gpus = batch.gpus[batch.at[i] : batch.at[i + 1]].copy()
            else:
                gpus = _draw(state, int(batch.gang[i]), horizon - batch.plain[i], view.rng)
            if len(gpus) < batch.gang[i]:
                return None
            promise(state, batch, i, gpus)
        return BatchSchedule(
            batch, horizon, 0, float(batch.finish.max()), float(state.busy.max()), 1, gangs * len(state.busy)
        )


def _draw(state: GpuState, gang: int, level_limit: float, rng: np.random.Generator) -> NDArray[np.int64]:
    """GPUs of a gang, ascending; fewer than requested if not enough pass the limit."""
    taken: list[NDArray[np.int64]] = []
    missing = gang
    for server in rng.permutation(len(state.spare)).tolist():
        begin, end = int(state.first[server]), int(state.first[server + 1])
        able = begin + np.flatnonzero(state.release[begin:end] <= level_limit)
        taken.append(able if len(able) <= missing else rng.choice(able, missing, replace=False))
        missing -= len(taken[-1])
        if missing == 0:
            break
    return np.sort(np.concatenate(taken))
