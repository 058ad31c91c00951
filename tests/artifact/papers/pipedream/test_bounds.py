"""Numbers of Table 1 that no run can give: what is proven, against the planner and against the printed values."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from artifact.papers.pipedream.bounds import CLAIM_TOLERANCE, NVLINK, excludes, least_rate_of_replication
from artifact.papers.pipedream.setups import TABLE_1, A, TableRow
from rarlib.pipeline.graph import Layer, LayerGraph
from rarlib.pipeline.planner import Options, plan_pipeline
from rarlib.pipeline.profiles import load_profile

ROOT = Path(__file__).parents[4]
PUBLISHED, CODED = Options(compression=1.0), Options(variant="as-coded", compression=1.0)
GNMT_8 = next(row for row in TABLE_1["gnmt-8"] if row.label == "GNMT-8 2x8 B")


@pytest.fixture(scope="module")
def gnmt():
    return load_profile("pipedream-gnmt").graph


@pytest.mark.parametrize("prices", [PUBLISHED, CODED])
def test_the_least_rate_is_where_data_parallelism_is_chosen_first(prices):
    """A scan over rates agrees: below it a pipeline is chosen, just above it one stage on all workers."""
    layers = [Layer(f"l{at}", "", 0.01, 0.02, 2e6, 4e6) for at in range(5)]
    graph, row = LayerGraph.chain(layers), TableRow("toy", "toy", A, 1, (4,))
    rate = least_rate_of_replication(row, graph, prices, 1e13)
    assert 1e6 < rate < 1e13
    for factor in np.linspace(0.3, 0.999, 12):
        assert len(plan_pipeline(graph, [4], [rate * factor], prices).stages) > 1
    assert plan_pipeline(graph, [4], [rate * 1.001], prices).configuration == "4"


@pytest.mark.parametrize("prices", [PUBLISHED, CODED])
def test_gnmt_8_is_never_replicated_on_two_servers(gnmt, prices):
    """Not on one level up to all NVLinks of a V100, and not on two levels with 25 Gbps between the servers.

    On two levels both times fall with the rate inside a server. So between two rates data parallelism takes at least
    what it takes at the upper one, and the planner needs at most what it needs at the lower one.
    """
    assert least_rate_of_replication(GNMT_8, gnmt, prices, 2 * NVLINK) > NVLINK
    between, machines = GNMT_8.cluster.between, GNMT_8.machines
    for lower, upper in ((5e8, 5e9), (5e9, 1e30)):
        plan = plan_pipeline(gnmt, machines, [lower, between], prices)
        everywhere = plan_pipeline(gnmt, machines, [upper, between], prices).data_parallel_time_s
        assert plan.pipeline_time_s < everywhere


def test_two_speedups_of_a_row_may_exclude_each_other():
    """A value within 10 % of both printed ones exists or not, by a scan; the printed values are those published."""
    published = pd.read_csv(ROOT / "data/published.csv", dtype=str)
    rows = published[(published["paper"] == "pipedream") & (published["where"] == "Table 1")]
    printed = {(series, x): value for series, x, value in zip(rows["series"], rows["x"], rows["value"], strict=True)}
    excluded = set()
    for row in (row for several in TABLE_1.values() for row in several):
        assert row.per_epoch == float(printed[row.label, "epoch-time speed-up over DP"])
        accuracy = printed.get((row.label, "time-to-accuracy speed-up over DP"))
        assert row.to_accuracy == (None if accuracy is None else float(accuracy))
        if row.to_accuracy is None:
            continue
        values = np.linspace(0.5, 6.0, 5501)
        near = [abs(values / target - 1.0) <= CLAIM_TOLERANCE for target in (row.per_epoch, row.to_accuracy)]
        assert excludes(row.per_epoch, row.to_accuracy) == (not np.any(near[0] & near[1]))
        if excludes(row.per_epoch, row.to_accuracy):
            excluded.add(row.label)
    assert excluded == {"GNMT-16 1x4 A", "GNMT-16 4x4 A"}
