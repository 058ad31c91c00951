"""Links that are never full first are left out of the tables of the exact mode: rates stay as they are, to the bit."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rarlib.fabric.rates import FlowTable, bottlenecks, fair_shares

LINKS = 6
FLOWS = st.lists(
    st.tuples(
        st.lists(st.integers(0, LINKS - 1), min_size=1, unique=True),
        st.lists(st.integers(1, 3), min_size=6, max_size=6),
    ),
    min_size=1,
    max_size=8,
)
CAPACITY = st.lists(st.sampled_from([3.0, 10.0, 10.0, 40.0 / 3.0]), min_size=LINKS, max_size=LINKS)


def table_of(flows, capacity, levels, once):
    crossings = [
        (link, 1 if once else many) for links, times in flows for link, many in zip(links, times, strict=False)
    ]
    return FlowTable(
        capacity=np.array(capacity),
        first=np.cumsum([0, *(len(links) for links, _ in flows)]),
        link=np.array([link for link, _ in crossings]),
        times=np.array([many for _, many in crossings]),
        size=np.ones(len(flows)),
        owner=np.arange(len(flows)),
        level=np.array(levels[: len(flows)]),
        alpha=0.0,
    )


@given(FLOWS, CAPACITY, st.lists(st.integers(0, 1), min_size=8, max_size=8), st.booleans(), st.randoms())
def test_same_rates_to_the_bit(flows, capacity, levels, once, random):
    table = table_of(flows, capacity, levels, once)
    for alpha in (0.0, 0.3):
        whole = table._replace(alpha=alpha)
        for _ in range(3):
            active = np.array(random.sample(range(len(flows)), random.randint(1, len(flows))))
            np.testing.assert_array_equal(fair_shares(bottlenecks(whole), active), fair_shares(whole, active))


def test_a_link_inside_another_is_left_out():
    flows = [([0, 1], [1, 1]), ([0], [1]), ([2, 0], [1, 1])]
    table = bottlenecks(table_of(flows, [10.0, 10.0, 10.0, 5.0, 5.0, 5.0], [0, 0, 0], once=True))
    assert table.capacity.tolist() == [10.0, 10.0], "link 1 goes; link 2 stays, since its flow crosses it before link 0"
