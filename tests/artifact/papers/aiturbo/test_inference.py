"""What AITurbo's evaluation leaves open: every published ratio is answered."""

import numpy as np
import pandas as pd
import pytest

from artifact.ledger.reading import read_plan
from artifact.papers.aiturbo import inference
from artifact.papers.aiturbo.choices import (
    AITURBO_STATED,
    PLOTTED_ERRORS,
    UNKNOWNS,
    member_in,
    run_settings,
    scenario_in,
)
from artifact.papers.aiturbo.measures import run_instance
from artifact.papers.aiturbo.scenarios import MAIN
from artifact.unknowns import draw_parameters
from rarlib.model.seeds import stream

SUBMIT_S = np.cumsum(stream(0, "test-inference").exponential(100.0, 200))
REPLAYED = inference.Replayed(SUBMIT_S)
PLAN = read_plan("aiturbo")
NAMES = {"AITurbo": "aiturbo", "Optimus": "optimus", "Tiresias": "tiresias", "SRTF": "srtf", "FCFS": "fcfs"}
METRICS = {
    "average JCT": "jct_all_s", "makespan": "makespan_s", "short jobs JCT": "jct_short_s", "long jobs JCT": "jct_long_s"
}  # fmt: skip


@pytest.mark.parametrize("draw", range(4))
def test_each_ratio_is_the_published_one(draw):
    """Whole runs, with every unknown given to every scheduler: what is no part of a run's key does not matter."""
    published = pd.read_csv("data/published.csv").set_index("id")
    values = draw_parameters(UNKNOWNS, 4).to_dict("records")[draw]
    found = inference.ratios_to_aiturbo(values, 1, 6, REPLAYED)
    settings = run_settings(values, {"jobs": 6, **PLOTTED_ERRORS})
    runs = {
        name: dict(
            row[:2]
            for row in run_instance(scenario_in(values, MAIN, who), member_in(values, who), 1, settings, SUBMIT_S)
        )
        for name, who in NAMES.items()
    }
    checked = 0
    for name, value in found.items():
        metric, scheduler = METRICS.get(published.loc[name, "series"]), published.loc[name, "x"]
        if metric and scheduler in runs:
            assert value == pytest.approx(runs[scheduler][metric] / runs["AITurbo"][metric])
            checked += 1
    assert checked == 16
    assert set(found) - {"aiturbo-303"} == {*PLAN.fitted, *PLAN.tested}
    shares = [published.loc[name, "series"].split(" ")[-1] for name in found if name >= "aiturbo-328"]
    assert shares == [s for s in ("0:100", "25:75", "50:50", "75:25", "100:0", "100:0", "75:25") for _ in range(2)]


def test_without_a_classifier_aiturbo_is_least_attained_service(monkeypatch):
    """The same as if no job could be predicted: the subject of the paper is switched off, for AITurbo only."""
    monkeypatch.setattr(inference, "LAB_JOBS", 8)
    monkeypatch.setattr(inference, "_at_hand", lambda: REPLAYED)
    on, off = (
        inference.outcomes({**AITURBO_STATED, "classified": flag}, 2, only_fitted=True) for flag in (True, False)
    )
    assert 0 < on["alive"] < 1
    assert off["alive"] == 0
    settings = run_settings(AITURBO_STATED, {"jobs": 8, **PLOTTED_ERRORS})
    case = MAIN._replace(all_unknown=True)
    own = dict(r[:2] for r in run_instance(case, member_in(AITURBO_STATED, "aiturbo"), 2, settings, SUBMIT_S))
    other = dict(r[:2] for r in run_instance(MAIN, member_in(AITURBO_STATED, "fcfs"), 2, settings, SUBMIT_S))
    assert off["aiturbo-319"] == pytest.approx(other["makespan_s"] / own["makespan_s"])
