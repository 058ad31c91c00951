"""The gaps of Shockwave's plans, the page made from them, and how they are noted."""

import pandas as pd

from rarlib.cost.trace import TraceCost
from rarlib.discovery import make_scheduler
from rarlib.measured.policy_runs import BY_WORK
from rarlib.model.cluster import Cluster
from rarlib.model.jobs import Jobs
from rarlib.simulator.engine import simulate
from tools.shockwave_gaps import COLUMNS, SECTION, TABLE, noting, render


def test_the_page_is_made_from_the_table() -> None:
    """Remedy: python -m tools.shockwave_gaps"""
    assert SECTION.stated() == render(pd.read_csv(TABLE)).strip()


def test_a_gap_is_never_negative_and_plans_where_all_fit_are_left_out() -> None:
    jobs = Jobs.build(submit_s=[0.0] * 4, gpus=[1, 2, 1, 2], duration_s=[900.0, 700.0, 5000.0, 400.0])
    rows: list[tuple[int, float, float]] = []
    with noting(rows):
        made = make_scheduler("shockwave", {**BY_WORK, "round_s": 120.0, "limit": 1e-6})
        simulate(jobs, Cluster.parse("1x3"), made, TraceCost())
    assert rows and all(gap >= -1e-9 and cost >= 0.0 for _, gap, cost in rows)
    assert max(n for n, _, _ in rows) == 4 and min(n for n, _, _ in rows) > 1  # one job alone always fits
    assert len(pd.DataFrame(rows, columns=COLUMNS)) == len(rows)


def test_shares_in_words() -> None:
    table = pd.DataFrame({"jobs": [3, 3], "gap": [0.01, 0.03], "regulariser": [0.5, 2.5]})
    assert "Of 2 plans" in render(table) and "1.5 times" in render(table) and "50% of the plans" in render(table)


def test_most_plans_are_near_the_bound() -> None:
    """What the page concludes from: the search cannot gain much."""
    assert pd.read_csv(TABLE)["gap"].median() < 0.01
