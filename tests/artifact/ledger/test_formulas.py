"""Formulas of claims about values and rivals, against values worked out by hand."""

import numpy as np
import pandas as pd
import pytest

from artifact.ledger.formulas import check_formula, evaluate
from artifact.ledger.lookup import Lookup, MissingResultError
from rarlib.model.errors import InputError
from rarlib.records.tidy import TIDY_COLUMNS
from tests.artifact.arena.small import rows

MAKESPANS = {
    ("sjf", 20): [10, 12, 14],
    ("ls", 20): [11, 12, 20],
    ("sjf", 10): [20, 30, 40],
    ("ls", 10): [40, 45, None],
    ("fifo", 20): [30, 40],
}


def table():
    rows = [
        ("e", "P", "headline", who, "servers", str(servers), seed, "makespan", value, "slot")
        for (who, servers), values in MAKESPANS.items()
        for seed, value in enumerate(values)
    ]
    return pd.DataFrame(rows, columns=TIDY_COLUMNS)


def tables(name):
    if name != "fig":
        raise MissingResultError(f"no results table {name}")
    return table()


def run(**formula):
    formula = formula if formula["kind"] == "all" else {"table": "fig", **formula}
    check_formula(formula, "test.yaml", "here")
    return evaluate(formula, Lookup(tables, {"setup": "P"}))


def test_value_is_mean_and_sample_deviation():
    """Mean of 10, 12, 14 is 12, deviation 2: the numbers a reader compares with the paper's."""
    outcome = run(kind="value", select={"scheduler": "sjf", "x": 20})
    assert (outcome.value, outcome.spread, outcome.seeds) == (12, 2, 3)


def test_value_relative_to_divides_seed_by_seed():
    """11/10, 12/12 and 20/14, and not the ratio of the means, 43/36; a seed without the other value is left out."""
    outcome = run(kind="value", select={"scheduler": "ls", "x": 20}, relative_to={"scheduler": "sjf"})
    assert outcome.value == pytest.approx((1.1 + 1 + 20 / 14) / 3)
    assert run(kind="value", select={"scheduler": "sjf", "x": 10}, relative_to={"scheduler": "ls"}).seeds == 2


def test_order_counts_seeds_and_ties_do_not_ascend():
    """Seeds 0 and 2 ascend, seed 1 is a tie: two thirds strictly, all of them otherwise."""
    order = {"kind": "order", "select": {"x": 20}, "along": "scheduler", "ascending": ["sjf", "ls"]}
    assert run(**order).value == pytest.approx(2 / 3)
    assert not run(**order, at_least=0.9).holds
    assert run(**order, strict=False).value == 1


def test_a_seed_that_was_not_run_for_all_is_not_called_infeasible():
    """fifo was run for two of three seeds: one seed cannot be compared, and nobody says it has no schedule."""
    outcome = run(kind="order", select={"x": 20}, along="scheduler", ascending=["sjf", "fifo"])
    assert (outcome.value, outcome.seeds, outcome.left_out, outcome.unmatched) == (1, 2, 0, 1)


def test_all_takes_the_weakest_part():
    good = {"kind": "order", "table": "fig", "select": {"scheduler": "sjf"}, "along": "x", "ascending": [20, 10]}
    bad = {**good, "ascending": [10, 20]}
    assert run(kind="all", of=[good, good]).holds
    outcome = run(kind="all", of=[good, bad])
    assert (outcome.holds, outcome.value) == (False, 0)


@pytest.mark.parametrize(
    ("formula", "complaint"),
    [
        ({"kind": "eval", "table": "fig"}, "unknown kind of formula 'eval'"),
        ({"kind": "value"}, "needs 'table'"),
        ({"kind": "value", "table": "fig", "along": "x"}, "unknown key 'along'"),
        ({"kind": "value", "table": "fig", "select": {"policy": "sjf"}}, "no column 'policy'"),
        ({"kind": "value", "table": "fig", "select": {"x": 20}}, "several rows of one seed"),
    ],
)
def test_bad_formula_names_the_culprit(formula, complaint):
    with pytest.raises(InputError, match=complaint):
        check_formula(formula, "test.yaml", "here")
        evaluate(formula, Lookup(tables, {}))


@pytest.mark.parametrize("formula", [{"table": "other"}, {"select": {"scheduler": "nobody"}}])
def test_missing_results_are_no_error_of_the_formula(formula):
    """A smaller run lacks tables and rows; its ledger must still be written."""
    with pytest.raises(MissingResultError):
        run(**{"kind": "value", **formula})


def told(frames, **formula):
    formula = {"table": "runs", **formula}
    check_formula(formula, "test.yaml", "here")
    return evaluate(formula, Lookup(lambda name: pd.concat(frames), {}))


def test_a_scheduler_that_halves_everything_beats():
    """Ratio 1/2 in each of four windows of two traces: a point, far outside the band."""
    frames = [rows({"a": [1, 2], "b": [2, 4]}), rows({"a": [3, 4], "b": [6, 8]}, setup="saturn")]
    outcome = told(frames, kind="beats", better="a", worse="b")
    assert (outcome.value, outcome.seeds, outcome.holds) == (pytest.approx(0.5), 4, True)
    assert outcome.summary == "0.50 [0.50, 0.50] on 4 windows of 2 traces"
    assert not told(frames, kind="beats", better="b", worse="a").holds


def test_five_percent_less_counts_as_equal():
    outcome = told([rows({"a": [0.95, 1.9], "b": [1, 2]})], kind="beats", better="a", worse="b")
    assert not outcome.holds
    assert outcome.summary.endswith(
        "a level of 29%, which is below 80% and counts as equal"
    )  # 6 of 21 errors are smaller


def test_windows_that_disagree_do_not_beat():
    """Ratios 1/4 and 1 of one trace: 1/2 on average, and an interval from 1/4 to 1."""
    outcome = told([rows({"a": [1, 5], "b": [4, 5]})], kind="beats", better="a", worse="b")
    assert outcome.value == pytest.approx(0.5)
    assert not outcome.holds


def test_one_window_is_no_proof():
    outcome = told([rows({"a": [1], "b": [9]})], kind="beats", better="a", worse="b")
    assert not outcome.holds
    assert "no interval" in outcome.summary


def test_every_pair_must_hold_and_the_weakest_is_told():
    frames = [rows({"a": [1, 1], "b": [2, 2], "c": [0.5, 0.5]})]
    outcome = told(frames, kind="beats", better="a", worse=["b", "c"])
    assert (outcome.holds, outcome.value) == (False, pytest.approx(2.0))
    assert outcome.summary.startswith("1 of 2 pairs; weakest: a 2.00 [2.00, 2.00]")
    assert told(frames, kind="beats", better="c", worse="others").holds


def at_contention(level, ratio, spread=1.0):
    values = {"a": [ratio * spread, ratio / spread], "b": [1, 1]}
    return rows(values, reading=f"three-types/{level}/profile/0.3/known")


def test_an_advantage_that_grows():
    """a/b falls from 1 to 1/2: the last is half the first."""
    frames = [at_contention("off", 1.0), at_contention("k", 0.8), at_contention("k+0.3", 0.5)]
    formula = {"kind": "widens", "better": "a", "worse": "b", "along": "contention"}
    outcome = told(frames, **formula, levels=["off", "k", "k+0.3"])
    assert (outcome.value, outcome.holds) == (pytest.approx(0.5), True)
    assert outcome.summary.startswith("1.00 at off, 0.80 at k, 0.50 at k+0.3")
    assert not told(frames, **formula, levels=["k+0.3", "off"]).holds
    with pytest.raises(MissingResultError, match=r"k\+1"):
        told(frames, **formula, levels=["off", "k+1"])


def proven(values):
    return rows({"bounds": values}, metric="bound_mean_jct")


def test_the_gap_is_that_of_the_best():
    """Best 2 in both windows; gaps 2 and 1, sqrt(2) on average."""
    frames = [rows({"a": [2, 3], "b": [3, 2]}), proven([1.0, 2.0])]
    outcome = told(frames, kind="gap", at_most=1.5)
    assert outcome.value == pytest.approx(np.sqrt(2))
    assert outcome.holds
    assert not told(frames, kind="gap", at_most=1.4).holds
