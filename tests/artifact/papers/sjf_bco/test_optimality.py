"""Certificates: what is proven, found and optimal stands in the right order."""

import numpy as np
import pandas as pd
import pytest

from artifact.papers.sjf_bco.figures.optimality import makespan_gaps, optimum, tightest_bound
from artifact.papers.sjf_bco.optimality import run_cell
from rarlib.records.tidy import TIDY_COLUMNS
from tests.artifact.papers.sjf_bco.headline import headline

SETTINGS = {"seeds": 2, "effort": 30, "limit": 2}
SCHEDULERS = ("best-known", "sjf-bco", "list-scheduling", "first-fit")


@pytest.fixture(scope="module")
def scale():
    return joined("scale", "bounds", *SCHEDULERS)


@pytest.fixture(scope="module")
def small():
    return joined("small", "bounds", "exact", *SCHEDULERS)


def joined(table, *members):
    frame = pd.concat([run_cell(table, member, headline(table, "optimality", **SETTINGS)) for member in members])
    assert list(frame.columns) == TIDY_COLUMNS
    return frame


def test_nobody_beats_a_bound_at_paper_scale(scale):
    """A makespan below a proven bound means that the proof, the schedule or the pricing is wrong."""
    gaps = makespan_gaps(scale, tightest_bound(scale))
    assert len(gaps) == len(SCHEDULERS) * SETTINGS["seeds"]
    assert (gaps["gap"] >= 0).all()


def test_certified_gap_is_small_and_schedulers_are_far_above_it(scale):
    """Even a short search comes near the bound, so the distance of the schedulers is real and not the bound's."""
    gaps = makespan_gaps(scale, tightest_bound(scale)).groupby("scheduler")["gap"].mean()
    assert gaps["best-known"] < 10
    assert gaps.drop("best-known").min() > gaps["best-known"]


def test_bound_optimum_schedulers_in_this_order(small):
    """On instances solved exactly everything can be checked against the truth."""
    exact = small[small["scheduler"] == "exact"].pivot_table(index=["x", "seed"], columns="metric", values="value")
    assert len(exact) == len(headline("small", "optimality")["sizes"]) * 2
    assert (exact["optimal"] == 1).all()
    assert (exact["bound"] == exact["makespan"]).all()
    assert (tightest_bound(small) <= optimum(small)).all()
    assert (makespan_gaps(small[small["scheduler"] != "exact"], optimum(small))["gap"] >= 0).all()
    assert exact["spanning"].max() > 0, "contention must be possible"


def test_best_known_finds_most_small_optima(small):
    gaps = makespan_gaps(small[small["scheduler"] == "best-known"], optimum(small))["gap"]
    assert (gaps <= 1e-9).mean() >= 0.75


def test_smallest_limit_is_below_the_one_of_algorithm_1():
    """Algorithm 1's limit admits an assignment, so the smallest one cannot lie above it."""
    rows = joined("theta", "exact", "sjf-bco")
    wide = rows.pivot_table(index="seed", columns=["scheduler", "metric"], values="value")
    least, own = wide["exact", "theta"], wide["sjf-bco"]
    assert (wide["exact", "bound"] <= least).all()
    assert (least <= own["theta"]).all()
    assert (least <= np.ceil(own["busiest"])).all()
    assert (own["busiest"] <= own["theta"]).all()
