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


def test_no_job_gets_more_gpus_than_the_smallest_type_has():
    """Nodes that were never measured together do not count."""
    assert site("t4:6x4,rtx:3x8,a100:2x8", [4, 8, 8], [6, 3, 2], [16, 3, 2]).limit == 16
    assert site("t4:32x4", [4], [32], [16]).limit == 64
    assert site("t4:6x4,rtx:3x8").limit == 48


def test_caps_on_the_testbed():
    """Two nodes of 8 A100, one of 4 Quadro, three of 8 RTX: 4 GPUs or 24; never more than 64."""
    testbed = "a100:2x8,quad:1x4,rtx:3x8", [8, 4, 8], [2, 1, 3], [2, 1, 3]
    assert site(*testbed).limit == 4
    assert site(*testbed, cap="largest-type").limit == 24
    assert site("t4:32x4", [4], [32], [16], cap="largest-type").limit == 64


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


def test_types_do_not_matter_under_a_price_table():
    """Which has gangs run at their slowest GPU."""
    row = [3, 0, 2, 0]
    assert site(MIXED[0]).settle(np.array([row], np.int16), np.array([1]))[0].tolist() == row


def test_rigid_gangs_are_gathered_on_the_type_they_keep():
    """Job 0 loses 2 of 5 GPUs and finds them on the other T4 node; job 1 would need 4 of the 3 left and gets none."""
    rows = np.array([[3, 0, 2, 0], [0, 3, 0, 1], [0, 0, 1, 0]], np.int16)
    settled = site(*MIXED).settle(rows, np.array([5, 4, 1]))
    assert settled.tolist() == [[4, 1, 0, 0], [0, 0, 0, 0], [0, 0, 1, 0]]


def test_an_idle_cluster_goes_to_the_first_job():
    """A gang that chance does not assemble must not wait for ever."""
    nothing = np.zeros((2, 4), np.int16)
    assert site(*MIXED).settle(nothing.copy(), np.array([7, 1]))[0].tolist() == [0, 0, 4, 3]
    assert site(MIXED[0]).settle(nothing.copy(), np.array([15, 1]))[0].tolist() == [4, 4, 4, 3]
