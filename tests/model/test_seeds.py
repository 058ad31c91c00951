"""The seed tree: streams depend on their name alone and do not overlap."""

import numpy as np

from rarlib.model.seeds import stream


def test_one_name_one_stream():
    """A stream that depended on what was drawn before would change with every new consumer."""
    first = stream(7, "instance", 3).random(5)
    stream(7, "something else").random(100)
    assert (stream(7, "instance", 3).random(5) == first).all()


def test_names_and_seeds_differ():
    """Two purposes with one stream would be correlated."""
    names = [("a", "b"), ("ab",), ("a", "b", ""), ("b", "a"), ("a",), (), ("a", 1), ("a", 2), ("a", 12), ("a1", 2)]
    draws = {stream(seed, *name).integers(2**63) for seed in (0, 1) for name in names}
    assert len(draws) == 2 * len(names)


def test_uniform_first_draws():
    """First draws over many names fill the unit interval (Kolmogorov's 0.1 % bound, 1.95 / sqrt(n))."""
    first = np.sort([stream(0, "first", i).random() for i in range(2_000)])
    assert np.abs(first - (np.arange(2_000) + 0.5) / 2_000).max() < 1.95 / np.sqrt(2_000)
