"""GADGET as a policy of the slot loop: Alg. 2 in every slot, and a rule for gains too small for a linear program.

With a slope around 0.5 per iteration and hundreds of iterations to go, the gain of a slot (12) is around exp(-500). It
is positive, so an exact optimum spends any remaining GPU on it, but a linear program cannot tell it from 0. So Alg. 2
gets only the jobs that can gain at least `VISIBLE` in this slot. The others are then placed on the remaining GPUs,
largest gain first, where gains are compared by their logarithms. `fills=False` leaves them out, as any solver with a
tolerance would.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.cost.reserved import Network
from rarlib.cost.utilities import Sigmoid
from rarlib.ilp.gadget.columns import Columns
from rarlib.ilp.gadget.problem import SlotJobs, SlotProblem
from rarlib.papers.gadget.room import Room
from rarlib.schedulers.gadget_parts.slot import SlotResult, solve_slot

VISIBLE = 1e-6
"""Smallest gain that Alg. 2 gets to see, in units of utility; utilities of the evaluation go up to 100."""


class Solved(NamedTuple):
    """A slot that Alg. 2 decided."""

    problem: SlotProblem
    result: SlotResult


class Embedding:
    """GADGET's policy; `solved` collects the problems that Alg. 2 solved and their results.

    Args:
        jobs: all jobs, whose utility is a sigmoid.
        network: the servers and links.
        rng: for the roundings.
        fitting: whether every mapping must fit on its own, as eq. 5 requires; else Rost and Schmid's LP is unchanged.
        fills: whether jobs with gains below `VISIBLE` get the remaining GPUs.
    """

    def __init__(
        self,
        jobs: SlotJobs,
        network: Network,
        rng: np.random.Generator,
        *,
        fitting: bool = True,
        fills: bool = True,
    ) -> None:
        self._jobs, self._rng, self._fills = jobs, rng, fills
        self._columns = Columns(network, fitting=fitting)
        self.solved: list[Solved] = []

    def __call__(self, problem: SlotProblem, done: NDArray[np.float64]) -> NDArray[np.int64]:
        """Run Alg. 2, then place the jobs that it did not get; workers, shape (rows, servers)."""
        workers = np.zeros((len(problem), problem.network.servers), np.int64)
        visible = problem.gain.max(axis=1) >= VISIBLE
        rows = np.flatnonzero(visible)
        if len(rows):
            part = rows_of(problem, rows)
            result = solve_slot(part, self._rng, columns=self._columns)
            self.solved.append(Solved(part, result))
            workers[rows] = result.workers
        if self._fills:
            self._fill(problem, done, np.flatnonzero(~visible), workers)
        return workers

    def _fill(
        self, problem: SlotProblem, done: NDArray[np.float64], rows: NDArray[np.int64], workers: NDArray[np.int64]
    ) -> None:
        room = Room(problem.network)
        for row in np.flatnonzero(workers.any(axis=1)):
            room.take(workers[row], float(problem.bandwidth[row]))
        utility, zeta = self._jobs.utility.take(problem.job[rows]), self._jobs.efficiency[problem.job[rows]]
        assert isinstance(utility, Sigmoid)
        gain = log_gain(utility, zeta * done[rows], zeta * (done[rows] + problem.largest[rows]))
        room.gangs(rows[np.argsort(-gain, kind="stable")], problem.largest, problem.bandwidth, workers)


def rows_of(problem: SlotProblem, rows: NDArray[np.int64]) -> SlotProblem:
    """The problem with only these rows (jobs)."""
    names = ("job", "demand", "bandwidth", "smallest", "largest", "gain")
    return replace(problem, **{name: getattr(problem, name)[rows] for name in names})


def log_gain(utility: Sigmoid, before: NDArray[np.float64], after: NDArray[np.float64]) -> NDArray[np.float64]:
    """Logarithm of value(after) - value(before), accurate even where the difference itself underflows."""
    low, high = utility.slope * (before - utility.middle), utility.slope * (after - utility.middle)
    return np.log(utility.scale) + high + np.log1p(-np.exp(low - high)) - np.logaddexp(0, low) - np.logaddexp(0, high)
