"""The least makespan of RAR-DDLS with CP-SAT, proven, or the best schedule and bound within a limit.

Source: problem RAR-DDLS of Yu et al., MobiHoc 2022, doi 10.1145/3492866.3549716, section 4, eq. 1-9, in whole slots.

First without contention (`gangs`), a relaxation: a schedule whose replay with contention takes no longer is optimal
already. Only then contention is added (`intervals`), and only schedules better than the replay are searched for; if
there is none, the replay is optimal.

The solver measures its effort deterministically, with one worker and a fixed seed: the same result everywhere. Where
OR-Tools is not installed, up to `FEW` jobs are solved by exhaustive search (`brute_force`).
"""

from math import ceil
from typing import NamedTuple

from rarlib.ilp.rar_ddls import brute_force
from rarlib.ilp.rar_ddls.gangs import GangModel
from rarlib.ilp.rar_ddls.intervals import add_contention
from rarlib.ilp.rar_ddls.slotted import Slotted, SlottedSchedule, completions, each_from_others, start_in_order
from rarlib.ilp.solvers import INSTALLED, cp_model, cp_solver

FEW = 6
"""Most jobs for which trying everything takes seconds."""


class _Result(NamedTuple):
    """What the solver found."""

    status: str  # `optimal`, or `limit` when the effort ran out
    schedule: SlottedSchedule  # the best schedule found; its makespan is the value
    bound: int  # proven lower bound on the makespan of every schedule, slots
    effort: float  # deterministic time spent

    @property
    def gap(self) -> float:
        """How far the value may lie above the optimum, as a fraction of the bound."""
        return self.schedule.makespan / self.bound - 1.0


def least_makespan(problem: Slotted, effort: float = 60.0) -> _Result:
    """An optimal schedule, or the best one within a deterministic time of about `effort` seconds."""
    if not INSTALLED and len(problem.gang) <= FEW:
        least = brute_force.least_makespan(problem)
        return _Result("optimal", least, least.makespan, 0.0)
    best = each_from_others(problem)
    relaxed = GangModel(problem, best.makespan)
    solver = _solve(relaxed, effort / 2.0)
    longest = max(int(problem.shortest(j)) for j in range(len(problem.gang)))
    bound = max(longest, ceil(solver.best_objective_bound - 1e-6))
    spent = solver.response_proto.deterministic_time
    if solver.response_proto.solution:
        replayed = start_in_order(problem, *relaxed.choices(solver))
        best = min(best, replayed, key=lambda schedule: schedule.makespan)
    if best.makespan > bound:
        better = GangModel(problem, best.makespan - 1)
        better.model.add(better.makespan >= bound)
        add_contention(better)
        solver = _solve(better, effort - spent)
        spent += solver.response_proto.deterministic_time
        if solver.response_proto.status == cp_model.INFEASIBLE:
            bound = best.makespan
        else:
            bound = max(bound, ceil(solver.best_objective_bound - 1e-6))
        if solver.response_proto.solution:
            starts, placements = better.choices(solver)
            best = SlottedSchedule(starts, placements, max(completions(problem, starts, placements)))
    return _Result("optimal" if best.makespan == bound else "limit", best, bound, spent)


def _solve(gangs: GangModel, effort: float) -> "cp_model.CpSolver":
    solver = cp_solver(effort)
    solver.parameters.linearization_level = 0  # linear relaxations cost more here than they cut off
    solver.solve(gangs.model)
    return solver
