"""The accepted table is whole, possible, and what the page shows."""

import pandas as pd
import pytest

from tools.sockets.compare import compared, trials_of
from tools.sockets.plan import EXCHANGE_BYTES, RATE_MBIT, SEND_S, plan
from tools.sockets.table import SECTION, TABLE, fairness, render, total_rate


@pytest.fixture
def accepted():
    return pd.read_csv(TABLE)


def test_every_job_of_every_trial_has_a_row(accepted):
    wanted = [(trial, job) for trial in plan() for job in range(trial.jobs)]
    assert sorted(zip(trials_of(accepted), accepted["job"], strict=True)) == sorted(wanted)


def test_the_page_shows_it(accepted):
    assert SECTION.stated() == render(accepted).strip()


@pytest.mark.release
def test_beside_it_is_what_the_exact_mode_and_the_law_say(accepted):
    """More than two jobs with free phases are chaotic: another processor may round otherwise."""
    calm = accepted[(accepted["phases"] != "free") | (accepted["jobs"] < 3) | (accepted["duty"] == 1.0)]
    calm = calm[(calm["phases"] != "equal") & ((calm["repeat"] == 0) | (calm["phases"] == "alone"))]
    again = compared(calm.drop(columns=["exact_s", "law_s"]))
    for column in ("exact_s", "law_s"):
        assert again[column].to_numpy() == pytest.approx(calm[column].to_numpy(), rel=1e-4, nan_ok=True)


def test_nothing_is_faster_than_the_link(accepted):
    assert (accepted["exchange_s"] > 0.97 * SEND_S).all()
    assert (total_rate(accepted) < RATE_MBIT).all()
    assert fairness(accepted).between(0.25, 1.0 + 1e-12).all()


def test_total_rate_and_fairness_by_hand():
    """One of two jobs sends three times as often: the sum is what the link carries, and Jain's index 16 / 20."""
    trial = next(each for each in plan() if (each.phases, each.jobs, each.duty) == ("free", 2, 1.0))
    rows = pd.DataFrame([trial, trial]).assign(iteration_s=[SEND_S * 4 / 3, SEND_S * 4])
    assert total_rate(rows).tolist() == pytest.approx([EXCHANGE_BYTES * 8e-6 / SEND_S])
    assert fairness(rows).tolist() == pytest.approx([0.8])


def test_a_missed_goal_is_said(accepted):
    assert "with a class for each job it is reached" in render(accepted.assign(iteration_s=accepted["exact_s"]))
    assert "with one queue it is missed: 20.0 %" in render(accepted.assign(iteration_s=1.2 * accepted["exact_s"]))
