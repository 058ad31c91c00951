"""A cost model on a fabric says what the model says alone, over the fabric's links."""

import dataclasses
import math
from types import SimpleNamespace

import numpy as np
import pytest

from rarlib.cost.linked import LinkedCost, LinkedTrainings, cluster_shape, laid_out, on_fabric
from rarlib.cost.ring import RingCost
from rarlib.cost.trace import TraceCost
from rarlib.fabric.shapes import fat_tree, one_switch, rack_tree
from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError
from rarlib.model.jobs import Jobs

JOBS = Jobs.build(submit_s=[0, 0], gpus=[2, 4], duration_s=[5.0, 9.0])


def test_the_fabric_that_a_cluster_describes():
    """One switch for one rack, and a link each way for each rack otherwise; every server has its own link."""
    for gbps in (10.0, np.array([5.0, 10.0, 20.0])):
        single = dataclasses.replace(Cluster.of([2, 2, 2]), node_gbps=gbps)
        found = cluster_shape(single)
        assert found.layers == () and found.nic_gbps.tolist() == np.broadcast_to(gbps, 3).tolist()
        two = dataclasses.replace(single, rack=np.array([0, 1, 0]), rack_gbps=np.array([7.0, 9.0]))
        (layer,) = cluster_shape(two).layers
        assert layer.group.tolist() == [0, 1, 0] and layer.gbps.tolist() == [7.0, 9.0]
        assert cluster_shape(two).nic_gbps.tolist() == np.broadcast_to(gbps, 3).tolist()


def test_a_cluster_takes_its_links_from_a_fabric():
    """Racks are the groups of the nearest layer; without layers, there is one rack without a limit."""
    cluster = Cluster.parse("a:2x4,b:2x2")
    flat = laid_out(cluster, one_switch(4, 25.0))
    assert flat.node_gbps.tolist() == [25.0] * 4 and flat.rack.tolist() == [0] * 4
    assert flat.rack_gbps.tolist() == [math.inf]
    shape = rack_tree(np.array([1, 0, 0, 1]), np.array([1.0, 2.0, 3.0, 4.0]), np.array([5.0, 6.0]))
    racks = laid_out(cluster, shape)
    assert racks.node_gbps.tolist() == [1.0, 2.0, 3.0, 4.0]
    assert racks.rack.tolist() == [1, 0, 0, 1] and racks.rack_gbps.tolist() == [5.0, 6.0]
    pods = laid_out(Cluster.of([4] * 16), fat_tree(4, 10.0, 5.0))
    assert [int((pods.rack == rack).sum()) for rack in range(len(pods.rack_gbps))] == [2] * 8, "two below each switch"
    for laid in (flat, racks):
        assert laid.gpus.tolist() == [4, 4, 2, 2] and laid.gpu_type == cluster.gpu_type
    with pytest.raises(InputError, match="field fabric: has 3 servers, the cluster 4 nodes"):
        laid_out(cluster, one_switch(3, 10.0))


@pytest.mark.parametrize(
    "change",
    [{"slot_s": 1.0}, {"cap_s": np.array([math.inf, 3.0])}, {"gbps": np.ones(2)}],
    ids=["slots", "cap", "gbps"],
)
def test_what_the_law_does_not_know_does_not_run_on_a_fabric(change):
    """Slots, a cap of one job, and reserved bandwidth, each by itself; nor does a fabric of another size."""
    shape = one_switch(2, 10.0)
    cluster = laid_out(Cluster.of([2, 2]), shape)
    linked = on_fabric(RingCost(), shape)
    prices = linked.price(JOBS, cluster)
    linked.links(cluster, prices)
    with pytest.raises(InputError, match="field fabric: cost models with slots, caps or reserved bandwidth"):
        linked.links(cluster, prices._replace(**change))
    with pytest.raises(InputError, match="field fabric: has 2 servers, the cluster 3 nodes"):
        linked.links(Cluster.of([2, 2, 2]), prices)


def test_jobs_that_change_while_they_run_are_trained_by_their_own_model():
    """A model without training has none on a fabric, either."""
    own = SimpleNamespace(
        name="own", admit=lambda jobs, cluster: (jobs, cluster), train=lambda *given: given, price=None
    )
    trainings = on_fabric(own, one_switch(2, 10.0))
    assert type(trainings) is LinkedTrainings and type(on_fabric(TraceCost(), one_switch(2, 10.0))) is LinkedCost
    assert trainings.admit("jobs", "cluster") == ("jobs", "cluster")
    assert trainings.train(1, 2, 3, 4, 5) == (1, 2, 3, 4, 5)
