"""Cases in forked processes: one that crashes or hangs is a finding, not the end."""

import itertools
import math
import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection, wait
from time import monotonic
from typing import NamedTuple

from tests.rarlib.fuzz.case import Case
from tests.rarlib.fuzz.guard import MOST_S, Guard
from tests.rarlib.fuzz.outcome import FINDING, Outcome, outcome_of

MOST_WAIT_S = 300.0
"""Seconds after which a case that does not use a processor is given up; processes may be paused for a while."""

_FORK = multiprocessing.get_context("fork")


class Ran(NamedTuple):
    """A case that was run."""

    number: int
    target: str
    outcome: Outcome


class _Worker:
    """A process that runs cases one after the other."""

    def __init__(self, numbers: Sequence[int], case_of: Callable[[int], Case], seconds: float = MOST_S) -> None:
        self.left = list(numbers)
        self._case_of, self.ended = case_of, False
        self.connection, theirs = _FORK.Pipe(duplex=False)
        self.process = _FORK.Process(target=_work, args=(self.left, case_of, theirs, seconds), daemon=True)
        self.process.start()
        theirs.close()
        self.since = monotonic()

    def received(self) -> Ran | None:
        """The next case that was run; the one at hand as a finding if the process has died; None at the end."""
        self.since = monotonic()
        try:
            number, target, verdict, said = self.connection.recv()
        except EOFError:
            self.ended = True
            self.process.join()
            return self.given_up(f"died with exit code {self.process.exitcode}") if self.left else None
        self.left.remove(number)
        return Ran(number, target, Outcome(verdict, said))

    def late(self) -> Ran | None:
        """The case at hand as a finding if nothing has been heard of it for too long."""
        return self.given_up(f"no answer after {MOST_WAIT_S:.0f} s") if monotonic() - self.since > MOST_WAIT_S else None

    def given_up(self, why: str) -> Ran:
        """Stop the process; the case at hand is a finding."""
        self.ended = True
        self.process.kill()
        self.process.join()
        number = self.left.pop(0)
        return Ran(number, self._case_of(number).target, Outcome(FINDING, why))


def ran(shares: Iterator[Sequence[int]], case_of: Callable[[int], Case], workers: int) -> Iterator[Ran]:
    """Run cases, several processes at a time.

    Args:
        shares: numbers of the cases, by the process that runs them.
        case_of: the case of a number.
        workers: number of processes at a time.
    """
    at_work = [_Worker(numbers, case_of) for numbers in itertools.islice(shares, workers)]
    while at_work:
        ready = wait([worker.connection for worker in at_work], timeout=1.0)
        for worker in list(at_work):
            found = worker.received() if worker.connection in ready else worker.late()
            if found is not None:
                yield found
            if worker.ended:
                worker.connection.close()
                at_work.remove(worker)
                numbers: Sequence[int] = worker.left or next(shares, ())
                if numbers:
                    at_work.append(_Worker(numbers, case_of))


def ran_alone(case: Case) -> Outcome:
    """The outcome of a case in a new process."""
    return next(ran(iter([[0]]), lambda number: case, 1)).outcome


def compiled(cases: Sequence[Case]) -> list[Outcome]:
    """Run cases for the kernels that they compile, one after the other in one process, however long that takes."""
    worker = _Worker(range(len(cases)), lambda number: cases[number], math.inf)
    return [found.outcome for found in iter(worker.received, None)]


def _work(numbers: Sequence[int], case_of: Callable[[int], Case], connection: Connection, seconds: float) -> None:
    guard = Guard(seconds)
    for number in list(numbers):
        case = case_of(number)
        found = outcome_of(case, guard)
        connection.send((number, case.target, found.verdict, found.said))
    connection.close()
