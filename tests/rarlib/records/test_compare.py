"""Schedulers side by side: what is measured, by hand, and what is refused."""

import pandas as pd
import pytest

from rarlib.cost.trace import TraceCost
from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError
from rarlib.model.jobs import Jobs
from rarlib.records.compare import compare
from rarlib.records.tidy import TIDY_COLUMNS

JOBS = Jobs.build(submit_s=[0.0, 0.0], gpus=[4, 4], duration_s=[100.0, 60.0])
CLUSTER = Cluster.parse("1x4")


def value(frame: pd.DataFrame, scheduler: str, metric: str) -> float:
    (found,) = frame[(frame["scheduler"] == scheduler) & (frame["metric"] == metric)]["value"]
    return float(found)


def test_two_jobs_one_after_the_other() -> None:
    """First come, first served: 100 s and 160 s; the shortest first: 60 s and 160 s."""
    seen = []
    frame = compare(
        ["fifo", "sjf"], JOBS, CLUSTER, TraceCost(), seed=3, seen=lambda name, run: seen.append((name, run.makespan_s))
    )
    assert list(frame.columns) == TIDY_COLUMNS and set(frame["seed"]) == {3}
    assert set(frame["setup"]) == {"1x4"} and set(frame["reading"]) == {"trace"}
    assert [value(frame, name, "jct_mean_s") for name in ("fifo", "sjf")] == [130.0, 110.0]
    assert [value(frame, name, "queue_mean_s") for name in ("fifo", "sjf")] == [50.0, 30.0]
    assert [value(frame, name, "queued_ratio") for name in ("fifo", "sjf")] == [0.5, 0.5]
    assert value(frame, "fifo", "utilisation_ratio") == 1.0
    assert seen == [("fifo", 160.0), ("sjf", 160.0)]


def test_parameters_reach_their_scheduler() -> None:
    with pytest.raises(InputError, match="unknown parameter 'levels' of fifo"):
        compare(["las", "fifo"], JOBS, CLUSTER, TraceCost(), params={"fifo": {"levels": "1"}})


def test_a_scheduler_given_twice_is_refused() -> None:
    with pytest.raises(InputError, match="fifo is given twice"):
        compare(["fifo", "sjf", "fifo"], JOBS, CLUSTER, TraceCost())
