"""The notebooks of notebooks/explore run from top to bottom on a machine with nothing but the environment."""

import sys
from pathlib import Path

from artifact.run.notebooks import parameters_of
from rarlib.records.sample import sample_run
from tests.artifact.notebooks.cells import run_cells

FOLDER = Path(__file__).parents[3] / "notebooks" / "explore"


def run(name, monkeypatch, **given):
    """Run the code cells, parameters replaced; returns the names they leave."""
    monkeypatch.setenv("RARLIB_OFFLINE", "1")
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    return run_cells(FOLDER / name, **given)[0]


def test_a_run_that_is_given(tmp_path, monkeypatch):
    """The parameters are those of papermill, and a job that is asked for is the one whose story is told."""
    known = {"folder", "other", "window_min", "servers", "job"}
    assert parameters_of(FOLDER / "01-look-at-a-run.ipynb").keys() == known
    folder = sample_run(tmp_path / "las", "las")
    names = run("01-look-at-a-run.ipynb", monkeypatch, folder=str(folder), job="7")
    assert names["run"].facts["scheduler"] == "las"
    assert names["job"] == "7"


def test_a_scheduler_on_an_own_trace(tmp_path, monkeypatch):
    trace = tmp_path / "my.csv"
    trace.write_text("submit_s,gpus,duration_s\n0,16,100\n1,8,50\n2,4,50\n3,12,50\n")
    names = run("02-try-a-scheduler.ipynb", monkeypatch, trace=str(trace))
    _, eight, four, twelve = names["mine"].jobs["start_s"]
    assert eight == four < twelve
