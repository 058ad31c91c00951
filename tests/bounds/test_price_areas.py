"""The area between a job's value and the price of time, against sums over a fine grid."""

import numpy as np
import pytest

from rarlib.bounds.completion import _above


@pytest.mark.parametrize("seed", range(40))
def test_area_and_length_above_the_price(seed: int) -> None:
    """The price is a polyline and nothing after its last point; the job's own cost of time grows from its release."""
    rng = np.random.default_rng(seed)
    at = np.concatenate([[0.0], np.cumsum(rng.uniform(0.2, 3.0, 6))])
    price = np.append(rng.uniform(0.0, 2.0, 6) * rng.integers(0, 2, 6), 0.0)
    release, area, m = rng.uniform(0.0, 1.2 * at[-1]), rng.uniform(0.5, 6.0), rng.uniform(0.1, 3.0)
    k = max(int(np.searchsorted(at, release, side="right")) - 1, 0)
    edges = np.linspace(release, release + area * m, 400_001)
    middle = (edges[1:] + edges[:-1]) / 2.0
    above = m - (middle - release) / area - np.interp(middle, at, price, right=0.0)
    step = edges[1] - edges[0]
    total, length = _above(m, area, release, at, price, k)
    assert length == pytest.approx(np.count_nonzero(above > 0.0) * step, abs=20 * step)
    assert total == pytest.approx(above[above > 0.0].sum() * step, abs=20 * step * m)
