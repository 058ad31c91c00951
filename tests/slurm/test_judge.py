"""The accepted comparison with a real Slurm reaches what is aimed at, and names the Slurm."""

import pandas as pd
import pytest

from rarlib.declared import ROOT
from tools.slurm_judge import missed


@pytest.fixture
def accepted():
    folder = ROOT / "results/expected"
    return pd.read_csv(folder / "slurm.csv"), pd.read_csv(folder / "slurm-starts.csv")


def test_the_accepted_tables_reach_what_is_aimed_at(accepted):
    assert missed(*accepted) == []


def test_the_accepted_tables_are_of_200_jobs_in_three_regimes_of_a_named_slurm(accepted):
    summary, starts = accepted
    assert summary["slurm"].str.fullmatch(r"slurm \d+\.\d+\.\d+").all()
    assert starts.groupby("regime").size().tolist() == [200, 200, 200]


def test_what_is_not_reached_is_said(accepted):
    summary, starts = accepted
    summary.loc[0, ["same_order", "slurm_makespan_s"]] = (0.99, 1.03 * summary.loc[0, "makespan_s"])
    starts.loc[starts["regime"] == "backfill, exact limits", "agrees"] = False
    said = " ".join(missed(summary, starts))
    assert "99.0%" in said
    assert "+3.0%" in said
    assert "backfill, exact limits: 0.0%" in said
