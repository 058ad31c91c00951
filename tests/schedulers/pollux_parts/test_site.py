"""What the search sees of a cluster, and what jobs get of its result, worked out by hand."""

from types import SimpleNamespace

import numpy as np
import pytest

from rarlib.model.cluster import Cluster
from rarlib.model.offers import Offers
from rarlib.schedulers.pollux_parts.fixed import fixed_inputs
from rarlib.schedulers.pollux_parts.virtual_nodes import split_nodes


class Learned:
    """As much of goodput estimates as a site asks for."""

    def __init__(self, room, nodes, profiled):
        self.gpus_per_node, self.nodes, self.profiled_nodes = (np.array(each) for each in (room, nodes, profiled))


def site(spec, *known, **more):
    offers = Offers(goodput=Learned(*known)) if known else Offers()
    return fixed_inputs(SimpleNamespace(cluster=Cluster.parse(spec), offers=offers), **more)


MIXED = "t4:2x4,a100:1x8", [4, 8], [2, 1], [16, 2]
"""Parts 0 and 1 are T4 nodes, parts 2 and 3 the halves of the A100 node."""


def test_large_nodes_are_shown_as_several():
    """A node of 10 beside nodes of 4 has a rest of 2."""
    parts = split_nodes(np.array([4, 10, 8]))
    assert parts.gpus.tolist() == [4, 4, 4, 2, 4, 4]
    assert parts.node.tolist() == [0, 1, 1, 1, 2, 2]
    assert parts.placement(np.array([0, 1, 0, 2, 4, 0])) == ((1, 3), (2, 4))
    assert parts.placement(np.zeros(6, np.int16)) == ()


@pytest.mark.parametrize(
    ("row", "kept"),
    [
        ([3, 0, 2, 0], [3, 0, 0, 0]),  # most are T4s
        ([1, 0, 1, 1], [0, 0, 1, 1]),
        ([1, 1, 2, 0], [0, 0, 2, 0]),  # as many of both: the A100s stay
        ([0, 0, 0, 4], [0, 0, 0, 4]),
    ],
)
def test_mixed_gangs_keep_one_type(row, kept):
    assert site(*MIXED).settle(np.array([row], np.int16), np.array([1]))[0].tolist() == kept
