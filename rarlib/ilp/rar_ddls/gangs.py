"""Rigid gangs on servers as a CP-SAT model: an interval and a number of GPUs on each server for every job.

Source: eq. 1-5 of RAR-DDLS, Yu et al., MobiHoc 2022, doi 10.1145/3492866.3549716, section 4, in whole slots; see
`slotted` for why GPUs need no names. A job takes at least as long as alone on as many servers as it has, so without
`intervals` the model is a relaxation of RAR-DDLS.

| paper | here |
|---|---|
| a_j, T_j | `start[j]`, `end[j]` |
| y_js | `gpus[j][s]`, one number for the whole run (eq. 3-5) |
| indicator y_js > 0 | `on[j][s]` |
| max T_j | `makespan` |
"""

from typing import Any

from rarlib.ilp.rar_ddls.slotted import Counts, Slotted
from rarlib.ilp.solvers import cp_model


class GangModel:
    """The model and its variables, with ends up to a horizon."""

    def __init__(self, problem: Slotted, horizon: int) -> None:
        self.problem, self.horizon, self.model = problem, horizon, cp_model.CpModel()
        self.jobs, self.servers = range(len(problem.gang)), range(len(problem.capacity))
        self.makespan = self._slot("makespan")
        self.start = [self._slot(f"start {j}") for j in self.jobs]
        self.end = [self._slot(f"end {j}") for j in self.jobs]
        self._length = [self._slot(f"length {j}") for j in self.jobs]
        self.on = [[self.model.new_bool_var(f"on {j} {s}") for s in self.servers] for j in self.jobs]
        self.gpus = [[self._count(j, s) for s in self.servers] for j in self.jobs]
        self.spread = [self._spread(j) for j in self.jobs]
        self._share()
        self._break_symmetry()
        self.model.minimize(self.makespan)

    def choices(self, solver: "cp_model.CpSolver") -> tuple[tuple[int, ...], tuple[Counts, ...]]:
        """Starts and placements of a solution."""
        placements = tuple(tuple(solver.value(count) for count in row) for row in self.gpus)
        return tuple(solver.value(start) for start in self.start), placements

    def _slot(self, name: str) -> Any:
        return self.model.new_int_var(0, self.horizon, name)

    def _count(self, j: int, s: int) -> Any:
        """GPUs of job j on server s: none, or at least one."""
        most = min(self.problem.gang[j], self.problem.capacity[s])
        count = self.model.new_int_var(0, most, f"gpus {j} {s}")
        self.model.add(count >= self.on[j][s])
        self.model.add(count <= most * self.on[j][s])
        return count

    def _spread(self, j: int) -> dict[int, Any]:
        """Number of servers of job j, one literal each; eq. 1 and the least length."""
        p, m = self.problem, self.model
        chosen = {k: m.new_bool_var(f"spread {j} {k}") for k in p.spreads(j) if p.rate[j, k, 1] > 0}
        m.add_exactly_one(chosen.values())
        m.add(sum(self.gpus[j]) == p.gang[j])  # eq. 1
        m.add(sum(k * literal for k, literal in chosen.items()) == sum(self.on[j]))
        m.add(self._length[j] >= sum(int(p.slots(j, k)) * literal for k, literal in chosen.items()))
        m.add(self.makespan >= self.end[j])
        return chosen

    def _share(self) -> None:
        """Eq. 2 for every server, and what follows from it for all of them together."""
        p, m = self.problem, self.model
        interval = [m.new_interval_var(self.start[j], self._length[j], self.end[j], f"run {j}") for j in self.jobs]
        for s in self.servers:
            m.add_cumulative(interval, [self.gpus[j][s] for j in self.jobs], p.capacity[s])
        total = sum(p.capacity)
        m.add_cumulative(interval, p.gang, total)
        m.add(sum(p.gang[j] * self._length[j] for j in self.jobs) <= total * self.makespan)
        m.add(sum(self._length[j] for j in self.jobs if 2 * p.gang[j] > total) <= self.makespan)

    def _break_symmetry(self) -> None:
        """Equal jobs start in order; of equal servers, each gives no more GPUs in total than the one before."""
        p = self.problem
        for before, j in _twins([p.kind(j) for j in self.jobs]):
            self.model.add(self.start[before] <= self.start[j])
        for before, s in _twins(p.capacity):
            self.model.add(sum(row[before] for row in self.gpus) >= sum(row[s] for row in self.gpus))


def _twins(kinds: Any) -> list[tuple[int, int]]:
    """Every position with the last equal one before it."""
    last: dict[Any, int] = {}
    pairs = []
    for position, kind in enumerate(kinds):
        if kind in last:
            pairs.append((last[kind], position))
        last[kind] = position
    return pairs
