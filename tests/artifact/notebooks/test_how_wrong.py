"""The notebook on errors of simulators: what its text says of its own numbers."""

import pytest

from rarlib.comparison.fidelity import level_of
from tests.artifact.notebooks.learn import FOLDER, run


@pytest.fixture(scope="module")
def ran():
    return run(FOLDER / "11-how-wrong.ipynb")


def test_what_policies_share_cancels_and_what_they_differ_in_does_not(ran):
    """Computing too fast moves the mean most and the placement least; no contention moves the placement most."""
    names = ran.names
    means = names["found"].groupby(["wrong", "quantity"])["error"].mean().abs()
    fifo, order, placement = names["QUANTITIES"]
    compute, noise, links, contention = names["WRONG"]
    assert means[compute, fifo] == max(means[way, fifo] for way in names["WRONG"])
    assert means[compute, order] < means[compute, fifo] / 3 and means[compute, placement] < means[compute, fifo] / 3
    assert means[contention, placement] == max(means[way, placement] for way in names["WRONG"])
    assert means[contention, fifo] < means[compute, fifo]
    assert means[noise, fifo] < 0.1 and means[links, placement] > 3 * means[links, order]


def test_the_stated_level_is_that_of_the_distribution(ran):
    """A tenth stands at 57 %, as the text says."""
    assert round(100 * level_of(1.10)) == 57
    assert {"G1", "G4", "G6", "G7", "G8", "G8-ratios"} == set(ran.names["table"]["goal"])
