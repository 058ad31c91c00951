"""The comparison with a real Slurm in the report: the accepted tables, counted again by hand."""

import csv

import pytest

from artifact.report import page
from artifact.report.page import render
from artifact.report.slurm_rows import FILES, slurm_content
from rarlib.model.project import ROOT, STUDY


def _rows(name):
    with (ROOT / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def content():
    return slurm_content(ROOT)


def test_starts_that_agree_are_counted_regime_by_regime(content):
    starts = _rows(FILES[1])
    for row in content["decisions"]:
        own = [start for start in starts if start["regime"] == row["regime"]]
        shares = [100 * sum(start[name] == "True" for start in own) / len(own) for name in ("agrees", "same_gpus")]
        assert row["numbers"] == [str(len(own)), *(f"{share:.1f}" for share in shares)]
    assert {row["regime"] for row in content["decisions"]} == {start["regime"] for start in starts}


def test_every_schedule_has_a_row_with_the_makespan_beside_slurm_s(content):
    accepted = _rows(FILES[0])
    assert len(content["schedules"]) == len(accepted)
    for shown, row in zip(content["schedules"], accepted, strict=True):
        ours, theirs = float(row["makespan_s"]), float(row["slurm_makespan_s"])
        assert [shown["regime"], shown["lengths"]] == [row["regime"], row["lengths"]]
        assert shown["numbers"][:3] == [f"{ours:.1f}", f"{theirs:.1f}", f"{100 * (ours - theirs) / theirs:+.1f}"]


def test_the_page_names_the_slurm_and_needs_no_file(content):
    text = render("slurm.html.j2", {"title": "Report", "slurm": content})
    assert "Slurm 22.05.8" in text and 'src="data:image/svg+xml;base64,' in text
    assert content["jobs"] == 200


def test_the_report_of_a_study_has_no_such_section(monkeypatch, tmp_path):
    """A study is about its own schedulers; its report is made from an installed package, which lacks the tables."""
    monkeypatch.setattr(page, "slurm_content", lambda root: pytest.fail("read the tables"))
    monkeypatch.setenv(STUDY, str(tmp_path))
    assert page.project_content(tmp_path) == {"measured": None, "slurm": None}
