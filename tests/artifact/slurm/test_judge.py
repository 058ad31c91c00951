"""The accepted comparison with a real Slurm reaches what is aimed at, and the page shows it."""

import pandas as pd
import pytest

from rarlib.model.project import ROOT
from tools.slurm_judge import missed


@pytest.fixture
def accepted():
    folder = ROOT / "results/expected"
    return pd.read_csv(folder / "slurm.csv"), pd.read_csv(folder / "slurm-starts.csv")


def test_the_accepted_tables_reach_what_is_aimed_at(accepted):
    assert missed(*accepted) == []


def test_what_is_not_reached_is_said(accepted):
    summary, starts = accepted
    summary.loc[0, ["same_order", "slurm_makespan_s"]] = (0.99, 1.03 * summary.loc[0, "makespan_s"])
    starts.loc[starts["regime"] == "backfill, exact limits", "agrees"] = False
    said = " ".join(missed(summary, starts))
    assert "99.0%" in said
    assert "+3.0%" in said
    assert "backfill, exact limits: 0.0%" in said


def test_the_page_shows_the_accepted_numbers(accepted):
    summary, starts = accepted
    as_slurm = summary.groupby("regime", sort=False).first()

    def share(of):
        return [f"{100 * value:.1f}".removesuffix(".0") + " %" for value in of]

    rows = {
        "makespan": [f"{a:.1f} s, {b:.1f} s" for a, b in as_slurm[["slurm_makespan_s", "makespan_s"]].to_numpy()],
        "mean wait": [f"{a:.1f} s, {b:.1f} s" for a, b in as_slurm[["slurm_mean_wait_s", "mean_wait_s"]].to_numpy()],
        "starts at the same place": share(as_slurm["same_order"]),
        "starts that agree": share(starts.groupby("regime", sort=False)["agrees"].mean()),
    }
    page = (ROOT / "docs/slurm.md").read_text(encoding="utf-8").splitlines()
    for name, values in rows.items():
        line = next(line for line in page if line.startswith(f"| {name}"))
        assert line.endswith(" | " + " | ".join(values) + " |"), name
