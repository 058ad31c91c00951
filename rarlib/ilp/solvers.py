"""OR-Tools, imported when it is first used; where it is not installed, the error says so.

Schedulers can thus be found and inspected without it, and commands that solve nothing start a second sooner.
"""

from importlib.util import find_spec
from typing import TYPE_CHECKING

from rarlib.model.later import Later

INSTALLED = find_spec("ortools") is not None
"""Whether OR-Tools is installed; `linear` and `rar_ddls` also work without it."""


if TYPE_CHECKING:
    from ortools.linear_solver import pywraplp  # type: ignore[attr-defined]
    from ortools.linear_solver.python import model_builder_helper as model_builder
    from ortools.sat.python import cp_model
else:
    cp_model = Later("ortools.sat.python.cp_model")
    model_builder = Later("ortools.linear_solver.python.model_builder_helper")
    pywraplp = Later("ortools.linear_solver.pywraplp")

__all__ = ["INSTALLED", "cp_model", "cp_solver", "model_builder", "pywraplp"]


def cp_solver(effort: float, seed: int = 0) -> "cp_model.CpSolver":
    """A CP-SAT that takes the same steps everywhere, for about `effort` seconds: its deterministic time is limited."""
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = seed
    solver.parameters.max_deterministic_time = effort
    return solver
