"""What a reader moves controls of is what the tables hold, on the same jobs."""

import numpy as np
import pytest

from artifact.papers.sia import live
from artifact.papers.sia.cells import run_cell
from artifact.run.settings import configuration, section_of, settings_of
from rarlib.presets.sia import measure, round_s

FILES = {"philly": [6], "helios": [6], "newtrace": [], "rate": [], "testbed": [1]}
JOBS = 8


def cell(part, member, data):
    settings = settings_of(section_of(configuration(), "sia"), part)
    return run_cell(part, member, {**settings, "files": FILES, "sweeps": [6], "jobs": JOBS}, data)


@pytest.mark.parametrize("scheduler", live.COMPARED)
@pytest.mark.parametrize(
    ("part", "cluster", "family", "file"),
    [("table3", "heterogeneous", "philly", 6), ("testbed", "testbed", "testbed", 1)],
)
def test_a_live_run_is_that_of_the_table(data, part, cluster, family, file, scheduler):
    run = live.simulated_jobs(scheduler, live.Few(family, file, JOBS), cluster, round_s(scheduler))
    rows = cell(part, scheduler, data)
    rows = rows[(rows["setup"] == family) & (rows["reading"] == "headline") & (rows["seed"] == file)]
    expected = dict(zip(rows["metric"], rows["value"], strict=True))
    assert {name: value for name, value, _ in measure(run, round_s(scheduler))} == expected


@pytest.mark.parametrize("scheduler", live.COMPARED)
def test_gpus_in_use_add_up_to_gpu_time(scheduler):
    """The area below the curve is the GPU time of all jobs; never more GPUs than there are; none at the end."""
    run = live.simulated_jobs(scheduler, live.Few("philly", 6, JOBS), "heterogeneous", round_s(scheduler))
    held = live.in_use(run)
    total = held.groupby("time")["gpus"].sum()
    area = float((np.diff(total.index) * total.to_numpy()[:-1]).sum())
    assert area == pytest.approx(run.gpu_seconds.sum() / 3600.0)
    for kind, rows in held.groupby("type"):
        have = sum(gpus for each, gpus in zip(run.cluster.gpu_type, run.cluster.gpus, strict=True) if each == kind)
        assert rows["gpus"].between(0, have).all()
    assert total.iloc[-1] == 0
