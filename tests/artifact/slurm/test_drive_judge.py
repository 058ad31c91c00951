"""The accepted table of a driven Slurm reaches what is aimed at, and the page shows it."""

import pandas as pd
import pytest

from rarlib.model.project import ROOT
from tools.slurm_drive import ACCEPTED, CASES, JOBS, missed, simulated, summary


@pytest.fixture
def accepted():
    return pd.read_csv(ACCEPTED)


def test_every_case_is_there_and_reaches_what_is_aimed_at(accepted):
    assert accepted.groupby("case", sort=False).size().to_dict() == {case.name: len(JOBS) for case in CASES}
    assert missed(accepted) == []


def test_the_simulated_schedule_is_the_one_beside_it(accepted):
    for case in CASES:
        own = accepted[accepted["case"] == case.name]
        assert own["start_s"].to_numpy() == pytest.approx(simulated(case.scheduler).start_s, abs=1e-3)


def test_jobs_run_for_their_lengths_after_they_were_submitted(accepted):
    """A job that was never stopped holds its GPUs for its length and the second or so that Slurm takes."""
    for case in CASES:
        own = accepted[accepted["case"] == case.name]
        submit_s, _, length_s = zip(*JOBS, strict=True)
        assert (own["slurm_start_s"] >= pd.Series(submit_s, own.index) - 0.01).all()
        once = own["slurm_starts"] == 1
        held_s = (own["slurm_end_s"] - own["slurm_start_s"])[once]
        assert (held_s - pd.Series(length_s, own.index)[once]).between(-0.01, 1.5).all()


def test_what_is_not_reached_is_said(accepted):
    accepted.loc[accepted["case"] == "fifo", "slurm_end_s"] += 60.0
    first = accepted.index[accepted["case"] == "sjf-bco"][0]
    accepted.loc[first, "slurm_start_s"] = 1e3
    said = " ".join(missed(accepted))
    assert "fifo: makespan" in said
    assert "sjf-bco: " in said
    assert "start in the order simulated" in said


def test_the_page_shows_the_accepted_numbers(accepted):
    page = (ROOT / "docs/slurm.md").read_text(encoding="utf-8").splitlines()
    for row in summary(accepted).to_dict("records"):
        cells = [
            row["case"],
            f"{row['slurm_makespan_s']:.1f} s, {row['makespan_s']:.1f} s",
            f"{100 * row['same_order']:.1f} %",
            f"{100 * row['same_servers']:.0f} %",
            f"{row['slurm_restarts']}, {row['restarts']}",
        ]
        assert f"| {' | '.join(cells)} |" in page
