"""The pipeline as a whole: complete, repeatable, and no more is made again than an edit asks for."""

import re
import shutil

import pytest

RESULTS = "results/tiny"
CELLS = 3
"""Two schedulers on the trace, one figure of SJF-BCO."""


def test_everything_is_made(finished):
    names = ("report.html", "claims.csv", "manifest.json", "figures/philly-jct.svg", "notebooks/philly-jct.ipynb")
    for name in (*names, "notebooks/philly-jct.html", "notebooks/learn/01-one-job.html"):
        assert (finished.root / RESULTS / name).stat().st_size > 0, name


def test_report_asks_nothing_of_the_network(finished):
    text = (finished.root / RESULTS / "report.html").read_text(encoding="utf-8")
    assert "Deep-learning cluster scheduling, reproduced" in text
    details = finished.root / RESULTS / "report" / "sjf-bco-mobihoc-2022.html"
    assert "sjf-bco-047" in details.read_text(encoding="utf-8")
    assert not re.findall(r"""<(?:script|link|img)[^>]+(?:src|href)=["']https?://[^>]+>""", text)
    assert not re.findall(r"""@import\s+url|url\(["']?https?://""", text)


def test_stand_in_is_labelled(finished):
    assert '"standin": true' in (finished.root / RESULTS / "tables/philly-jct.json").read_text()
    assert "stand-in" in (finished.root / RESULTS / "figures/philly-jct.svg").read_text(encoding="utf-8").lower()


def test_second_run_does_nothing(finished):
    assert finished.planned() == {}
    assert "Nothing to be done" in finished.snakemake().stdout
    assert "Nothing to do" in finished.make("--cores", "1").stdout


def test_a_missing_figure_is_made_again(finished):
    figure = finished.root / RESULTS / "figures/philly-jct.svg"
    away = figure.rename(figure.with_suffix(".away"))
    assert finished.planned()["figure"] == 1
    away.rename(figure)


def test_a_paper_s_parts_are_made_only_when_asked_for(finished):
    assert finished.planned("paper") == {"paper": 1, "paper_figure": 2, "paper_text": 1}


def planned_with(finished, path, more):
    """What is planned while a file ends in something more."""
    before = path.read_text()
    path.write_text(f"{before}\n{more}")
    planned = finished.planned()
    path.write_text(before)
    return planned


@pytest.mark.parametrize("file", ["las", "sjf_bco"])
def test_editing_a_scheduler_runs_its_own_cells_only(finished, file):
    planned = planned_with(finished, finished.root / "rarlib" / "schedulers" / f"{file}.py", "# edited\n")
    assert planned["cell"] == planned["table"] == planned["figure"] == 1


def test_editing_the_engine_runs_every_cell(finished):
    planned = planned_with(finished, finished.root / "rarlib" / "simulator" / "engine.py", "# edited\n")
    assert planned["cell"] == CELLS


def test_results_without_records_are_made_again(finished):
    """Parameters are compared with Snakemake's records: where these are gone, nothing tells what made the results."""
    records = finished.root / ".snakemake"
    records.rename(finished.root / "kept")
    planned = finished.planned()
    shutil.rmtree(records)
    (finished.root / "kept").rename(records)
    assert planned["cell"] == CELLS
    assert finished.planned() == {}


def test_editing_a_stand_in_s_statistics_runs_what_may_draw_from_it(finished):
    """Cells and tutorials draw stand-ins themselves; which of them does is not known before."""
    path = next((finished.root / "data/standin").glob("philly*.json"))
    planned = planned_with(finished, path, "")
    assert (planned["trace"], planned["cell"], planned["tutorial"]) == (1, CELLS, 1)


def test_a_mirror_that_appears_replaces_the_stand_in(finished, tmp_path):
    (tmp_path / "philly.csv").write_text("")
    assert finished.planned(RARLIB_MIRROR=str(tmp_path))["trace"] == 1


@pytest.mark.release
def test_same_bytes_on_one_core_and_on_two(finished, project):
    elsewhere = {"PYTHONHASHSEED": "7", "LC_ALL": "C", "TZ": "XST-13:45"}
    done = project.snakemake("--cores", "2", "--verbose", "--", f"{RESULTS}/manifest.json", **elsewhere)
    assert done.returncode == 0, done.stdout[-3000:]
    # A round of planning after each job, not at each tick of a clock: those once took a third of a core.
    steps = int(re.findall(r"(\d+) of \d+ steps", done.stdout)[-1])
    assert done.stdout.count("Ready jobs: ") <= steps + 2
    name = f"{RESULTS}/manifest.json"
    assert (project.root / name).read_text() == (finished.root / name).read_text()


def test_a_failing_cell_is_named_and_the_others_finish(finished):
    las, fifo = (finished.root / "rarlib" / "schedulers" / f"{name}.py" for name in ("las", "fifo"))
    las.write_text(las.read_text().replace("    levels: tuple", "    __hash__ = 1 / 0\n    levels: tuple"))
    fifo.write_text(f"{fifo.read_text()}\n# edited\n")
    cells = finished.root / RESULTS / "cells/philly/jct"
    before = (cells / "fifo.csv").stat().st_mtime_ns
    done = finished.snakemake("--cores", "1")
    assert done.returncode == 1
    assert (cells / "fifo.csv").stat().st_mtime_ns > before
    assert not (cells / "las.csv").exists()
    said = "\n".join(done.stdout.splitlines()[-12:])
    assert "cell/philly-jct-las: error: a fault of rarlib: ZeroDivisionError" in said
    assert finished.planned()["cell"] == 1  # what stood on it is gone: the next run tries again
