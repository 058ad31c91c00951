"""What the model declares are values: nobody can change one that others share."""

import dataclasses
import importlib
import pkgutil
from typing import Any

import pytest

import rarlib.model
from rarlib.model.cluster import Cluster
from rarlib.model.jobs import Jobs

MODULES = [importlib.import_module(each.name) for each in pkgutil.walk_packages(rarlib.model.__path__, "rarlib.model.")]
DECLARED = [
    each
    for module in MODULES
    for each in vars(module).values()
    if dataclasses.is_dataclass(each) and each.__module__ == module.__name__
]


@pytest.mark.parametrize("each", DECLARED, ids=lambda each: each.__name__)
def test_fields_cannot_be_set(each: Any) -> None:
    """Clusters and tables of jobs are priced once and used by many runs."""
    made = object.__new__(each)
    for field in dataclasses.fields(each):
        with pytest.raises(dataclasses.FrozenInstanceError, match=f"cannot assign to field '{field.name}'"):
            setattr(made, field.name, None)


def test_the_shared_ones_are_among_them() -> None:
    """The test above looks where the model declares them."""
    assert {Cluster, Jobs} <= set(DECLARED)
