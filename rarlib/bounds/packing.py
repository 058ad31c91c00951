"""Makespan of gangs that may be interrupted and placed anywhere: a linear program over what runs together.

A configuration says how many gangs of each size hold GPUs at an instant: k_g of size g, sum g k_g <= GPUs, k_g at most
the number n_g of such jobs. Let P_g(m) be the sum of the least times of the m longest jobs of size g. In any schedule
that ends at T, let x_k be the time for which configuration k holds. At most min(k_g, m) of these m jobs hold GPUs at an
instant, and together they do so for P_g(m) seconds at least:

    min sum_k x_k    subject to    sum_k min(k_g, m) x_k >= P_g(m)    for all g and m,    x >= 0.

So its value is at most T. It implies the longest job (g, m = 1), the area, and that gangs which do not fit together
follow each other. With all m it is the configuration program of the preemptive problem, min sum x_c over sets c of jobs
subject to sum_{c contains j} x_c >= p_j (a schedule that interrupts attains it): inside a size, jobs can be served in
turns whenever these conditions hold (McNaughton 1959; Schmidt 1984 for machines that come and go).

Columns are generated: with prices w >= 0 of the rows, the i-th gang of size g in a configuration is worth
u_gi = sum_{m >= i} w_gm, which falls with i, so the best configuration is a knapsack of value V, and

    sum_gm P_g(m) w_gm / V

is a bound whatever w is (w / V is a solution of the dual): the program may be stopped at any time, and neither the
solver nor its tolerances need be trusted.

Sources: Gilmore, Gomory, Operations Research 9, 1961 (column generation); Blazewicz, Drabowski, Weglarz, IEEE Trans.
Comput. 35, 1986 (preemptive scheduling of gangs).
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.bounds.processing import Demand
from rarlib.ilp.knapsack import knapsack
from rarlib.ilp.linear import LinearProgram

_MOST_ROWS = 256
_MOST_CELLS = 50_000_000
"""Rows of the program, and cells of the knapsack (items x GPUs), beyond which it is restricted."""
_TOLERANCE = 1e-10


class PackingBound(NamedTuple):
    """A proven value and how the program ended."""

    value: float
    detail: str


class _Size(NamedTuple):
    gang: int
    most: int
    """Gangs of this size that fit together."""
    counts: NDArray[np.int64]
    """The m of its rows, ascending, and P_g(m) of each."""
    longest: NDArray[np.float64]


class GangPacking:
    """The program for some jobs."""

    def __init__(self, demand: Demand) -> None:
        self.capacity = demand.total_gpus
        some = demand.time > 0.0
        self._gangs, self._times = demand.gpus[some], demand.time[some]
        self.rows_of_all = 0
        every = [self._size(int(gang), False) for gang in np.unique(self._gangs)]
        self.rows_of_all = sum(len(size.counts) for size in every)
        self.thinned = self.rows_of_all > _MOST_ROWS
        self.sizes = [self._size(size.gang, True) for size in every] if self.thinned else every

    def _size(self, gang: int, thin: bool) -> _Size:
        times = np.sort(self._times[self._gangs == gang])[::-1]
        most = min(len(times), self.capacity // gang)
        # For m >= most, min(k, m) = k: the last of these rows implies the others.
        counts = np.append(np.arange(1, most), len(times))
        if thin:
            grown = np.unique((1.25 ** np.arange(64)).astype(np.int64))
            counts = np.append(grown[grown < most], len(times))
        return _Size(gang, most, counts, np.cumsum(times)[counts - 1])

    @property
    def cells(self) -> int:
        """Cells of the knapsack that one pricing round solves."""
        return sum(size.most for size in self.sizes) * self.capacity

    def solve(self, rounds: int) -> PackingBound:
        """Generate columns for at most `rounds` rounds."""
        limits = np.concatenate([size.longest for size in self.sizes])
        scale = float(limits.max())
        program = LinearProgram()
        for limit in limits:
            program.row(limit / scale)
        for counts in self._first():
            program.column(1.0, self._entries(counts))
        bound, above, ended = 0.0, np.inf, f"stopped after {rounds} rounds"
        for used in range(1, rounds + 1):
            above, prices = program.solve()
            worth, counts = self.price(prices)
            if worth > 0.0:
                bound = max(bound, float(limits @ prices) / worth)
            if worth <= 1.0 + _TOLERANCE or bound >= above * scale * (1.0 - _TOLERANCE):
                ended = f"optimal after {used} round{'s' * (used > 1)}"
                break
            program.column(1.0, self._entries(counts))
        else:
            ended += f", at most {above * scale / bound - 1.0:.2%} below its optimum"
        if self.thinned:
            ended += f"; {len(limits)} of {self.rows_of_all} rows"
        return PackingBound(bound, ended)

    def price(self, prices: NDArray[np.float64]) -> tuple[float, NDArray[np.int64]]:
        """Value and counts of the configuration that is worth most at these prices of the rows."""
        items = self._items(prices)
        gang, profit, of = (np.concatenate(part) for part in zip(*items, strict=True))
        chosen = np.zeros(len(gang), np.bool_)
        value = knapsack(gang, profit, self.capacity, chosen)
        return value, np.bincount(of[chosen], minlength=len(self.sizes))

    def _items(
        self, prices: NDArray[np.float64]
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]]:
        begin = 0
        for position, size in enumerate(self.sizes):
            of_size = prices[begin : begin + len(size.counts)]
            begin += len(size.counts)
            least = np.searchsorted(size.counts, np.arange(1, size.most + 1))
            profit = np.cumsum(of_size[::-1])[::-1][least]
            yield np.full(size.most, size.gang), profit, np.full(size.most, position)

    def _entries(self, counts: NDArray[np.int64]) -> list[tuple[int, float]]:
        entries = np.concatenate([np.minimum(k, size.counts) for k, size in zip(counts, self.sizes, strict=True)])
        return [(int(row), float(entries[row])) for row in np.flatnonzero(entries)]

    def _first(self) -> Iterator[NDArray[np.int64]]:
        """For every size, as many gangs of it as fit, then smaller ones on the GPUs left."""
        for top in range(len(self.sizes)):
            counts, left = np.zeros(len(self.sizes), np.int64), self.capacity
            for position in range(top, -1, -1):
                counts[position] = min(self.sizes[position].most, left // self.sizes[position].gang)
                left -= int(counts[position]) * self.sizes[position].gang
            yield counts


def gang_packing(demand: Demand, rounds: int) -> PackingBound | None:
    """Bound on the time from the first start to the last end, releases and slack ignored; None without any work."""
    if not (demand.time > 0.0).any():
        return None
    program = GangPacking(demand)
    if program.cells > _MOST_CELLS:
        return PackingBound(0.0, f"not run: a knapsack of {program.cells:,} cells, at most {_MOST_CELLS:,}")
    return program.solve(rounds)
