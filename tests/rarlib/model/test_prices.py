"""The price of an iteration, against SJF-BCO eq. 6 to 9 worked out by hand; what is declared cannot be changed."""

import dataclasses
import importlib
import pkgutil
from typing import Any

import numpy as np
import pytest

import rarlib.cost
import rarlib.model
from rarlib.cost.ring import RingCost
from rarlib.model.cluster import Cluster
from rarlib.model.jobs import Jobs
from rarlib.model.prices import Prices, iteration_s, iterations_per_s


def prices(slot=0.0, cap=np.inf):
    """One job: 0.2 s alone, 0.01 s within a server, 0.1 s on an idle link, 0.03 s per server; f = k + 0.5 (k - 1)."""
    one = np.ones(1)
    sharing = np.array([1.0, 1.0, 2.5, 4.0])
    return Prices(
        100 * one, 0.2 * one, 0.01 * one, 0.1 * one, 0.03 * one, cap * one,
        one, np.inf * one, 0 * one, 0 * one, sharing, slot, one,
        one, np.zeros(1, np.int64), one, -np.ones(1, np.int64),
        np.ones((1, 2)),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("servers", "sharers", "tau"),
    [(1, 0, 0.21), (1, 3, 0.21), (2, 1, 0.36), (2, 0, 0.36), (2, 2, 0.51), (4, 3, 0.72)],
)
def test_iteration(servers, sharers, tau):
    """One server: no link. Several: base + link f(p) + overhead per server."""
    assert iteration_s(prices(), 0, servers, sharers) == pytest.approx(tau)


def test_slow_link():
    """A link of half the capacity doubles the transfer, and nothing else."""
    assert iteration_s(prices(), 0, 2, 1, 2.0) == pytest.approx(0.36 + 0.1)
    assert iteration_s(prices(), 0, 1, 1, 2.0) == pytest.approx(0.21)


@pytest.mark.parametrize(
    ("tau", "whole"), [(0.3, 3), (0.25, 4), (0.1, 10), (0.07, 14), (1.0, 1), (1.5, 0), (1 / 3, 3), (0.2501, 3)]
)
def test_whole_iterations_per_slot(tau, whole):
    """phi = floor(1 / tau); 1 / 0.1 must be 10 although 0.1 is not a binary fraction."""
    assert iterations_per_s(prices(slot=1.0), 0, tau) == whole


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
    assert {Cluster, Jobs, RingCost} <= set(DECLARED)
    assert sum(hasattr(each, "price") for each in DECLARED) >= 7
