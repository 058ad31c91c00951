"""Contention `links`: runs of the arena whose prices are those of the fast law on the cluster's own links."""

import numpy as np

from rarlib.arena.match import forecast_of, play_match, prices_of, workload_of
from rarlib.arena.settings import LINKS, Setting, clusters_of
from rarlib.bounds.elastic.bounds import ElasticBounds
from rarlib.bounds.lower_bounds import MEAN_JCT
from rarlib.cost.linked import cluster_shape, laid_out, on_fabric

BASE = Setting("philly-pollux", "two-level", "0.9", LINKS, "profile", "0.3")
RACKS = {
    "nodes": [{"count": 8, "gpus": 4, "type": "t4", "rack": rack} for rack in ("left", "right")],
    "racks": {"left": {"uplink_gbps": 2.5}, "right": {"uplink_gbps": 2.5}},
}
CLUSTER = clusters_of({"two-level": RACKS})["two-level"]


def played(arena, contention, who="drf"):
    setting = BASE._replace(contention=contention)
    workload = workload_of(arena, setting, 1, CLUSTER, overload=True)
    cost = prices_of(setting, arena.profiles)
    return workload, play_match(who, workload, forecast_of(workload, setting, 1), cost, CLUSTER, setting)[0]


def test_the_level_is_the_law_on_the_links_of_the_cluster(arena):
    """The same run as one of one's own on the racks and uplinks that the cluster states; contention is alive."""
    workload, found = played(arena, LINKS)
    counted, shape = BASE._replace(contention="k"), cluster_shape(CLUSTER)
    cost = on_fabric(prices_of(counted, arena.profiles), shape)
    given = forecast_of(workload, counted, 1)
    own, _ = play_match("drf", workload, given, cost, laid_out(CLUSTER, shape), counted)
    assert np.array_equal(found.turnaround_s, own.turnaround_s)
    assert found.contention_s.mean() > 1.0
    assert not np.array_equal(found.turnaround_s, played(arena, "k")[1].turnaround_s)


def test_bounds_hold_under_the_level(arena):
    workload, found = played(arena, LINKS)
    cost = arena.prices(BASE.network)
    proven = [each for each in ElasticBounds(cost, CLUSTER).bounds(workload.jobs) if each.objective == MEAN_JCT]
    assert max(each.value_s for each in proven) <= found.turnaround_s.mean()
