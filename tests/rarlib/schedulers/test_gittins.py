"""The Gittins index against its definition and against distributions whose index is known."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rarlib.model.seeds import stream
from rarlib.schedulers.tiresias import Gittins

sizes = st.lists(st.integers(1, 60), min_size=1, max_size=25)


def ratio(samples, attained, horizon):
    """P(S - a <= D | S > a) / E[min(S - a, D) | S > a], term by term."""
    alive = [s for s in samples if s > attained]
    if not alive:
        return 0.0
    ending = sum(s - attained <= horizon for s in alive) / len(alive)
    return ending / (sum(min(s - attained, horizon) for s in alive) / len(alive))


@settings(max_examples=80)
@given(sizes, st.integers(0, 70))
def test_supremum_over_every_horizon(samples, attained):
    found = Gittins(np.array(samples)).index(np.array([float(attained)]))[0]
    assert found == pytest.approx(max(ratio(samples, attained, d / 2) for d in range(1, 160)))


def test_exponential_sizes_give_a_constant_index():
    """Without memory the hazard is 1/mean at every age and for every horizon."""
    samples = stream(0, "test-gittins").exponential(100.0, 200_000)
    assert Gittins(samples, 50.0).index(np.array([0.0, 50.0, 100.0, 200.0])) == pytest.approx([0.01] * 4, rel=0.03)
