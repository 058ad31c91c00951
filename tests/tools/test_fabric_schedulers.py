"""Policies under schedulers: what is run, intervals, and that the page says what the table holds."""

import pandas as pd
import pytest

from rarlib.cost.linked import laid_out, on_fabric
from rarlib.discovery import make_scheduler
from rarlib.model.cluster import Cluster
from rarlib.papers.sjf_bco.premise import premise_batch, premise_shape
from rarlib.simulator.engine import simulate
from tools import fabric_schedulers as tool


def test_runs_of_a_batch():
    """Fair sharing is what happens without a policy; no policy shortens a job's time alone."""
    rows = pd.DataFrame(tool.runs([1], ["srtf"]))
    assert len(rows) == len(tool.PERIODS) * (1 + len(tool.POLICIES))
    jobs, alone = premise_batch(1, tool.DUTY)
    shape = premise_shape(tool.SHARERS, tool.OVERSUBSCRIPTION)
    cluster = laid_out(Cluster.of([tool.SHARERS] * shape.servers), shape)
    run = simulate(jobs, cluster, make_scheduler("srtf", {}), on_fabric(alone, shape, grade="flow"), seed=1)
    fair = rows[(rows["periods"] == "random") & (rows["policy"] == "fair sharing")].iloc[0]
    assert fair["mean_jct_s"] == pytest.approx(float(run.turnaround_s.mean()), rel=1e-12)
    assert (rows["contention_s"] >= -1e-9).all()
    assert rows["mean_jct_s"].nunique() > len(tool.PERIODS), "the effect must be alive"


def test_interval_by_hand():
    """Mean 3, standard deviation sqrt(2.5), t(4, 0.975) = 2.776."""
    assert tool.interval([1.0, 2.0, 3.0, 4.0, 5.0]) == pytest.approx((3.0, 2.7764 * (2.5 / 5) ** 0.5), rel=1e-4)


def test_every_row_is_there_and_the_page_says_what_the_table_holds():
    table = pd.read_csv(tool.TABLE)
    cells = table.groupby(["periods", "scheduler", "policy"]).size()
    assert len(cells) == len(tool.PERIODS) * len(tool.SCHEDULERS) * (1 + len(tool.POLICIES))
    assert set(cells) == {len(tool.SEEDS)}
    assert tool.SECTION.stated() == tool.render(table).strip()
