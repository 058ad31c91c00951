"""Eq. 1, the network tree, and what rings take of it."""

import numpy as np
import pytest

from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError
from rarlib.model.tree_network import TreeNetwork


def test_loads_by_hand() -> None:
    """Racks {0, 1} and {2}: a on one server, b inside a rack, c across both racks.

    server      0        1        2
    a                             2       no link
    b           1        1                links of 0, 1
    c                    1        2       links of 1, 2, both uplinks
    """
    network = TreeNetwork.build([9, 9, 9], 100, [0, 0, 1], [100, 100])
    workers = np.array([[0, 0, 2], [1, 1, 0], [0, 1, 2]])
    loads = network.loads(workers, np.array([[1.0], [2.0], [3.0]]), np.array([1.0, 10.0, 100.0]))
    assert loads.node.tolist() == [[2.0], [5.0], [8.0]]
    assert loads.link.tolist() == [10.0, 110.0, 100.0]
    assert loads.uplink.tolist() == [100.0, 100.0]


def test_network_of_a_cluster(tmp_path) -> None:
    """Racks and both kinds of links must arrive; the rack of larger nodes is the first, however they are written."""
    path = tmp_path / "cluster.yaml"
    path.write_text(
        "nodes:\n- {count: 2, gpus: 4, rack: a}\n- {count: 1, gpus: 8, rack: b}\n"
        "racks: {a: {uplink_gbps: 40}, b: {uplink_gbps: 80}}\nlinks: {node_gbps: 25}\n"
    )
    network = TreeNetwork.of(Cluster.parse(str(path)))
    assert network.capacity.ravel().tolist() == [8, 4, 4]
    assert network.link_gbps.tolist() == [25, 25, 25]
    assert network.rack.tolist() == [0, 1, 1]
    assert network.rack_gbps.tolist() == [80, 40]


@pytest.mark.parametrize(
    ("given_", "rule"),
    [
        ({"link_gbps": [1.0, 0.0]}, "field link_gbps of server 1: the topology is disconnected"),
        ({"rack_gbps": [1.0, 0.0]}, "field rack_gbps of rack 1: the topology is disconnected"),
        ({"rack": [0, 2]}, "field rack of server 1: there are racks 0 to 1 only"),
        ({"rack": [0]}, "needs one rack for each of 2 servers"),
        ({"capacity": [1.0, -1.0]}, "field capacity of server 1: must be a number of at least 0"),
        ({"capacity": [1.0, np.inf]}, "field capacity of server 1"),
    ],
)
def test_bad_network(given_: dict, rule: str) -> None:
    good = {"capacity": [1.0, 1.0], "link_gbps": [1.0, 1.0], "rack": [0, 1], "rack_gbps": [1.0, 1.0]}
    with pytest.raises(InputError, match=rule):
        TreeNetwork.build(**{**good, **given_})
