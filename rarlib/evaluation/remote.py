"""The simulator's side of the connection: a scheduler that asks a policy in another process.

The run, its record and its score stay on this side. What the policy answers is taken for numbers at most; whether its
decisions are possible is checked by the simulator, as for any scheduler.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar

import numpy as np

from rarlib.evaluation.policy_view import arrivals_message, cluster_message, prices_message
from rarlib.evaluation.processes import PolicyConnection, PolicyError
from rarlib.model.decisions import Allocation, Decision, Start, Stop, Wake
from rarlib.model.errors import shown
from rarlib.model.scheduler import View

_LARGEST = 2**53
"""Whole numbers up to here are the same in every reader of JSON."""


class RemoteScheduler:
    """A scheduler whose decisions another process takes (implements `rarlib.model.scheduler.Scheduler`).

    Args:
        name: what errors call it.
        connect: starts the policy, from what it is told first.
        source: text of the policy.
        seed: seed of its random stream.

    Attributes:
        passes: passes answered.
        now_s: simulated time of the last one.
    """

    name: ClassVar[str] = "policy"
    label: ClassVar[str] = "policy"
    paper: ClassVar[str] = ""

    def __init__(
        self, name: str, connect: Callable[[dict[str, Any]], PolicyConnection], source: str, seed: int
    ) -> None:
        self.__dict__["name"] = name  # one object, one file
        self._connect, self._first = connect, {"text": source, "name": name, "seed": seed}
        self._policy: PolicyConnection | None = None
        self._arrived = 0
        self.passes, self.now_s = 0, 0.0

    def close(self) -> None:
        """End the policy."""
        if self._policy is not None:
            self._policy.close()

    def decide(self, view: View) -> Iterator[Decision]:
        """What the policy answers.

        Raises:
            PolicyError: if it fails, or its answer is no list of decisions.
            BudgetOverError: if the time is over.
        """
        if self._policy is None:
            total = len(view.prices.work)
            given = {"cluster": cluster_message(view.cluster), "prices": prices_message(view.prices), "jobs": total}
            self._policy = self._connect(self._first | given)
        self.passes, self.now_s = self.passes + 1, view.now_s
        when = f"pass {self.passes} at {view.now_s:g} s"
        answer = self._policy.ask(self._situation(view), when, "decisions")
        if not isinstance(answer, list):
            raise PolicyError(f"{when}: an answer that is no list of decisions")
        for each in answer:
            decision = _decision(each)
            if decision is None:
                raise PolicyError(f"{when}: {shown(str(each))} is not a decision")
            yield decision

    def _situation(self, view: View) -> dict[str, Any]:
        waiting, running = view.waiting_rows, view.running_rows
        rows = np.concatenate([waiting, running])
        arrived = len(view.prices.work) - view.arrivals_left
        first, self._arrived = self._arrived, arrived
        return {
            "now": view.now_s,
            "arrived": arrivals_message(view, first, arrived - first),
            "arrivals_left": view.arrivals_left,
            "free": view.free,
            "waiting": waiting,
            "running": [[each.job.row, each.placement, each.since_s] for each in view.running],
            "rows": rows,
            "done": view.work_done(rows),
            "attained": view.attained_gpu_s(rows),
            "remaining": view.remaining_s(rows),
        }


def _decision(answer: Any) -> Decision | None:
    """A decision from its message; None if it is of no such form."""
    match answer:
        case ["start", job, list(placement), variant] if _whole([job, variant]) and all(map(_pair, placement)):
            return Start(job, tuple((node, gpus) for node, gpus in placement), variant)
        case ["stop", job] if _whole([job]):
            return Stop(job)
        case ["wake", int() | float() as at_s] if not isinstance(at_s, bool) and abs(at_s) < _LARGEST:
            return Wake(float(at_s))
        case ["allocate", list(jobs), list(gpus)] if _whole(jobs) and _table(gpus, len(jobs)):
            return Allocation(np.array(jobs, np.int64), np.array(gpus, np.int64).reshape(len(jobs), -1))
    return None


def _whole(numbers: Sequence[Any]) -> bool:
    return all(type(number) is int and abs(number) < _LARGEST for number in numbers)


def _pair(entry: Any) -> bool:
    return isinstance(entry, list) and len(entry) == 2 and _whole(entry)


def _table(rows: list[Any], count: int) -> bool:
    """Whether these are `count` rows of whole numbers, all of one length above 0."""
    if len(rows) != count or not all(isinstance(row, list) and row and _whole(row) for row in rows):
        return False
    return len({len(row) for row in rows}) == 1
