"""`rarlib verify --same-as`: one command that says whether a change has left the results as they were."""

import shutil

import pytest

FILES = ("claims.csv", "cells/toy/runs/fifo.csv", "tables/toy-runs.csv", "figures/toy.svg", "data/toy.csv")


@pytest.fixture
def folders(tmp_path):
    """Two results folders with the same files."""
    for name in FILES:
        path = tmp_path / "before" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("1,2\n")
    shutil.copytree(tmp_path / "before", tmp_path / "after")
    return tmp_path / "before", tmp_path / "after"


def test_same_bytes_agree_whatever_else_lies_there(folders, run):
    """Logs, benchmarks and executed notebooks hold times: they may differ."""
    before, after = folders
    (before / "logs").mkdir()
    (before / "logs/a.log").write_text("12:00")
    (after / "report.html").write_text("a page")
    code, told = run("verify", after, "--same-as", before)
    assert code == 0
    assert "byte for byte" in told.out


def test_what_differs_is_missing_or_is_new_is_named(folders, run):
    """Files of one size whose last byte differs count as different; times of files do not matter."""
    before, after = folders
    (after / "tables/toy-runs.csv").write_text("1,3\n")
    (after / "figures/toy.svg").unlink()
    (after / "cells/toy/runs/las.csv").write_text("1\n")
    code, told = run("verify", after, "--same-as", before)
    assert code == 1
    assert told.out.splitlines()[:-1] == [
        "figures/toy.svg: missing",
        "tables/toy-runs.csv: differs",
        "cells/toy/runs/las.csv: new",
    ]
    assert told.out.splitlines()[-1].endswith("3 differences")
