"""Formulas of claims against values computed by hand."""

import pandas as pd
import pytest

from rarlib.evidence.formulas import check_formula, evaluate
from rarlib.evidence.lookup import Lookup
from rarlib.evidence.outcome import MissingResultError
from rarlib.model.errors import InputError
from rarlib.records.tidy import TIDY_COLUMNS

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
    """A statement of two halves holds only when both do."""
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
    """Each would otherwise give a number that answers another question."""
    with pytest.raises(InputError, match=complaint):
        check_formula(formula, "test.yaml", "here")
        evaluate(formula, Lookup(tables, {}))


@pytest.mark.parametrize("formula", [{"table": "other"}, {"select": {"scheduler": "nobody"}}])
def test_missing_results_are_no_error_of_the_formula(formula):
    """A smaller run lacks tables and rows; its ledger must still be written."""
    with pytest.raises(MissingResultError):
        run(**{"kind": "value", **formula})
