"""Max-min fair rates: capacities hold, every flow has a bottleneck, priorities come first."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rarlib.fabric.case import flow_table
from rarlib.fabric.rates import fair_shares
from rarlib.fabric.routing import Flow
from tests.rarlib.fabric.cases import sender, shared, shares

LINKS = {"a": 8.0, "b": 4.0, "c": 16.0, "d": 2.0}
FLOWS = st.lists(
    st.tuples(st.dictionaries(st.sampled_from("abcd"), st.integers(1, 3), min_size=1), st.integers(0, 2)),
    min_size=1,
    max_size=7,
)


def case_of(flows, alpha=0.0):
    jobs = [
        sender(f"j{i}", 0.1, 0.1, priority=level)._replace(flows=(Flow(1e8, links),))
        for i, (links, level) in enumerate(flows)
    ]
    return shared(*jobs, links=LINKS, alpha=alpha)


def rates(flows, alpha=0.0):
    return fair_shares(flow_table(case_of(flows, alpha)), np.arange(len(flows)))


@given(FLOWS, st.sampled_from([0.0, 0.5, 1.0]))
def test_as_in_fractions(flows, alpha):
    named = {i: (Fraction(1), links, level) for i, (links, level) in enumerate(flows)}
    capacity = {link: Fraction(gbps) * 125_000_000 for link, gbps in LINKS.items()}
    expected = shares(named, capacity, Fraction(alpha))
    np.testing.assert_allclose(rates(flows, alpha), [float(expected[i]) for i in range(len(flows))], rtol=1e-9)


@given(FLOWS)
def test_every_flow_has_a_bottleneck(flows):
    """The definition: no link carries more than it can, and on a full link of it no flow of its level is faster."""
    found = rates(flows)
    for link, gbps in LINKS.items():
        load = sum(rate * links.get(link, 0) for rate, (links, _) in zip(found, flows, strict=True))
        assert load <= gbps * 125e6 * (1 + 1e-9)
    for rate, (links, level) in zip(found, flows, strict=True):
        bottlenecks = []
        for link in links:
            on = [(r, own, there[link]) for r, (there, own) in zip(found, flows, strict=True) if link in there]
            full = sum(r * times for r, own, times in on if own >= level) >= LINKS[link] * 125e6 * (1 - 1e-9)
            bottlenecks.append(full and all(r <= rate * (1 + 1e-9) for r, own, _ in on if own == level))
        assert any(bottlenecks)


@given(FLOWS)
def test_lower_priorities_take_nothing_away(flows):
    top = max(level for _, level in flows)
    above = [(links, level) for links, level in flows if level == top]
    kept = [rate for rate, (_, level) in zip(rates(flows), flows, strict=True) if level == top]
    np.testing.assert_allclose(kept, rates(above), rtol=1e-12)


def test_a_lossy_link_counts_flows_that_send():
    """With n of them each gets C / (n + alpha (n - 1))."""
    assert rates([({"a": 1}, 0)] * 3, alpha=0.5) == pytest.approx([1e9 / 4.0] * 3)
