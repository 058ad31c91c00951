"""The committed reading of SJF-BCO is worth what the committed tables say."""

import pandas as pd
import pytest

from artifact.ledger.fit import Runs
from artifact.ledger.guards import moved, numbers, row
from artifact.ledger.reading import read_plan
from artifact.papers.sjf_bco.inference import outcomes
from rarlib.model.project import ROOT

TABLES = ROOT / "results/expected/readings"
PLAN = read_plan("sjf-bco")


@pytest.fixture(scope="module")
def runs():
    return Runs(outcomes)


@pytest.fixture(scope="module")
def guards():
    return pd.read_csv(TABLES / "sjf-bco-guards.csv").set_index("what")


@pytest.mark.release
def test_the_committed_numbers_are_those_of_the_reading(runs, guards):
    """Every printed number, fitted or tested, the scores that are counted from them, and that contention matters."""
    table = numbers(PLAN, runs, {"reading": PLAN.chosen})
    wanted = pd.read_csv(TABLES / "sjf-bco-numbers.csv")
    pd.testing.assert_frame_equal(table, wanted[list(table.columns)], check_dtype=False)
    values = runs.of(PLAN.chosen, PLAN.judged, cheap=False)
    assert row(PLAN, "reading", values, "")[1:5] == tuple(guards.loc["reading"].iloc[:4])
    share = moved(PLAN, runs, PLAN.chosen)
    assert f"without the subject {100 * share:.0f} % of the numbers move" in guards.loc["reading", "made"]


def test_what_differs_from_the_text_is_needed(guards):
    """The text's value of such an unknown, all others as in the reading, costs more or kills contention."""
    along = pd.read_csv(TABLES / "sjf-bco-along.csv", keep_default_na=False)
    differing = [name for name, value in PLAN.text.items() if PLAN.chosen[name] != value]
    assert 0 < len(differing) < len(PLAN.text)
    for name in differing:
        text = along[(along["unknown"] == name) & along["text"]].iloc[0]
        assert text["loss"] > guards.loc["reading", "loss"] + 0.01 or not text["alive"], name


def test_the_page_says_what_the_table_holds(guards):
    """`docs/readings.md` begins with what came out."""
    page = " ".join((ROOT / "docs/readings.md").read_text(encoding="utf-8").split())
    reading, tested = guards.loc["reading"], guards["tested"]
    by_hand = tested[tested.index.str.startswith("by hand")]
    for said in (
        f"{reading.fitted:.0f} of its {reading.of_fitted} fitted numbers and {reading.tested:.0f} of the "
        f"{reading.of_tested} others come out within 15 %",
        f"as stated {tested['as stated']:.0f} of 19, a random reading {tested['chance, mean']:.1f} of 19 on average "
        f"and up to {tested['chance, 95 %']:.0f} in 95 %",
        f"fit it as well score {tested['as good a fit, worst']:.0f} to {tested['as good a fit, best']:.0f} of 19",
        f"score {by_hand.min():.0f} to {by_hand.max():.0f}, and fit Fig. 4 worse",
    ):
        assert said in page
