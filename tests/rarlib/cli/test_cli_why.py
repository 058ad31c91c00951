"""`rarlib why` and `rarlib export`: what they say of a run folder, and of a bad one."""

import shutil

import pandas as pd
import pytest

from rarlib.cli.main import main
from rarlib.records.waiting import TURNAROUND_PARTS
from tools.dictionary import WAITING_CSV

TRACE = "submit_s,gpus,duration_s,job_id\n0,2,5,first\n1,4,2,wide\n2,1,3,blocked\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("run")
    (place / "jobs.csv").write_text(TRACE)
    words = ("--trace", str(place / "jobs.csv"), "--cluster", "t4:1x2,rtx:1x2", "--scheduler", "fifo", "--quiet")
    with pytest.raises(SystemExit, match=r"^0$"):
        main(["simulate", *words, "--out", str(place / "out")])
    return place / "out"


def test_means_of_a_run(folder, tmp_path, run):
    """Job `wide` waits 4 s for GPUs, `blocked` 3 s behind it and 2 s for GPUs; they run 10 s of 19."""
    code, told = run("why", folder, "--out", tmp_path / "waiting.csv")
    assert code == 0
    assert "fifo: 3 jobs, mean turnaround 6.3 s" in told.out
    assert [line.split()[-8:-4] for line in told.out.splitlines()[1:4]] == [
        ["2.0", "s", "31.6%", "in"],
        ["1.0", "s", "15.8%", "in"],
        ["3.3", "s", "52.6%", "in"],
    ]
    assert "blocked (5 s), wide (4 s)" in told.out
    table = pd.read_csv(tmp_path / "waiting.csv")
    assert table.columns.tolist() == [column.name for column in WAITING_CSV]
    assert table[list(TURNAROUND_PARTS)].sum(axis=1).tolist() == pytest.approx(table["turnaround_s"].tolist(), abs=1e-6)


def test_exports(folder, tmp_path, run):
    code, _ = run("export", folder, "--out", tmp_path / "there" / "file")
    assert code == 0
    assert (tmp_path / "there" / "file").read_text().startswith("{")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["why", "nowhere"], "nowhere/run.json: no such file"),
        (["why", "{folder}", "--job", "x"], "no job 'x'"),
        (["export", "{folder}", "--out", "/dev/null/x"], "cannot write there"),
    ],
)
def test_bad_requests_end_with_2_and_one_line(folder, words, complaint, refused):
    assert complaint in refused(*(word.format(folder=folder) for word in words))


@pytest.mark.parametrize(
    ("name", "change", "complaint"),
    [
        ("jobs.csv", lambda text: text.replace("first", "last"), "digest"),
        ("run.json", lambda text: "{", "not valid JSON"),
        ("run.json", lambda text: text.replace("node_groups", "nodes_were"), "field node_groups: missing"),
    ],
)
def test_a_folder_that_was_changed_is_refused(folder, tmp_path, name, change, complaint, refused):
    copy = shutil.copytree(folder, tmp_path / "copy")
    (copy / name).write_text(change((copy / name).read_text()))
    assert complaint in refused("why", copy)


def test_a_picture_of_one_job(folder, tmp_path, run, refused):
    """Drawn twice, the same bytes; without a job there is nothing to draw."""
    for name in ("one", "two"):
        assert run("why", folder, "--job", "wide", "--picture", tmp_path / f"{name}.png")[0] == 0
    for suffix in (".svg", ".png"):
        assert (tmp_path / f"one{suffix}").read_bytes() == (tmp_path / f"two{suffix}").read_bytes()
    assert refused("why", folder, "--picture", tmp_path / "x.png") == "error: --picture: needs --job\n"
