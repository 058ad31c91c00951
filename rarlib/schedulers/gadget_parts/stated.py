"""Jobs with all properties that the paper states, and gains too small for floating-point numbers in Alg. 2.

With a slope around 0.5 per iteration and hundreds of iterations to go, the gain of a slot (12) is about exp(-500): it
is positive, so an exact optimum would use any GPU left for it, but it is invisible to a linear program, in which gains
of 1e-6 of the largest are within the solver's tolerance. Alg. 2 therefore gets only the jobs that can gain at least
`VISIBLE` in this slot, and the others get nothing: this is GADGET as printed, run with a solver as the paper ran it.

`fills=True` adds a step that the paper does not have, and that is neither Alg. 2 nor the optimum of the slot: the other
jobs are placed in what is left, largest gain first, where gains are compared by their logarithms.
`PlacedJobs` counts what each of the two steps placed.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.allocate.rings import Residual
from rarlib.cost.reserved import TreeNetwork
from rarlib.ilp.gadget.columns import Columns
from rarlib.ilp.gadget.problem import SlotJobs, SlotProblem
from rarlib.schedulers.gadget_parts.slot import SlotResult, solve_slot

VISIBLE = 1e-6
"""In units of utility; utilities in the evaluation are up to 100."""


@dataclass
class PlacedJobs:
    """Jobs that got workers, summed over slots.

    Attributes:
        decided: by Alg. 2.
        filled: by the step that places the others in what is left.
    """

    decided: int = 0
    filled: int = 0

    @property
    def by_filling(self) -> float:
        """Share of the jobs with workers that filling placed; 0 if none has workers."""
        return self.filled / max(self.decided + self.filled, 1)


class Solved(NamedTuple):
    """A slot in which Alg. 2 had a decision to make."""

    problem: SlotProblem
    result: SlotResult


@dataclass
class Stated:
    """Alg. 2 as printed: mappings are used as drawn in every slot, since moving a job costs nothing.

    Attributes:
        jobs: N_i, F_i, b_i, zeta_i and mu_i of every job of the trace, by row.
        rng: random stream of the roundings.
        fitting: whether every mapping must fit by itself, as eq. 5 requires; if not, the LP is Rost and Schmid's,
            unchanged.
        fills: whether jobs with invisible gains get what is left, which Alg. 2 as printed does not do.
        spread: whether a job's first mappings are spread over the servers, see `Columns`.
        alpha: fraction of the LP's value at which rounding stops.
        draws: u_b, most roundings of a slot.
        shares: jobs placed by Alg. 2 and by filling.
        solved: the problem of each slot and the result of Alg. 2, in order.
    """

    jobs: SlotJobs
    rng: np.random.Generator
    fitting: bool = True
    fills: bool = False
    spread: bool = True
    alpha: float = 1 / 3
    draws: int = 1000
    shares: PlacedJobs = field(default_factory=PlacedJobs)
    solved: list[Solved] = field(default_factory=list)
    _columns: Columns | None = field(default=None, init=False, repr=False)

    def allocate(self, network: TreeNetwork, active: NDArray[np.int64], done: NDArray[np.float64]) -> NDArray[np.int64]:
        """Run Alg. 2, then fill what is left.

        Args:
            network: the servers and links, the same in every slot.
            active: rows of the jobs in I[t].
            done: z_i,t-1 of each job, worker-slots, shape of `active`.

        Returns:
            Workers, shape (active, servers).
        """
        if self._columns is None:
            self._columns = Columns(network, fitting=self.fitting, spread=self.spread)
        had = np.zeros(len(self.jobs))
        had[active] = done
        problem = self.jobs.slot(network, active, had)
        workers = np.zeros((len(problem), network.servers), np.int64)
        visible = problem.gain.max(axis=1) >= VISIBLE
        rows = np.flatnonzero(visible)
        if len(rows):
            part = problem.take(rows)
            result = solve_slot(part, self.rng, draws=self.draws, alpha=self.alpha, columns=self._columns)
            self.solved.append(Solved(part, result))
            workers[rows] = result.workers
        decided = int(workers.any(axis=1).sum())
        self.shares.decided += decided
        if self.fills:
            self._fill(problem, done, np.flatnonzero(~visible), workers)
            self.shares.filled += int(workers.any(axis=1).sum()) - decided
        return workers

    def _fill(
        self, problem: SlotProblem, done: NDArray[np.float64], rows: NDArray[np.int64], workers: NDArray[np.int64]
    ) -> None:
        left = Residual(problem.network)
        for row in np.flatnonzero(workers.any(axis=1)):
            left.take(workers[row], float(problem.bandwidth[row]))
        gain = self.jobs.log_gain(problem.job[rows], done[rows], problem.largest[rows])
        left.largest(rows[np.argsort(-gain, kind="stable")], problem.largest, problem.bandwidth, workers)
