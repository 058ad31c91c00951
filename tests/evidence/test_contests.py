"""Formulas about rivals, against values worked out by hand."""

import numpy as np
import pandas as pd
import pytest

from rarlib.evidence.formulas import check_formula, evaluate
from rarlib.evidence.lookup import Lookup
from rarlib.evidence.outcome import MissingResultError
from rarlib.model.errors import InputError
from tests.arena.small import rows


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


@pytest.mark.parametrize(
    ("formula", "complaint"),
    [
        ({"kind": "beats", "better": "a", "worse": "b", "select": {"contention": False}}, "quotes"),
        ({"kind": "beats", "better": "a", "worse": "b", "select": {"setup": "x"}}, "unknown factor 'setup'"),
        ({"kind": "beats", "better": "a"}, "needs 'worse'"),
        ({"kind": "widens", "better": "a", "worse": "b", "along": "load", "levels": [1]}, "two levels"),
        ({"kind": "widens", "better": "a", "worse": "b", "along": "trace", "levels": [1, 2]}, "two levels"),
        ({"kind": "gap"}, "needs 'at_most'"),
    ],
)
def test_bad_formula_is_refused(formula, complaint):
    with pytest.raises(InputError, match=complaint):
        told([rows({"a": [1], "b": [1]})], **formula)
