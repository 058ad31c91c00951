"""The guarantees of GADGET on a few instances."""

import pytest

from artifact.papers.gadget.theory import competitive


@pytest.mark.parametrize("seed", range(5))
def test_competitive_ratios(seed):
    """Nothing beats the optimum, and each theorem and the lemma hold."""
    found = {name: value for name, value, _ in competitive(seed)}
    for name in ("theorem6", "theorem10", "lemma7"):
        assert found[f"{name}_ratio"] <= 1 + 1e-9
        assert found[name] == 1.0
