"""The law in its place: what the comparison runs, and that the page says what the table holds."""

import pandas as pd
import pytest

from rarlib.arena.in_situ import RACKED, in_situ_runs, in_situ_shape
from rarlib.arena.match import forecast_of, play_match, prices_of, workload_of
from rarlib.arena.settings import Setting
from rarlib.cost.linked import laid_out, on_fabric
from rarlib.model.cluster import Cluster
from tools import fabric_insitu

BASE = Setting("", "", "0.9", "k", "profile", "0.3")


def test_the_racked_fabric_is_over_subscribed_four_to_one():
    cluster = Cluster.parse("t4:16x4")
    shape = in_situ_shape(cluster, RACKED)
    (leaf,) = shape.layers
    for rack in range(2):
        below = shape.nic_gbps[leaf.group == rack].sum()
        assert below == 4.0 * leaf.hops * leaf.gbps[rack]
    assert in_situ_shape(cluster, "cluster").layers == ()


@pytest.mark.release
def test_runs_are_those_of_the_arena(arena):
    """One row a scheduler; under each grade the mean is that of a run of one's own."""
    cluster = Cluster.parse("t4:16x4")
    rows = list(in_situ_runs(arena, {"small": (cluster, RACKED)}, BASE, [("philly-pollux", 1)], ["drf", "fifo"]))
    assert [row.scheduler for row in rows] == ["drf", "fifo"]
    setting, shape = BASE._replace(trace="philly-pollux", cluster="small"), in_situ_shape(cluster, RACKED)
    workload = workload_of(arena, setting, 1, cluster, overload=True)
    for row in rows:
        for grade, found in (("law", row.law_s), ("flow", row.flow_s)):
            cost = on_fabric(prices_of(setting, arena.profiles), shape, grade=grade)
            given = forecast_of(workload, setting, 1)
            run, _ = play_match(row.scheduler, workload, given, cost, laid_out(cluster, shape), setting)
            assert run.turnaround_s.mean() == found
        assert row.standin
        assert row.jobs == len(workload.jobs)
        assert row.again_s == pytest.approx(row.flow_s, rel=0.05)
    assert max(row.flow_contention_s for row in rows) > 1.0, "the effect must be alive"


def test_the_page_says_what_the_table_holds():
    table = pd.read_csv(fabric_insitu.TABLE)
    assert fabric_insitu.SECTION.stated() == fabric_insitu.render(table).strip()


def test_a_missed_goal_is_said():
    table = pd.read_csv(fabric_insitu.TABLE)
    worse = table.assign(law_s=table["law_s"].where(table["scheduler"] != "drf", table["flow_s"] * 1.05))
    said = fabric_insitu.render(worse)
    assert "differs by 5.0 % at most" in said
    assert "the goal of 3 % is missed" in said
    assert "0 of 8" in said
