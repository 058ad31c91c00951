"""The pipeline as a whole: complete, repeatable, and no more is made again than an edit asks for."""

import re

import pytest

RESULTS = "results/tiny"
CELLS = 3
"""Two schedulers on the trace, one figure of SJF-BCO."""


def test_everything_is_made(finished):
    """The two things a reader opens, and the digests behind them."""
    for name in ("report.html", "claims.csv", "manifest.json", "figures/philly-jct.svg", "notebooks/philly-jct.ipynb"):
        assert (finished.root / RESULTS / name).stat().st_size > 0, name


def test_report_asks_nothing_of_the_network(finished):
    """An archived report must open in ten years: no script, style, font or image from elsewhere."""
    text = (finished.root / RESULTS / "report.html").read_text(encoding="utf-8")
    assert "Deep-learning cluster scheduling, reproduced" in text
    assert "sjf-bco-047" in text
    assert not re.findall(r"""<(?:script|link|img)[^>]+(?:src|href)=["']https?://[^>]+>""", text)
    assert not re.findall(r"""@import\s+url|url\(["']?https?://""", text)


def test_stand_in_is_labelled(finished):
    """There is no trace in the copy, so everything on Philly comes from a stand-in and must say so."""
    assert '"standin": true' in (finished.root / RESULTS / "tables/philly-jct.json").read_text()
    assert "stand-in" in (finished.root / RESULTS / "figures/philly-jct.svg").read_text(encoding="utf-8").lower()


def test_second_run_does_nothing(finished):
    """Otherwise every look at the results costs minutes."""
    assert finished.planned() == {}
    assert "Nothing to be done" in finished.snakemake().stdout


@pytest.mark.parametrize(("file", "cells"), [("las", 1), ("sjf_bco", 1)])
def test_editing_a_scheduler_runs_its_own_cells_only(finished, file, cells):
    """Fewer means stale results, more means wasted hours."""
    path = finished.root / "rarlib" / "schedulers" / f"{file}.py"
    before = path.read_text()
    path.write_text(f"{before}\n# edited\n")
    planned = finished.planned()
    path.write_text(before)
    assert planned["cell"] == cells
    assert planned["table"] == planned["figure"] == 1


def test_editing_the_engine_runs_every_cell(finished):
    """All results stand on the simulator."""
    path = finished.root / "rarlib" / "simulator" / "engine.py"
    before = path.read_text()
    path.write_text(f"{before}\n# edited\n")
    planned = finished.planned()
    path.write_text(before)
    assert planned["cell"] == CELLS


def test_a_mirror_that_appears_replaces_the_stand_in(finished, tmp_path):
    """Someone who gets hold of the recorded trace must not keep made-up numbers."""
    (tmp_path / "philly.csv").write_text("")
    assert finished.planned(RARLIB_MIRROR=str(tmp_path))["trace"] == 1


def test_same_bytes_on_one_core_and_on_two(finished, project):
    """Results that depend on the order of jobs cannot be verified by anyone."""
    done = project.snakemake("--cores", "2", "--", f"{RESULTS}/manifest.json")
    assert done.returncode == 0, done.stdout[-3000:]
    name = f"{RESULTS}/manifest.json"
    assert (project.root / name).read_text() == (finished.root / name).read_text()
