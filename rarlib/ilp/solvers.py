"""OR-Tools, imported when it is first used; where it is not installed, as in a browser, the error says so.

Schedulers can thus be found and inspected without it, and commands that solve nothing start a second sooner.
"""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from rarlib.model.errors import InputError

INSTALLED = find_spec("ortools") is not None
"""Whether OR-Tools is installed; `linear` and `rar_ddls` also work without it."""


class _Later:
    """A module that is imported when an attribute of it is first used."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("__"):  # asked for by tools that inspect modules, not by code that solves
            raise AttributeError(attribute)
        try:
            return getattr(import_module(self._name), attribute)
        except ImportError:
            rule = "this needs an integer program, which OR-Tools solves; OR-Tools is not installed here"
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
