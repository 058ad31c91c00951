"""Profiles by hand, and the measured ones where they are at hand."""

from collections.abc import Callable

import numpy as np
import pytest

from rarlib.cost.goodput.applications import APPLICATIONS
from rarlib.cost.goodput.goodput import GoodputCost
from rarlib.cost.goodput.measured import load_profiles, profile_source
from rarlib.cost.goodput.profiles import Gradients, Profiles, Steps
from rarlib.traces.resolve import at_hand
from rarlib.traces.sources import read_sources


def step(k: int, n: int, local: int, slow: float = 1.0) -> tuple[float, float]:
    """The toy's truth: T_grad = 0.1 + 0.01 per sample; T_sync = 0.05 per further GPU and 0.2 per further node."""
    sync = 0.05 * (k - 1) + 0.2 * (n - 1)
    return slow * (0.1 + 0.01 * local + sync), slow * sync


def steps(slow: float = 1.0, room: int = 4, largest: int = 32) -> Steps:
    """All placements on one node and on two equal ones; numbers alone on three."""
    named = [(k,) for k in range(1, room + 1)] + [(k, k) for k in range(1, room + 1)]
    rows = [(shape, len(shape), sum(shape), local) for shape in named for local in (4, 8, largest)]
    rows += [((), 3, k, local) for k in (3, 2 * room, 3 * room) for local in (4, 8, largest)]
    times = np.array([step(k, n, local, slow) for _, n, k, local in rows])
    nodes, replicas, local = np.array([row[1:] for row in rows], np.int64).T
    return Steps(tuple(row[0] for row in rows), nodes, replicas, local, times[:, 0], times[:, 1])


def pipelines(stages: int, forward: float) -> Steps:
    """One and two pipelines, with 0.5 s of exchange for the second."""
    shapes = ((stages,), (stages, stages))
    local = np.ones(2, np.int64)
    return Steps(shapes, np.array([1, 2]), stages * np.array([1, 2]), local, np.full(2, forward), np.array([0.0, 0.5]))


GRADIENTS = Gradients(
    batch=np.array([12, 24, 48]),
    progress=np.array([[100.0, 200.0], [100.0, 201.0], [101.0, 202.0]]),
    iterations=np.array([[100.0, 200.0], [60.0, 110.0], [40.0, 60.0]]),
    square=np.ones((3, 2)),
    variance=np.array([[1.0, 3.0], [1.0, 3.0], [3.0, 7.0]]),
)


@pytest.fixture
def toy() -> Profiles:
    """bert on slow nodes of four T4 and on RTX twice as fast; a pipelined model on RTX and A100."""
    rows = {("bert", "t4"): steps(), ("bert", "rtx"): steps(0.5, largest=24)}
    rows |= {("gpt_pmp", "rtx"): pipelines(8, 0.1), ("gpt_pmp", "a100"): pipelines(2, 0.2)}
    gpt = GRADIENTS._replace(batch=np.array([12, 48, 96]))
    facts = {"standin": False, "profiles": {}}
    return Profiles(rows, {"bert": GRADIENTS, "gpt_pmp": gpt}, facts)


@pytest.fixture
def cost(toy: Profiles) -> GoodputCost:
    """The model over the toy profiles."""
    return GoodputCost(toy)


@pytest.fixture(scope="session")
def measured() -> Callable[[], Profiles]:
    """The measured profiles; skips where they are not at hand."""

    def load() -> Profiles:
        names = tuple(APPLICATIONS)
        if any(at_hand(source) is None for name in names for source in read_sources()[profile_source(name)]):
            pytest.skip("no profiles at hand; set RARLIB_MIRROR or run: rarlib sources fetch")
        return load_profiles(names)

    return load
