"""OR-Tools, loaded when something is solved with it; where it is not installed, as in a browser, the error says so.

So schedulers can be found and looked at without it, and programs that solve nothing start a second sooner.
"""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from rarlib.model.errors import InputError

INSTALLED = find_spec("ortools") is not None
"""Whether there is an OR-Tools; `linear` and `rar_ddls` have a way without it."""


class _Later:
    """A module that is imported when something of it is asked for."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("__"):  # asked by whoever inspects modules, not by who solves
            raise AttributeError(attribute)
        try:
            return getattr(import_module(self._name), attribute)
        except ImportError:
            rule = "this asks for an integer program, which OR-Tools solves; OR-Tools is not installed here"
            raise InputError(rule) from None


if TYPE_CHECKING:
    from ortools.linear_solver import pywraplp  # type: ignore[attr-defined]
    from ortools.linear_solver.python import model_builder_helper as model_builder
    from ortools.sat.python import cp_model
else:
    cp_model = _Later("ortools.sat.python.cp_model")
    model_builder = _Later("ortools.linear_solver.python.model_builder_helper")
    pywraplp = _Later("ortools.linear_solver.pywraplp")

__all__ = ["INSTALLED", "cp_model", "model_builder", "pywraplp"]
