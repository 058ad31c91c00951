"""Links and racks: what a gang pays for the slowest link of its ring."""

import pytest

from rarlib.cost.ring import RingCost
from rarlib.model.cluster import Cluster
from rarlib.model.jobs import Jobs
from rarlib.schedulers.fifo import Fifo
from rarlib.simulator.engine import simulate

FILE = """
nodes:
  - {count: 2, gpus: 2, rack: a}
  - {count: 2, gpus: 2, rack: b}
racks: {a: {uplink_gbps: 2.5}, b: {uplink_gbps: 2.5}}
links: {node_gbps: LINK}
"""
COST = RingCost(share=0.2, overhead=0.0)  # spanning: 1 + 0.25 x relative transfer time
SPANNING = 0.25


@pytest.mark.parametrize(
    ("link", "gpus", "factor"),
    [
        (10, 2, 1.0),  # one server: no link at all
        (10, 4, 1 + SPANNING),  # two servers of one rack
        (5, 4, 1 + 2 * SPANNING),  # links of half the capacity
        (10, 6, 1 + 4 * SPANNING),  # two racks: the uplink of a quarter decides
        (2, 6, 1 + 5 * SPANNING),  # two racks, but the servers' own links are slower still
    ],
)
def test_slowest_link_decides(tmp_path, link, gpus, factor):
    """100 s alone on one server, lengthened by the transfer over the slowest link of the ring."""
    path = tmp_path / "cluster.yaml"
    path.write_text(FILE.replace("LINK", str(link)), encoding="utf-8")
    jobs = Jobs.build(submit_s=[0], gpus=[gpus], duration_s=[100])
    for compiled in (True, False):
        run = simulate(jobs, Cluster.parse(str(path)), Fifo(), COST, compiled=compiled)
        assert run.finish_s[0] == pytest.approx(100 * factor)
