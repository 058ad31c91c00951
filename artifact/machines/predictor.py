"""What a predictor is, and which ones there are."""

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, NamedTuple

import artifact.machines.predictors

FINDER = __name__
"""Modules that import this one run predictors that no import statement names."""


class Predictor(NamedTuple):
    """One way to predict a quantity on the rows of a source.

    Attributes:
        name: unique among the predictors of a quantity.
        label: what figures call it.
        quantity: what it predicts.
        grade: A: nothing is fitted to a measured row; B: fitted to other rows of the same source; C: to the rows it is
            scored on.
        predict: the source -> prediction by row; a row that is missing there has no prediction, which counts as a miss.
        fitted_on: rows its numbers come from; empty for grade A.
        rival: whether others made it: its predictions are read from a file.
    """

    name: str
    label: str
    quantity: str
    grade: str
    predict: Callable[[Any], Mapping[str, float]]
    fitted_on: str = ""
    rival: bool = False


def predictor_modules() -> list[str]:
    """Modules of the package `artifact.machines.predictors`, in alphabetical order."""
    package = artifact.machines.predictors
    return sorted(f"{package.__name__}.{found.name}" for found in pkgutil.iter_modules(package.__path__))


@cache
def predictors() -> tuple[Predictor, ...]:
    """All predictors, file by file."""
    return tuple(each for module in predictor_modules() for each in importlib.import_module(module).PREDICTORS)
