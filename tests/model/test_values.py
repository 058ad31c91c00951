"""What the model and the cost models declare are values: nobody can change one that others share."""

import dataclasses
import importlib
import pkgutil
from typing import Any

import pytest

import rarlib.cost
import rarlib.model
from rarlib.cost.pipelined import PipelinedCost
from rarlib.model.cluster import Cluster
from rarlib.model.jobs import Jobs

MODULES = [
    importlib.import_module(each.name)
    for package in (rarlib.model, rarlib.cost)
    for each in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
]
DECLARED = [
    each
    for module in MODULES
    for each in vars(module).values()
    if dataclasses.is_dataclass(each) and each.__module__ == module.__name__
]


@pytest.mark.parametrize("each", DECLARED, ids=lambda each: each.__name__)
def test_fields_cannot_be_set(each: Any) -> None:
    """Clusters, tables of jobs and cost models are priced once and used by many runs."""
    made = object.__new__(each)
    for field in dataclasses.fields(each):
        with pytest.raises(dataclasses.FrozenInstanceError, match=f"cannot assign to field '{field.name}'"):
            setattr(made, field.name, None)


def test_the_shared_ones_are_among_them() -> None:
    """The test above looks where they are declared."""
    assert {Cluster, Jobs, PipelinedCost} <= set(DECLARED)
    assert sum(hasattr(each, "price") for each in DECLARED) >= 7
