"""Makespan of gangs on servers of several sizes and speeds: a linear program over where work is done.

Servers of the same size O_c and speed are a class of n_c servers. Local work of a gang of size g on a class needs g
GPUs of one server (O_c >= g); spread work takes GPUs anywhere on classes fast enough for its speed, and takes longer.
Unknowns, for the jobs of a schedule that ends at T (times and groups as in `rarlib.bounds.job_groups`):

    f   share of a group's work done in a mode, sum f >= 1,
    e   time the group holds GPUs beyond the times of its modes; with them it is at least `least_s` (whole slots),
    x   server-seconds of class c in which a server holds exactly a_g local gangs of each size (a configuration),
    y   GPU-seconds of spread work of speed v on class c.

Every schedule satisfies, time by time or added up over its servers,

    jobs          time of a group's modes + e <= (number of its jobs) T      a job does one thing at a time
    local         sum_x a_g x >= local time of gangs of size g on class c
    spread        sum_c y >= spread GPU-seconds of speed v (e counted with the slowest: it may be anywhere)
    free          sum_x (O_c - sum_g g a_g) x >= sum_v y                     what local gangs leave on class c
    servers       sum_x x <= n_c T

so the least T under these conditions is a bound. It reflects that gangs larger than a server span servers and pay for
it, that gangs which do not fit together on a server leave GPUs idle (or to spread work), and that fast GPUs are few.

Columns x are generated. For prices of the rows, w_gc of `local`, s_c of `free`, r_i of `jobs`, b_i of `least_s`, let
V_c be the greatest worth of a configuration of class c (a knapsack of gangs worth w_gc and single GPUs worth s_c), z_v
the least s_c among classes of speed v or more, and h and u a group's time and spread GPU-seconds in a mode. With b_i at
most r_i + g_i min_c s_c, (w, s, r, b, z, V) is dual feasible up to its scale, which gives the bound

    sum_i [ min over modes ( h (r_i - b_i) + (local: h w_gc, spread: u z_v) ) + b_i least_s_i ]
      / ( sum_c n_c V_c + sum_i n_i r_i ),

where a negative minimum counts as 0. It holds whatever the prices are, so the program may be stopped at any time and
the solver need not be trusted. Elastic jobs are spread work of any gang, with least GPU-seconds and no e: a smaller
gang holds GPUs for longer without using more GPU-seconds.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.bounds.job_groups import Groups
from rarlib.bounds.packing import PackingBound
from rarlib.ilp.knapsack import knapsack
from rarlib.ilp.linear import LinearProgram
from rarlib.model.cluster import Cluster
from rarlib.model.prices import Prices

_TOLERANCE = 1e-10


class _Class(NamedTuple):
    gpus: int
    speed: int
    """Position among the speeds, descending."""
    servers: int


class _Rows(NamedTuple):
    """Numbers of the rows; -1 where there is none."""

    done: NDArray[np.int64]
    least: NDArray[np.int64]
    jobs: NDArray[np.int64]
    local: NDArray[np.int64]
    """Shape (sizes, classes)."""
    spread: NDArray[np.int64]
    free: NDArray[np.int64]
    servers: NDArray[np.int64]


class ServerClasses:
    """The program for some groups; `longest`, the longest job's least time, makes most rows `jobs` needless."""

    def __init__(self, groups: Groups, cluster: Cluster, prices: Prices, longest: float) -> None:
        speeds = np.unique(prices.node_speed)[::-1]
        of_node = np.searchsorted(-speeds, -prices.node_speed)
        kinds, counts = np.unique(np.stack([cluster.gpus, of_node]), axis=1, return_counts=True)
        self.classes = [_Class(int(g), int(v), int(n)) for (g, v), n in zip(kinds.T, counts, strict=True)]
        self.groups, self.speeds = groups, len(speeds)
        local = np.isfinite(groups.local_s).any(axis=1)
        self.sizes = np.unique(groups.gang[local])
        self.size_of = np.where(local, np.searchsorted(self.sizes, groups.gang), -1)
        self.most = [int(groups.jobs[local & (groups.gang == size)].sum()) for size in self.sizes]
        self.scale = longest
        self.program = LinearProgram()
        self.rows = self._rows()
        self._columns()

    def _rows(self) -> _Rows:
        groups, add = self.groups, self.program.row
        n = len(groups.gang)
        times = np.stack([groups.local_s, groups.spread_s])
        shortest = times.min(axis=(0, 2))
        longest = np.where(np.isfinite(times), times, 0.0).max(axis=(0, 2))
        holds = groups.least_s > shortest
        needed = np.maximum(longest, groups.least_s) > groups.jobs * self.scale
        return _Rows(
            done=np.array([add(1.0) for _ in range(n)]),
            least=np.array([add(groups.least_s[i] / self.scale) if holds[i] else -1 for i in range(n)]),
            jobs=np.array([add(0.0) if needed[i] else -1 for i in range(n)]),
            local=np.array([add(0.0) for _ in self.sizes for _ in self.classes], np.int64).reshape(
                -1, len(self.classes)
            ),
            spread=np.array([add(0.0) for _ in range(self.speeds)]),
            free=np.array([add(0.0) for _ in self.classes]),
            servers=np.array([add(0.0) for _ in self.classes]),
        )

    def _columns(self) -> None:
        rows, groups = self.rows, self.groups
        for i in range(len(groups.gang)):
            for c, kind in enumerate(self.classes):
                if kind.gpus >= groups.gang[i] and np.isfinite(groups.local_s[i, kind.speed]):
                    self._work(i, groups.local_s[i, kind.speed], rows.local[self.size_of[i], c], 1.0)
            for v in range(self.speeds):
                if np.isfinite(groups.spread_s[i, v]):
                    held = groups.spread_s[i, v]
                    # A job that is over within a billionth of a slot holds its GPUs for none.
                    self._work(i, held, rows.spread[v], groups.spread_area[i, v] / held if held else 0.0)
            if rows.least[i] >= 0:
                holding = [(rows.least[i], 1.0), (rows.spread[-1], -float(groups.gang[i]))]
                self._column(0.0, [*holding, (rows.jobs[i], -1.0)])
        for c, kind in enumerate(self.classes):
            for v in range(kind.speed, self.speeds):
                self._column(0.0, [(rows.spread[v], 1.0), (rows.free[c], -1.0)])
            self._configuration(c, np.zeros(len(self.sizes), np.int64))
            for position, size in enumerate(self.sizes):
                if kind.gpus >= size:
                    counts = np.zeros(len(self.sizes), np.int64)
                    counts[position] = min(kind.gpus // size, self.most[position])
                    self._configuration(c, counts)
        whole = [(row, float(n)) for row, n in zip(rows.jobs, groups.jobs, strict=True)]
        whole += [(row, float(kind.servers)) for row, kind in zip(rows.servers, self.classes, strict=True)]
        self._column(1.0, whole)

    def _work(self, i: int, held: float, row: int, per_second: float) -> None:
        held /= self.scale
        entries = [(self.rows.done[i], 1.0), (self.rows.least[i], held), (self.rows.jobs[i], -held)]
        self._column(0.0, [*entries, (row, -held * per_second)])

    def _configuration(self, c: int, counts: NDArray[np.int64]) -> None:
        free = self.classes[c].gpus - int(counts @ self.sizes)
        entries = [(self.rows.local[position, c], float(k)) for position, k in enumerate(counts) if k]
        self._column(0.0, [*entries, (self.rows.free[c], float(free)), (self.rows.servers[c], -1.0)])

    def _column(self, cost: float, entries: list[tuple[int, float]]) -> None:
        self.program.column(cost, [(int(row), value) for row, value in entries if row >= 0])

    def solve(self, rounds: int) -> PackingBound:
        """Generate configurations for at most `rounds` rounds."""
        bound, ended = self.scale, f"stopped after {rounds} rounds"
        for used in range(1, rounds + 1):
            above, prices = self.program.solve()
            best = [self._best(c, prices) for c in range(len(self.classes))]
            bound = max(bound, self._value(prices, np.array([worth for worth, _ in best])) * self.scale)
            asked = prices[self.rows.servers]
            better = [c for c, (worth, _) in enumerate(best) if worth > asked[c] * (1.0 + _TOLERANCE) + 1e-15]
            if not better or bound >= above * self.scale * (1.0 - _TOLERANCE):
                ended = f"optimal after {used} round{'s' * (used > 1)}"
                break
            for c in better:
                self._configuration(c, best[c][1])
        else:
            ended += f", at most {above * self.scale / bound - 1.0:.2%} below its optimum"
        if self.groups.digits < 12:
            ended += f"; {self.groups.jobs.sum():,} jobs in groups, relative times cut to {self.groups.digits} decimals"
        return PackingBound(bound, ended)

    def _best(self, c: int, prices: NDArray[np.float64]) -> tuple[float, NDArray[np.int64]]:
        """Worth and local gangs of the class's best configuration."""
        gpus, worth = self.classes[c].gpus, prices[self.rows.local[:, c]]
        copies = np.array([min(gpus // size, most) for size, most in zip(self.sizes, self.most, strict=True)], np.int64)
        of = np.append(np.repeat(np.arange(len(self.sizes)), copies), np.full(gpus, len(self.sizes)))
        profit = np.append(worth, prices[self.rows.free[c]])[of]
        chosen = np.zeros(len(of), np.bool_)
        value = knapsack(np.append(self.sizes, 1)[of], profit, gpus, chosen)
        return value, np.bincount(of[chosen], minlength=len(self.sizes) + 1)[:-1]

    def _value(self, prices: NDArray[np.float64], worth: NDArray[np.float64]) -> float:
        """The bound in units of `scale`."""
        groups, rows = self.groups, self.rows
        taken = np.append(prices, 0.0)  # row -1: no such row, no price
        free, self_price = taken[rows.free], taken[rows.jobs]
        speed = np.array([kind.speed for kind in self.classes])
        fast = np.array([free[speed <= v].min() for v in range(self.speeds)])
        hold = np.minimum(taken[rows.least], self_price + groups.gang * free.min())
        extra = (self_price - hold)[:, None]
        with np.errstate(invalid="ignore"):  # inf: impossible modes
            cost = [groups.spread_s * extra + groups.spread_area * fast]
            for c, kind in enumerate(self.classes):
                fits = (self.size_of >= 0) & (groups.gang <= kind.gpus)
                local = np.append(taken[rows.local[:, c]], 0.0)[self.size_of]
                here = groups.local_s[:, kind.speed] * (extra[:, 0] + local)
                cost.append(np.where(fits, here, np.inf)[:, None])
        every = np.hstack(cost)
        times = np.hstack([groups.spread_s, *([groups.local_s[:, kind.speed, None] for kind in self.classes])])
        every[~np.isfinite(times)] = np.inf
        least = np.maximum(every.min(axis=1), 0.0)
        charged = worth @ np.array([kind.servers for kind in self.classes]) + self_price @ groups.jobs
        return float((least + hold * groups.least_s).sum() / self.scale / charged) if charged > 0.0 else 0.0
