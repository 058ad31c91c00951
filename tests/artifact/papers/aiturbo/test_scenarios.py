"""Scenarios and cells of AITurbo: what an instance must be, and that tables are complete."""

import numpy as np
import pytest

from artifact.papers.aiturbo import cells
from artifact.papers.aiturbo.inference import Replayed
from artifact.papers.aiturbo.scenarios import MAIN, Scenario, arrivals, draw_scenario
from rarlib.model.errors import InputError
from rarlib.model.seeds import stream
from rarlib.records.tidy import TIDY_COLUMNS

SETTINGS = {
    "seeds": 2, "jobs": 10, "error_first": 0.15, "error_repeated": 0.01, "shares": [0, 25, 50, 75, 100],
    "cluster": "gpu:2x2,cpu:2x4", "load": 2, "mixes": ["class", "kind", "age"], "readings": ["fitted", "stated"],
}  # fmt: skip
SUBMIT_S = np.cumsum(stream(0, "test-scenarios").exponential(100.0, 1000))


def test_arrivals_are_a_window_of_the_trace_scaled_alike():
    found = arrivals(SUBMIT_S, 20, 1000.0, stream(1, "x"))
    assert (found[0], found[-1]) == pytest.approx((0.0, 1000.0))
    gaps = np.diff(SUBMIT_S)
    windows = [gaps[i : i + 19] / gaps[i : i + 19].sum() for i in range(len(gaps) - 18)]
    assert min(float(np.abs(w - np.diff(found) / 1000.0).max()) for w in windows) < 1e-9


@pytest.mark.parametrize("load", [0.5, 2.0])
def test_offered_load(load):
    found = draw_scenario(MAIN, 3, {**SETTINGS, "jobs": 60, "load": load}, SUBMIT_S)
    asked = (found.jobs.gpus * found.jobs.duration_s).sum()
    assert asked / (4 * found.jobs.submit_s[-1]) == pytest.approx(load)


def test_shares_of_a_mix():
    many = {**SETTINGS, "jobs": 400}
    for share in (0.0, 0.5, 1.0):
        found = draw_scenario(Scenario("class", unpredictable=share, cpu_only=0.0), 0, many, SUBMIT_S)
        assert (found.workload.switch > 0).mean() == pytest.approx(share, abs=0.08)
        assert not found.workload.on_cpu.any()
    found = draw_scenario(Scenario("kind", cpu_only=0.25), 0, many, SUBMIT_S)
    assert found.workload.on_cpu.mean() == pytest.approx(0.25, abs=0.08)


def test_unpredictable_jobs_are_taken_for_predictable_ones():
    """They end early; a guess does not know that, and does not depend on how long they last."""
    own = draw_scenario(
        Scenario("class", unpredictable=1.0, cpu_only=0.0), 0, {**SETTINGS, "jobs": 400}, SUBMIT_S
    ).workload
    ratio = own.guessed_steps / own.steps
    assert np.median(ratio) > 5
    guessed_s = own.guessed_steps * own.requested_step_s()
    assert abs(np.corrcoef(np.log(guessed_s), np.log(own.steps * own.requested_step_s()))[0, 1]) < 0.15


@pytest.fixture
def trace(monkeypatch):
    monkeypatch.setattr(cells, "replayed_from", lambda _: Replayed(SUBMIT_S - SUBMIT_S[0]))
    return "trace.csv"


@pytest.mark.parametrize(("part", "member", "points"), [("main", "fcfs", 2), ("mixes", "tiresias", 20)])
def test_cells(trace, part, member, points):
    table = cells.run_cell(part, member, SETTINGS, trace)
    assert list(table.columns) == TIDY_COLUMNS
    jct = table[table["metric"] == "jct_all_s"]
    assert len(jct) == points * SETTINGS["seeds"]
    assert (jct["value"] > 0).all()
    assert not table.duplicated(["setup", "reading", "x", "seed", "metric"]).any()


def test_groups_add_up(trace):
    """Short and long jobs are all jobs; so are predictable and unpredictable ones, weighted by their numbers."""
    settings = {**SETTINGS, "jobs": 20, "seeds": 1, "readings": ["stated"]}
    table = cells.run_cell("main", "aiturbo", settings, trace).set_index("metric")["value"]
    assert (table["jct_short_s"] + table["jct_long_s"]) / 2 == pytest.approx(table["jct_all_s"])
    assert table["queue_mean_s"] + table["held_mean_s"] == pytest.approx(table["jct_all_s"])


@pytest.mark.parametrize(
    ("part", "member", "data"), [("main", "x", "t"), ("x", "aiturbo", "t"), ("main", "aiturbo", None)]
)
def test_unknown_cells(trace, part, member, data):
    with pytest.raises(InputError):
        cells.run_cell(part, member, SETTINGS, data)
