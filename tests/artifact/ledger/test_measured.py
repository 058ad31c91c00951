"""The measured ledger: errors, intervals and verdicts by hand."""

import io

import numpy as np
import pandas as pd
import pytest

from artifact.ledger.measured import ledger as ledgers
from artifact.ledger.measured.goals import Goal, GoalTest, read_expectations, read_goals
from artifact.ledger.measured.judge import GOAL_COLUMNS, judged_goals
from artifact.ledger.measured.lines import goal_lines, row_lines
from artifact.ledger.measured.scores import (
    bootstrap_interval,
    score_table,
    scored_rows,
)
from artifact.machines.predictor import predictors
from rarlib.model.project import ROOT
from rarlib.records.tidy import TIDY_COLUMNS

NAN = float("nan")
PUBLISHED = {
    ("G1", "sailor"): (8.6, 13.4, 12.9, 11.1),
    ("G1", "varuna"): (6.2, 11.2, 17.2, 10.3),
    ("G1", "metis"): (14.3, 13.5, 23.6, 16.1),
    ("G1", "piper"): (15.5, 15.3, 20.8, 16.7),
    ("G1", "flashflex"): (15.1, 78.5, 71.1, 48.7),
    ("G1", "stages-in-turn"): (10.3, 16.1, 25.3, 15.6),
}
"""Errors in percent that the specification of the source states: OPT gh200, GPT-Neo gh200, OPT mixed, all."""
GROUPS = ("opt-350m gh200", "gpt-neo-2.7b gh200", "opt-350m mixed", "all")


def table(values):
    """Tidy rows of a quantity: predictor -> (group, row, value)."""
    rows = [
        ("measured", group, "" if name == "measured" else "A", name, "row", row, 0, "iteration", value, "s")
        for name, entries in values.items()
        for group, row, value in entries
    ]
    return pd.DataFrame(rows, columns=TIDY_COLUMNS)


TRUE = [("x", "a", 10.0), ("x", "b", 20.0), ("y", "c", 40.0)]
MADE = {
    "measured": TRUE,
    "flush-blocking": [("x", "a", 11.0), ("x", "b", 16.0), ("y", "c", 40.0)],
    "flush-second-profile": [("x", "a", 11.0), ("x", "b", 20.0), ("y", "c", 40.0)],
    "sailor": [("x", "a", 20.0), ("x", "b", 20.0), ("y", "c", NAN)],
}


def goal(*tests, **changed):
    given = {
        "name": "G1", "title": "t", "source": "s", "table": "made", "quantity": "iteration", "unit": "s",
        "headline": "flush-blocking", "floor": "flush-second-profile", "tests": tests,
        "needs": "more rows",
    }  # fmt: skip
    return Goal(**given | changed)


def scored(one):
    rows = scored_rows([one], {"made": table(MADE)})
    return rows, score_table([one], rows)


def test_errors_by_hand():
    """10, -20 and 0 %; the floor is 25 % of one row of three."""
    rows, found = scored(goal())
    errors = rows[rows["predictor"] == "flush-blocking"].set_index("row")["error"]
    assert errors.to_dict() == pytest.approx({"a": 0.1, "b": -0.2, "c": 0.0})
    assert set(rows["predictor"]) == {"flush-blocking", "flush-second-profile", "sailor"}
    own = found[found["predictor"] == "flush-blocking"].set_index("group")
    assert list(own.index) == ["all", "x", "y"]
    of_all = own.loc["all"]
    assert (of_all["rows"], of_all["missed"]) == (3, 0)
    assert of_all["error"] == pytest.approx(0.1)
    assert of_all["median"] == pytest.approx(0.1)
    assert of_all["largest"] == pytest.approx(0.2)
    assert of_all["bias"] == pytest.approx(-0.1 / 3)
    assert of_all["floor"] == pytest.approx(0.25 / 3)
    assert own.loc["y", "rows"] == 1 and own.loc["x", "error"] == pytest.approx(0.15)


def test_a_missing_prediction_is_a_miss_and_not_dropped():
    _, found = scored(goal())
    rival = found[(found["predictor"] == "sailor") & (found["group"] == "all")].iloc[0]
    assert (rival["rows"], rival["missed"], rival["kind"]) == (3, 1, "rival")
    assert rival["error"] == pytest.approx(0.5)


def test_the_interval_is_that_of_a_resampled_mean():
    """Of many equal draws of 0 and 1 it is known: 0.5 +- 1.96 x 0.5 / sqrt(n)."""
    values = np.tile([0.0, 1.0], 200)
    low, high = bootstrap_interval(values, "key")
    assert low == pytest.approx(0.5 - 1.96 * 0.5 / 20, abs=0.006)
    assert high == pytest.approx(0.5 + 1.96 * 0.5 / 20, abs=0.006)
    assert bootstrap_interval(values, "key") == (low, high)
    assert bootstrap_interval(np.array([0.3]), "key") == pytest.approx((0.3, 0.3))


def test_rows_of_one_run_are_drawn_together():
    """Twice the same value in every run is no more than once: the interval is that of half as many rows."""
    once = np.tile([0.0, 1.0], 200)
    twice, runs = np.repeat(once, 2), np.repeat(np.arange(400), 2)
    assert bootstrap_interval(twice, "key", runs) == pytest.approx(bootstrap_interval(once, "key"))
    low, high = bootstrap_interval(twice, "key")
    assert high - low == pytest.approx(2 * 1.96 * 0.5 / np.sqrt(800), rel=0.1)


@pytest.mark.parametrize(
    ("test", "verdict", "said"),
    [
        (GoalTest("error", 0.11, "all"), "holds", "error 10.0% of all (at most 11%)"),
        (GoalTest("error", 0.09, "all"), "does not hold", "MISSED: error 10.0% of all (at most 9%)"),
        (GoalTest("error", 0.10, "each"), "does not hold", "MISSED: error 15.0% of x (at most 10%)"),
        (GoalTest("error", 0.01, ("y",)), "holds", "error 0.0% of y (at most 1%)"),
        (GoalTest("bias", 0.03, "all"), "does not hold", "MISSED: bias 3.3% of all (at most 3%)"),
        (GoalTest("largest", 0.20, ("x",)), "holds", "largest error 20.0% of x (at most 20%)"),
    ],
)
def test_verdicts(test, verdict, said):
    one = goal(test)
    rows, found = scored(one)
    judged = judged_goals([one], rows, found, []).iloc[0]
    assert judged["verdict"] == verdict
    assert said in judged["reason"]
    assert judged["reason"].endswith(". more rows") == (verdict != "holds")
    assert judged["rival"] == "Sailor 50.0%"


def test_what_is_declared_fits_together():
    """A goal whose predictor nobody declares, or an expectation of a predictor that is gone, would show nowhere."""
    goals = read_goals(ROOT / ledgers.DECLARED)
    known = {(each.name, each.quantity) for each in predictors()}
    for each in goals.values():
        assert (each.headline, each.quantity) in known
        assert not each.floor or (each.floor, each.quantity) in known
    expected = read_expectations(ROOT / ledgers.DECLARED)
    told = {(each.predictor, goals[each.goal].quantity) for each in expected}
    assert told <= known
    assert {(each.headline, each.quantity) for each in goals.values()} <= told
    ours = {(each.name, each.quantity) for each in predictors() if not each.rival}
    assert ours - told == {("flush-second-profile", "iteration")}  # a floor is no prediction


def test_without_the_sources_the_accepted_scores_are_shown(offline):
    found = ledgers.measured_ledger(ROOT, ledgers.tables_here())
    assert found.accepted and found.rows.empty
    assert list(found.goals) == GOAL_COLUMNS and set(found.goals["goal"]) == set(found.declared)
    lines = "\n".join(goal_lines(found, "G1", 80))
    assert "G1  Seconds of an iteration of a pipeline: holds" in lines
    assert row_lines(found, "G1") == []


@pytest.fixture(scope="module")
def here():
    tables = ledgers.tables_here()
    if not tables:
        pytest.skip("the measured files are not at hand; set RARLIB_MIRROR")
    return ledgers.measured_ledger(ROOT, tables)


@pytest.mark.real
def test_accepted_scores_are_those_of_today(here):
    for name, made in zip(ledgers.ACCEPTED_FILES, (here.scores, here.goals), strict=True):
        text = made.to_csv(index=False, lineterminator="\n", float_format="%.6g")
        accepted = (ROOT / ledgers.ACCEPTED / name).read_text(encoding="utf-8")
        rounded = [pd.read_csv(io.StringIO(each), keep_default_na=False) for each in (text, accepted)]
        assert list(rounded[0].columns) == list(rounded[1].columns)
        assert rounded[0].astype(str).to_csv() == rounded[1].astype(str).to_csv(), (
            f"remedy: rarlib measured --out {name}"
        )


@pytest.mark.real
@pytest.mark.parametrize(("goal_name", "predictor"), PUBLISHED)
def test_rivals_have_the_errors_that_the_specification_states(here, goal_name, predictor):
    """The rows, the flags and the rule for missing predictions are those of the specification."""
    mine = here.scores[(here.scores["goal"] == goal_name) & (here.scores["predictor"] == predictor)]
    for group, wanted in zip(GROUPS, PUBLISHED[goal_name, predictor], strict=True):
        if wanted is not None:
            found = 100 * mine[mine["group"] == group]["error"].iloc[0]
            step = 0.5 if isinstance(wanted, int) else 0.06
            assert found == pytest.approx(wanted, abs=step), group


@pytest.mark.real
def test_accepted_files_hold_no_measured_value(here):
    """Statistics may be committed, rows of the sources may not."""
    text = "".join((ROOT / ledgers.ACCEPTED / name).read_text(encoding="utf-8") for name in ledgers.ACCEPTED_FILES)
    assert not [row for row in set(here.rows["row"]) if row in text]
    stated = here.rows[here.rows["quantity"] != "testbed-ratio"]  # computed here, and 3 / 7 may also be a share of rows
    for value in (each for each in set(stated["measured"]) if len(f"{each:.6g}") > 5):  # 0.995 says nothing
        assert f"{value:.6g}" not in text.replace(",", " ").split()
