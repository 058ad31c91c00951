"""Optimus: workers and parameter servers go where they save most time.

Source: Peng, Bao, Chen, Wu, Guo, Optimus: An Efficient Dynamic Resource Scheduler for Deep Learning Clusters, EuroSys
2018, doi 10.1145/3190508.3190517; [OPT] marks the authors' code.

    symbol        here                     unit
    Q             guessed_left             steps a job is believed to do still
    f(p, w)       1 / predicted_step_s     steps per second
    T = Q / f     Growth.times             s
    gain          growth                   seconds saved per share of the task's dominant resource

Every job first gets one worker and one server, in the order of submission, whatever fits; then tasks are handed out
one by one until the first that does not fit or that saves nothing [OPT]. Nothing happens between rounds [OPT], except
that a job that comes to an idle cluster does not wait.

Left out: the factor of about 0.95 on the priority of young jobs, and the placement on the fewest nodes that hold a
job; the model of a step here does not depend on where tasks are. A job whose end cannot be predicted is taken at its
guess, which is what the rule does with any estimate.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from rarlib.cost.parameter_server.training import ParameterServerTraining
from rarlib.model.decisions import Decision, Wake
from rarlib.model.errors import InputError
from rarlib.model.scheduler import View
from rarlib.schedulers.feedback.growth import parameter_server_growth
from rarlib.schedulers.feedback.rounds import Rounds
from rarlib.schedulers.feedback.tasks import NEEDS, SERVERS, Holdings, capacity, grant, requested


@dataclass
class Optimus:
    """Marginal gain in estimated time, in rounds.

    Args:
        tick: seconds between rounds; 600 in the authors' code, 300 in the baseline of AITurbo's laboratory [LAB].
    """

    name: ClassVar[str] = "optimus"
    label: ClassVar[str] = "Optimus"
    paper: ClassVar[str] = ""
    uses_cpu: ClassVar[bool] = True

    tick: float = 600.0
    _held: Holdings | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        self._rounds = Rounds(self.tick)

    def decide(self, view: View) -> Iterable[Decision]:
        """Deal all resources anew at every round."""
        if not isinstance(view.training, ParameterServerTraining):
            raise InputError("needs jobs with parameter servers", field="cost")
        if self._held is None:
            self._held = Holdings(view, (0.0, 0.0, 0.0))
        self._held.catch_up(view)
        jobs = np.union1d(view.running_rows, view.waiting_rows)
        if not len(jobs):
            return
        if self._rounds.due(view.now_s):
            asked = requested(view, jobs)
            least = np.where(asked > 0, 1, 0)
            least[:, SERVERS] = 1
            room, chosen = capacity(view), np.empty(len(jobs), np.int64)
            grant(np.arange(len(jobs)), (least @ NEEDS)[:, None, :], room, chosen)
            least[chosen < 0] = 0
            growth = parameter_server_growth(view.training, jobs, least, view.work_done(jobs))
            wanted = growth.grow(least, room, capacity(view), blocks=True)
            yield from self._held.exchange(view, jobs, wanted)
        yield Wake(self._rounds.next(view.now_s))
