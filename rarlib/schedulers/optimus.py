"""Optimus: workers and parameter servers go to the jobs that they save most time.

Source: Peng, Bao, Chen, Wu, Guo, Optimus: An Efficient Dynamic Resource Scheduler for Deep Learning Clusters, EuroSys
2018, doi 10.1145/3190508.3190517; [OPT] marks the authors' code.

    symbol        here                     unit
    Q             guessed_left             estimated steps left of a job
    f(p, w)       1 / predicted_step_s     steps per second
    T = Q / f     Growth.times             s
    gain          growth                   seconds saved per share of the task's dominant resource

Every job first gets one worker and one server, in submission order, if they fit; then tasks are handed out one by one
until the first that does not fit or saves nothing [OPT]. Nothing changes between rounds [OPT], except that a job that
arrives at an idle cluster does not wait.

Jobs without parameter servers first get the fewest GPUs they accept, and then one GPU at a time. These are jobs with
adaptive batches, whose speed and work left are known, and elastic jobs under a plain price table. If there are several
GPU types, jobs with adaptive batches are first assigned to them (`rarlib.allocate.by_type`); the share of a GPU is
relative to its type, and the round ends for each type separately.

Left out: the factor of about 0.95 on the priority of young jobs, and the placement of a job on the fewest possible
nodes, since the model of a step with parameter servers does not depend on placement. For a job whose end cannot be
predicted, a guess is used like any other estimate.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray

from rarlib.allocate.by_type import Types, assign_types
from rarlib.allocate.tasks import Holdings, grant, requested
from rarlib.model.decisions import Decision, Wake
from rarlib.model.scheduler import View
from rarlib.model.settings import INTERVAL, check_settings
from rarlib.schedulers.shared.growth import ServerGrowth, goodput_growth, table_growth
from rarlib.schedulers.shared.rounds import Rounds


@dataclass
class Optimus:
    """Allocation by marginal gain in estimated time, in rounds.

    Args:
        tick: seconds between rounds; 600 in the authors' code, 300 in the baseline of AITurbo's laboratory [LAB].
    """

    name: ClassVar[str] = "optimus"
    label: ClassVar[str] = "Optimus"
    paper: ClassVar[str] = "optimus"
    one_type: ClassVar[str] = "fewest"
    uses_cpu: ClassVar[bool] = True
    learning: ClassVar[str] = "by-type"
    scaling: ClassVar[str] = "fed"

    tick: Annotated[float, INTERVAL] = 600.0
    _held: Holdings | None = field(default=None, init=False, repr=False)
    _types: Types | None = field(default=None, init=False, repr=False)
    _growth: ServerGrowth | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        check_settings(self)
        self._rounds = Rounds(self.tick)

    def decide(self, view: View) -> Iterable[Decision]:
        """Reallocate all resources at every round."""
        if self._held is None:
            self._held = Holdings(view, (0.0, 0.0, 0.0))
            if view.offers.goodput is not None:
                self._types = Types(view.offers.goodput, view.cluster)
            if view.offers.tasks is not None:
                self._growth = ServerGrowth(view.offers.tasks)
        self._held.catch_up(view)
        jobs = np.sort(np.concatenate((view.running_rows, view.waiting_rows)))
        if not len(jobs):
            return
        if self._rounds.due(view.now_s):
            wanted, kind = self._by_type(view, jobs) if self._types is not None else (self._anywhere(view, jobs), None)
            yield from self._held.exchange(view, jobs, wanted, kind)
        yield Wake(self._rounds.next(view.now_s))

    def _anywhere(self, view: View, jobs: NDArray[np.int64]) -> NDArray[np.int64]:
        """Tasks of jobs with parameter servers, or of jobs under a plain price table, shape (jobs, 3)."""
        assert self._held is not None
        least, left = self._least(view, jobs), self._held.capacity.copy()
        given = np.empty_like(least)
        grant(np.arange(len(jobs)), least[:, None], left, given)
        own = self._growth
        growth = table_growth(view, jobs) if own is None else own.of(jobs, view.work_done(jobs))
        return growth.grow(given, left, self._held.capacity, blocks=True)

    def _by_type(self, view: View, jobs: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Tasks of jobs with adaptive batches, shape (jobs, 3), and their GPU types, shape (jobs,)."""
        assert self._held is not None and self._types is not None
        rate, capacity = self._types.rates(view, jobs), self._types.capacity
        least, left = self._least(view, jobs), capacity.copy()
        now = np.where(self._held.tasks[jobs].any(axis=1), self._held.kind[jobs], -1)
        kind, chosen = assign_types(rate, np.arange(len(jobs)), least[:, :1], now, capacity, left)
        least[chosen < 0] = 0
        growth = goodput_growth(rate, kind, view.work_left(jobs))
        return growth.grow(least, left, capacity, blocks=False), kind

    @staticmethod
    def _least(view: View, jobs: NDArray[np.int64]) -> NDArray[np.int64]:
        """One worker of the requested kind and one server, or the fewest GPUs; shape (jobs, 3)."""
        if view.offers.tasks is not None:
            return np.minimum(requested(view, jobs), 1)
        return np.array([(view.job(job).min_gpus, 0, 0) for job in jobs.tolist()], dtype=np.int64)
