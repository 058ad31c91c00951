"""The notebook on errors of simulators: what its text says of its own numbers."""

import pytest

from rarlib.arena.fidelity import level_of
from tests.notebooks.learn import FOLDER, run


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


def test_a_simulator_that_is_right_has_no_error(ran):
    names = ran.names
    assert (names["errors"]({"right": names["WORLD"]}, range(2))["error"] == 0.0).all()


def test_noise_of_single_jobs_is_reproducible_and_within_its_range(ran):
    names = ran.names
    jobs, noisy = names["random_jobs"](0), names["WRONG"]["each job off by up to 40 %"]
    one, other = (noisy.price(jobs, names["cluster"]).work for _ in range(2))
    assert (one == other).all()
    off = one / names["WORLD"].price(jobs, names["cluster"]).work
    assert 0.6 <= off.min() < 0.65 and 1.35 < off.max() <= 1.4


def test_the_stated_level_is_that_of_the_distribution(ran):
    """A tenth stands at 57 %, as the text says."""
    assert round(100 * level_of(1.10)) == 57
    assert {"G1", "G4", "G6", "G7", "G8", "G8-ratios"} == set(ran.names["table"]["goal"])
