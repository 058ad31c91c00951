"""Optimus: workers and parameter servers go where they save most time.

Source: Peng, Bao, Chen, Wu, Guo, Optimus: An Efficient Dynamic Resource Scheduler for Deep Learning Clusters, EuroSys
2018, doi 10.1145/3190508.3190517; [OPT] marks the authors' code.

    symbol        here                     unit
    Q             guessed_left             steps a job is believed to do still
    f(p, w)       1 / predicted_step_s     steps per second
    T = Q / f     Growth.times             s
    gain          growth                   seconds saved per share of the task's dominant resource

Every job first gets one worker and one server, in the order of submission, whatever fits; then tasks are handed out one
by one until the first that does not fit or that saves nothing [OPT]. Nothing happens between rounds [OPT], except that
a job that comes to an idle cluster does not wait.

Jobs without parameter servers first get the fewest GPUs they accept, and then one at a time: jobs with adaptive
batches, on GPUs of one type, whose speed and work left are known; and elastic jobs of a plain price table.

Left out: the factor of about 0.95 on the priority of young jobs, and the placement on the fewest nodes that hold a job;
the model of a step with parameter servers does not depend on where tasks are. A job whose end cannot be predicted is
taken at its guess, which is what the rule does with any estimate.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from rarlib.cost.goodput.training import Configurations, GoodputTraining
from rarlib.cost.parameter_server.training import ParameterServerTraining
from rarlib.model.decisions import Decision, Wake
from rarlib.model.errors import InputError
from rarlib.model.scheduler import View
from rarlib.schedulers.feedback.growth import Growth, goodput_growth, one_type, parameter_server_growth, table_growth
from rarlib.schedulers.feedback.rounds import Rounds
from rarlib.schedulers.feedback.tasks import NEEDS, Holdings, grant, requested


@dataclass
class Optimus:
    """Marginal gain in estimated time, in rounds.

    Args:
        tick: seconds between rounds; 600 in the authors' code, 300 in the baseline of AITurbo's laboratory [LAB].
    """

    name: ClassVar[str] = "optimus"
    label: ClassVar[str] = "Optimus"
    paper: ClassVar[str] = "optimus"
    uses_cpu: ClassVar[bool] = True
    learning: ClassVar[str] = "by-type"
    bootstrap: ClassVar[str] = "oracle"

    tick: float = 600.0
    _held: Holdings | None = field(default=None, init=False, repr=False)
    _options: Configurations | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        self._rounds = Rounds(self.tick)

    def decide(self, view: View) -> Iterable[Decision]:
        """Deal all resources anew at every round."""
        if self._held is None:
            self._begin(view)
        assert self._held is not None
        self._held.catch_up(view)
        jobs = np.union1d(view.running_rows, view.waiting_rows)
        if not len(jobs):
            return
        if self._rounds.due(view.now_s):
            least = self._least(view, jobs)
            room, chosen = self._held.capacity.copy(), np.empty(len(jobs), np.int64)
            grant(np.arange(len(jobs)), (least @ NEEDS)[:, None, :], room, chosen)
            least[chosen < 0] = 0
            wanted = self._growth(view, jobs, least).grow(least, room, self._held.capacity.copy(), blocks=True)
            yield from self._held.exchange(view, jobs, wanted)
        yield Wake(self._rounds.next(view.now_s))

    def _begin(self, view: View) -> None:
        self._held = Holdings(view, (0.0, 0.0, 0.0))
        if isinstance(view.training, GoodputTraining):
            if len(view.training.types) > 1:
                raise InputError("Optimus knows GPUs of one type", field="cluster")
            self._options = one_type(view.training)

    @staticmethod
    def _least(view: View, jobs: NDArray[np.int64]) -> NDArray[np.int64]:
        """One worker of the kind asked for and one server; or the fewest GPUs. Shape (jobs, 3)."""
        if isinstance(view.training, ParameterServerTraining):
            return np.minimum(requested(view, jobs), 1)
        return np.array([(view.job(job).min_gpus, 0, 0) for job in jobs.tolist()], dtype=np.int64)

    def _growth(self, view: View, jobs: NDArray[np.int64], tasks: NDArray[np.int64]) -> Growth:
        training, done = view.training, view.work_done(jobs)
        if isinstance(training, ParameterServerTraining):
            return parameter_server_growth(training, jobs, tasks, done)
        if isinstance(training, GoodputTraining):
            assert self._options is not None
            return goodput_growth(training, self._options, jobs, view.prices.work[jobs] - done)
        return table_growth(view, jobs)
