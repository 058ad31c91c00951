"""The committed reading of AITurbo is worth what the committed tables say."""

import pandas as pd
import pytest

from rarlib.evidence.fit import Runs
from rarlib.evidence.guards import numbers
from rarlib.evidence.reading import outside, read_plan, reading_loss
from rarlib.model.project import ROOT
from rarlib.papers.aiturbo.inference import outcomes
from rarlib.traces.load import load_trace

TABLES = ROOT / "results/expected/readings"
PLAN = read_plan("aiturbo")


@pytest.fixture(scope="module")
def guards():
    return pd.read_csv(TABLES / "aiturbo-guards.csv").set_index("what")


def test_the_committed_tables_are_those_of_the_reading(guards):
    """The reading of the file, its scores from the table of numbers, and the page that says what came out."""
    readings = pd.read_csv(TABLES / "aiturbo-readings.csv", dtype=str).set_index("unknown")["reading"]
    assert readings.to_dict() == {name: str(value) for name, value in PLAN.chosen.items()}
    table = pd.read_csv(TABLES / "aiturbo-numbers.csv")
    near = (table["reading"] / table["published"] - 1.0).abs() <= 0.15
    for role in ("fitted", "tested"):
        own = table["role"] == role
        assert guards.loc["reading", role] == (near & own).sum()
    page = " ".join((ROOT / "docs/readings.md").read_text(encoding="utf-8").split())
    told, tested = guards.loc["reading"], guards["tested"]
    said = (
        f"{told.fitted:.0f} of its {told.of_fitted} fitted numbers and {told.tested:.0f} of the {told.of_tested} others"
    )
    literal = f"come out, as stated {tested['as stated']:.0f}, a random reading {tested['chance, mean']:.1f}"
    assert f"{said} {literal}" in page


@pytest.mark.release
def test_the_committed_reading_has_the_committed_loss(guards):
    """Every run made again: the loss over the fitted numbers, and each number."""
    if load_trace("philly-pollux").provenance["standin"]:
        pytest.skip("the recorded arrivals are not at hand")
    runs = Runs(outcomes)
    values = runs.of(PLAN.chosen, PLAN.judged)
    assert outside(PLAN, values) == 0.0
    assert reading_loss(PLAN, values) == pytest.approx(guards.loc["reading", "loss"], abs=6e-4)
    wanted = pd.read_csv(TABLES / "aiturbo-numbers.csv")
    table = numbers(PLAN, runs, {"reading": PLAN.chosen})
    pd.testing.assert_frame_equal(table, wanted[list(table.columns)], check_dtype=False)
