"""The committed reading of each paper is worth what the committed tables and the page say."""

from importlib import import_module

import pandas as pd
import pytest

from artifact.ledger.fit import Runs
from artifact.ledger.guards import numbers
from artifact.ledger.reading import outside, read_plan, reading_loss
from artifact.papers.pipedream.inference import profile_of
from rarlib.model.project import ROOT
from rarlib.traces.load import load_trace

TABLES = ROOT / "results/expected/readings"
PAPERS = ("gadget", "pipedream", "aiturbo")
"""SJF-BCO's is short enough to be recomputed whole (tests/artifact/papers/sjf_bco/test_reading.py)."""


def table_of(paper, name, **more):
    return pd.read_csv(TABLES / f"{paper}-{name}.csv", **more)


@pytest.mark.parametrize("paper", PAPERS)
def test_the_tables_and_the_page_are_those_of_the_reading(paper):
    """The reading of the file, its scores from the table of numbers, and the page that says what came out."""
    plan, guards = read_plan(paper), table_of(paper, "guards").set_index("what")
    readings = table_of(paper, "readings", dtype=str).set_index("unknown")["reading"]
    assert readings.to_dict() == {name: str(value) for name, value in plan.chosen.items()}
    table = table_of(paper, "numbers")
    near = (table["reading"] / table["published"] - 1.0).abs() <= 0.15
    for role in ("fitted", "tested"):
        assert guards.loc["reading", role] == (near & (table["role"] == role)).sum()
    page = " ".join((ROOT / "docs/readings.md").read_text(encoding="utf-8").split())
    told, tested = guards.loc["reading"], guards["tested"]
    said = (
        f"{told.fitted:.0f} of its {told.of_fitted} fitted numbers and {told.tested:.0f} of the {told.of_tested} others"
    )
    literal = f"come out, as stated {tested['as stated']:.0f}, a random reading {tested['chance, mean']:.1f}"
    assert f"{said} {literal}" in page


@pytest.mark.parametrize(
    "paper",
    [
        pytest.param("gadget", marks=pytest.mark.release),
        "pipedream",
        pytest.param("aiturbo", marks=pytest.mark.release),
    ],
)
def test_the_reading_has_the_committed_loss(paper):
    """Every run made again: the loss over the fitted numbers, and each number."""
    if not recorded(paper):
        pytest.skip("what the reading rests on is not at hand: set RARLIB_MIRROR")
    plan, runs = read_plan(paper), Runs(import_module(f"artifact.papers.{paper}.inference").outcomes)
    values = runs.of(plan.chosen, plan.judged)
    assert outside(plan, values) == 0.0
    loss = table_of(paper, "guards").set_index("what").loc["reading", "loss"]
    assert reading_loss(plan, values) == pytest.approx(loss, abs=6e-4)
    table = numbers(plan, runs, {"reading": plan.chosen})
    pd.testing.assert_frame_equal(table, table_of(paper, "numbers")[list(table.columns)], check_dtype=False)


def recorded(paper):
    """Whether the recorded data that a paper's runs rest on is there."""
    if paper == "pipedream":
        return not any(profile_of(f"pipedream-{name}").standin for name in ("vgg16", "alexnet", "gnmt"))
    return paper != "aiturbo" or not load_trace("philly-pollux").provenance["standin"]
