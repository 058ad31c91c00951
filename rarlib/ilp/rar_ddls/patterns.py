"""Which jobs share a GPU: gangs on equal GPUs, each with a limited load, as a program over patterns.

A pattern is a set of jobs whose loads fit within the limit of one GPU. Let z_P be the number of GPUs that serve exactly
the set P. These numbers describe gangs on GPUs exactly: GPUs are equal, so only the sets they serve matter, and a
gang's workers are on distinct GPUs because a set holds a job once. N GPUs are enough if and only if whole z_P exist

    sum_P z_P <= N,    sum_{P contains j} z_P >= G_j for every job j

(a job in more than G_j patterns is left out of some). This is the cutting stock problem of Gilmore and Gomory with
rolls that hold an item at most once. Its linear relaxation, solved by column generation with a 0/1 knapsack for the
next pattern, is close to the whole optimum, most often within one roll.

With prices w >= 0 of the rows and V the worth of the best pattern at these prices, every GPU is worth at most V, so at
least sum_j G_j w_j / V GPUs are needed: a bound at any stop that trusts neither the solver nor its tolerances.

Sources: Gilmore, Gomory, Operations Research 9, 1961; Farley, Operations Research 38, 1990 (the bound).
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.ilp.knapsack import knapsack
from rarlib.ilp.linear import LinearProgram

_Numbers = NDArray[np.int64]
_TOLERANCE = 1e-9


class Cover(NamedTuple):
    """The GPUs needed: at least `bound`; `enough` if a fractional solution needs no more than were asked about."""

    bound: float
    enough: bool


class Patterns:
    """The program for one limit (`capacity`), for loads of jobs on every GPU of their gangs, each at most the limit.

    It remembers its columns, `known` ones that fit among them.
    """

    def __init__(self, gang: _Numbers, load: _Numbers, capacity: int, known: Sequence[_Numbers] = ()) -> None:
        self._need, self._load, self._capacity = gang.copy(), load, capacity
        self._program = LinearProgram()
        self.columns: list[_Numbers] = []
        for need in gang:
            self._program.row(float(need))
        self._first()
        for jobs in known:
            if load[jobs].sum() <= capacity:
                self._add(jobs)

    def cover(self, gpus: float, rounds: int, disjoint: bool = False) -> Cover:
        """Generate columns, for at most `rounds` rounds, until it is clear whether `gpus` GPUs are enough.

        If `disjoint`, a round adds all patterns worth having of the jobs that its best one leaves: far fewer rounds,
        but `whole` has more often no answer from what they end with.
        """
        bound = 0.0
        for _ in range(rounds):
            value, prices = self._program.solve()
            if value <= gpus + _TOLERANCE:
                return Cover(bound, True)
            worth, jobs = self._best(prices)
            bound = max(bound, float(self._need @ prices) / worth)
            if bound > gpus + _TOLERANCE or worth <= 1.0 + _TOLERANCE:
                break
            self._add(jobs)
            while disjoint:
                prices[jobs] = 0.0
                worth, jobs = self._best(prices)
                if worth <= 1.0 + _TOLERANCE:
                    break
                self._add(jobs)
        return Cover(bound, False)

    def whole(self, gpus: int, rounds: int) -> list[_Numbers] | None:
        """A pattern for each of at most `gpus` GPUs, or None.

        Dives: each pattern gets as many GPUs as the fractional solution says, rounded down, or one pattern gets one GPU
        if all are below one; then the rest is solved again. No choice is ever undone.
        """
        served: list[_Numbers] = []
        while self._need.any():
            if not self.cover(gpus - len(served), rounds).enough:
                return None
            amounts = self._program.amounts()
            copies = np.floor(amounts + _TOLERANCE).astype(np.int64)
            if not copies.any():
                copies[np.argmax(amounts)] = 1
            for column in np.flatnonzero(copies):
                jobs = self.columns[column]
                for _ in range(min(int(copies[column]), int(self._need[jobs].max()))):
                    served.append(jobs[self._need[jobs] > 0])
                    self._need[jobs] = np.maximum(self._need[jobs] - 1, 0)
            for row, need in enumerate(self._need):
                self._program.change(row, float(need))
        return served if len(served) <= gpus else None

    def _first(self) -> None:
        """Columns of a whole solution: each GPU takes the largest loads that fit, on as many GPUs as possible."""
        need, order = self._need.copy(), np.argsort(-self._load, kind="stable")
        while need.any():
            jobs, left = [], self._capacity
            for job in order[need[order] > 0]:
                if self._load[job] <= left:
                    jobs.append(job)
                    left -= self._load[job]
            need[jobs] -= need[jobs].min()
            self._add(np.array(jobs))

    def _best(self, prices: NDArray[np.float64]) -> tuple[float, _Numbers]:
        chosen = np.zeros(len(self._load), np.bool_)
        return knapsack(self._load, prices, self._capacity, chosen), np.flatnonzero(chosen)

    def _add(self, jobs: _Numbers) -> None:
        self.columns.append(jobs)
        self._program.column(1.0, [(int(job), 1.0) for job in jobs])
