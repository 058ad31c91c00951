"""Cost models are values: what was priced once may be shared, so nobody can change a model afterwards."""

import dataclasses
import importlib
import pkgutil

import pytest

import rarlib.cost
from rarlib.cost.pipelined import PipelinedCost

MODULES = [importlib.import_module(found.name) for found in pkgutil.walk_packages(rarlib.cost.__path__, "rarlib.cost.")]
DECLARED = [
    each
    for module in MODULES
    for each in vars(module).values()
    if dataclasses.is_dataclass(each) and each.__module__ == module.__name__
]


@pytest.mark.parametrize("each", DECLARED, ids=lambda each: each.__name__)
def test_fields_cannot_be_set(each):
    """A model, a network, a set of profiles."""
    made = object.__new__(each)
    for field in dataclasses.fields(each):
        with pytest.raises(dataclasses.FrozenInstanceError, match=f"cannot assign to field '{field.name}'"):
            setattr(made, field.name, None)


def test_models_are_among_them():
    """The test above looks where cost models are declared."""
    assert PipelinedCost in DECLARED
    assert sum(hasattr(each, "price") for each in DECLARED) >= 7
