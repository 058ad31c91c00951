"""The classifier and the study's rows against independent computation; ratios of the figures."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import expit

from artifact.papers.aiturbo.classifier import area_under_roc, cross_validate, fit_logistic, folds
from artifact.papers.aiturbo.figures import evaluation
from artifact.papers.aiturbo.study import run_study
from rarlib.cost.parameter_server.dataset import read_statistics
from rarlib.cost.parameter_server.generator import sample_study
from rarlib.model.seeds import stream
from rarlib.records.tidy import TIDY_COLUMNS

FRAME = sample_study(read_statistics(), 600, stream(0, "test"))
scored = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 6)), min_size=2, max_size=30)


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    path = tmp_path_factory.mktemp("study") / "study.json"
    path.write_text(json.dumps({column: FRAME[column].tolist() for column in FRAME}))
    return path


@given(scored)
def test_area_is_the_chance_of_a_right_order(pairs):
    """Counted pair by pair, ties half."""
    label, score = np.array(pairs, dtype=float).T
    found = [
        (a > b) + (a == b) / 2 for a, x in zip(score, label, strict=True) for b, y in zip(score, label, strict=True)
        if x == 1 and y == 0
    ]  # fmt: skip
    area = area_under_roc(label, score)
    assert area == pytest.approx(np.mean(found)) if found else np.isnan(area)


def test_weights_are_the_best_ones():
    """A general optimiser finds no better weights of the penalised likelihood; a warm start ends in the same ones."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((300, 3))
    label = (rng.random(300) < expit(x @ [1.0, -2.0, 0.0] + 0.5)).astype(float)
    columns = np.concatenate([np.ones((300, 1)), x], axis=1)

    def loss(w):
        p = expit(columns @ w)
        return -(label * np.log(p) + (1 - label) * np.log(1 - p)).sum() + 0.5 * (w[1:] ** 2).sum()

    found = fit_logistic(x, label)
    np.testing.assert_allclose(found, minimize(loss, np.zeros(4), tol=1e-10).x, atol=1e-4)
    np.testing.assert_allclose(fit_logistic(x, label, found + 0.3), found, atol=1e-8)


def test_folds_share_no_job_and_leave_out_whole_types():
    made = list(folds(FRAME, 5, seed=0))
    k = [fold.test for fold in made if fold.scheme == "k-fold"]
    kinds = [fold for fold in made if fold.scheme == "type left out"]
    assert len(k) == 5
    assert (np.sum(k, axis=0) == 1).all()
    bad = [int(FRAME["unpredictable"][test].sum()) for test in k]
    assert max(bad) - min(bad) <= 1
    assert len(kinds) == FRAME["type"].nunique()
    for fold in kinds:
        assert (FRAME["type"][fold.test] == fold.number).all()
        assert not (FRAME["type"][~fold.test] == fold.number).any()


def test_labels_of_the_test_jobs_are_not_used():
    fold = next(folds(FRAME, 5, seed=0))
    turned = FRAME.assign(unpredictable=np.where(fold.test, 1 - FRAME["unpredictable"], FRAME["unpredictable"]))
    for own, other in zip(cross_validate(FRAME, fold, {}), cross_validate(turned, fold, {}), strict=True):
        np.testing.assert_array_equal(own.score, other.score)
        assert own.auc == pytest.approx(1 - other.auc)


def test_shares_by_direct_counting(data):
    rows = run_study("shares", {"seeds": 1}, data).set_index(["metric", "reading", "x"])["value"]
    first = FRAME[FRAME["first"] == 1]
    assert rows["unpredictable", "first", ""] == pytest.approx(100 * (first["unpredictable"] == 1).sum() / len(first))
    assert rows["predictable", "all", ""] + rows["unpredictable", "all", ""] == pytest.approx(100)
    kind = FRAME["type"].iloc[0]
    assert rows["jobs", "all", f"{kind:g}"] == (FRAME["type"] == kind).sum()


def test_ratios_are_taken_on_the_same_instance():
    """1 over 2, 4 over 2 and 9 over 3: the mean is 5.5 / 3, while the ratio of the means is 2."""
    rows = [
        ("aiturbo", "study", "stated", name, "", "", seed, "jct_all_s", value, "s")
        for name, values in {"aiturbo": [2.0, 2.0, 3.0], "optimus": [1.0, 4.0, 9.0]}.items()
        for seed, value in enumerate(values)
    ]
    found = evaluation.relative_to(pd.DataFrame(rows, columns=TIDY_COLUMNS), "jct_all_s", along="setup")["optimus"]
    assert found.tolist() == [0.5, 2.0, 3.0]
