"""Parameters that a paper does not state: values, draws and their rows."""

import math

import numpy as np
import pytest

from artifact.unknowns import Unknown


@pytest.mark.parametrize("seed", range(5))
def test_values_are_those_of_the_prior_s_inverse_distribution(seed: int) -> None:
    """Each scale in Python's own arithmetic, from the lower end at share 0 to the upper one at share 1."""
    rng = np.random.default_rng(seed)
    low, width = float(rng.uniform(0.1, 5.0)), float(rng.uniform(0.5, 9.0))
    shares = np.array([0.0, *rng.random(20), 0.5, 1.0])
    high = low + width
    assert Unknown("x", low, high).at(shares) == pytest.approx([low + u * width for u in shares])
    logs = Unknown("x", low, high, "log").at(shares)
    assert logs == pytest.approx([math.exp((1 - u) * math.log(low) + u * math.log(high)) for u in shares])
    assert all(type(value) is float for value in logs)
    first, count = int(rng.integers(-3, 4)), int(rng.integers(2, 6))
    whole = [min(first + int(u * count), first + count - 1) for u in shares]
    assert Unknown("x", first, first + count - 1, "integer").at(shares) == whole
    choices = tuple("abcdef"[:count])
    chosen = [choices[value - first] for value in whole]
    choice = Unknown("x", scale="choice", choices=choices)
    assert choice.at(shares) == chosen
    assert [choice.number(value) for value in chosen] == [value - first for value in whole]
    assert Unknown("x").number(0.25) == 0.25
    assert Unknown("x").at(shares) == shares.tolist()
