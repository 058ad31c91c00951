"""Jobs with all properties that the paper states, and gains of any size in Alg. 2.

With a slope around 0.5 per iteration and hundreds of iterations to go, the gain of a slot (12) is about exp(-500): it
is positive, so that an optimum uses any GPU left for it. Gains are compared by their logarithms, and Alg. 2 is run
with the exact optimum of its programs.

`least_gain` is for GADGET as a floating-point solver sees it, in which gains of 1e-6 of the largest one are within the
tolerance: jobs that can gain less in a slot get nothing.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.ilp.gadget.columns import Columns
from rarlib.ilp.gadget.levels import LogSlot
from rarlib.ilp.gadget.problem import SlotJobs, SlotProblem
from rarlib.model.errors import InputError
from rarlib.model.tree_network import TreeNetwork
from rarlib.schedulers.gadget_parts.slot import OPTIMA, SlotResult, solve_exactly


class Solved(NamedTuple):
    """A slot in which Alg. 2 had a decision to make; gains and values are in units of the largest gain."""

    problem: SlotProblem
    result: SlotResult


@dataclass
class Stated:
    """Alg. 2 as printed: mappings are used as drawn in every slot, since moving a job costs nothing."""

    jobs: SlotJobs  # N_i, F_i, b_i, zeta_i and mu_i of every job of the trace, by row
    rng: np.random.Generator  # random stream of the roundings
    optimum: str = "packed"  # which optimum of the LP is rounded, `packed` or `scattered`, see `slot`
    least_gain: float = 0.0  # what a job must be able to gain in a slot, in units of utility; 0: anything
    alpha: float = 1 / 3  # fraction of the LP's value at which rounding stops
    draws: int = 1000  # u_b, most roundings of a slot
    solved: list[Solved] = field(default_factory=list)  # the problem of each slot and the result of Alg. 2, in order
    _columns: Columns | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        if self.optimum not in OPTIMA:
            raise InputError(f"unknown value {self.optimum!r}; known: {', '.join(OPTIMA)}", field="optimum")

    def allocate(self, network: TreeNetwork, active: NDArray[np.int64], done: NDArray[np.float64]) -> NDArray[np.int64]:
        """Run Alg. 2 for the jobs in I[t] after z_i,t-1 = `done` worker-slots; workers, shape (active, servers)."""
        if self._columns is None:
            self._columns = Columns(network)
        had = np.zeros(len(self.jobs))
        had[active] = done
        part = self.jobs.slot(network, active, had, gains=False)
        workers, rows = np.zeros((len(part), network.servers), np.int64), np.arange(len(part))
        if self.least_gain > 0.0:
            rows = np.flatnonzero(self.jobs.slot(network, active, had).gain.max(axis=1) >= self.least_gain)
            part = part.take(rows)
        if len(rows):
            slot = LogSlot.of(part, self.jobs.log_marginals(part.job, done[rows], part.gain.shape[1] - 1))
            self._columns.forget_others(active)
            result = solve_exactly(
                slot, self.rng, self._columns, optimum=self.optimum, draws=self.draws, alpha=self.alpha
            )
            self.solved.append(Solved(slot.problem, result))
            workers[rows] = result.workers
        return workers
