"""Schedulers of a user's choice in the arena: the pipeline's rows, a ledger that others recompute, errors by name."""

import json
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from rarlib.arena.cells import run_cell
from rarlib.cli.main import main
from rarlib.model.errors import InputError
from rarlib.records.tidy import read_table
from rarlib.workflow.own_arena import arena_settings, run_arena
from rarlib.workflow.settings import configuration, settings_of
from tests.bare import bare_machine

STATEMENTS = """paper: arena
claims:
  - {published: mine-01, statement: a, formula: {kind: beats, table: runs, better: drf, worse: fifo}}
  - {published: mine-02, statement: b, formula: {kind: beats, table: runs, better: fifo, worse: drf}}
"""


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results of a small part of the arena, on stand-ins."""
    folder = tmp_path_factory.mktemp("arena")
    (folder / "mine.yaml").write_text(STATEMENTS)
    with bare_machine(folder / "data"):
        settings = arena_settings(["sia-philly", "aiturbo"], jobs=12)
        run_arena(["drf", "fifo"], settings, folder / "out", folder / "mine.yaml", figure=True)
    return folder / "out"


def command(*words: str | Path) -> int:
    with pytest.raises(SystemExit) as end:
        main([str(word) for word in words])
    return int(end.value.code or 0)


def test_rows_are_those_of_the_pipeline_and_verdicts_follow_from_them(out: Path) -> None:
    table = read_table(out / "tables/arena-runs.csv")
    section = settings_of(configuration()["experiments"]["arena"], "runs")
    part = {**section, "traces": ["sia-philly", "aiturbo"], "jobs": 12, "grid": []}
    cells = [run_cell("runs", name, part, out / "data/arena.json") for name in ("drf", "fifo")]
    text = pd.concat(cells, ignore_index=True).astype(str)
    assert table.drop(columns="value").astype(str).equals(text.drop(columns="value"))
    assert table["value"].astype(float).to_numpy() == pytest.approx(text["value"].astype(float).to_numpy(), rel=1e-5)

    means = table[(table["metric"] == "mean_jct") & (table["seed"] != 0)]
    assert set(means["setup"]) == {"sia-philly", "aiturbo"} and len(means) == 8
    ledger = pd.read_csv(out / "claims.csv", dtype=str, keep_default_na=False).set_index("published")
    wide = means.assign(value=np.log(means["value"].astype(float))).pivot_table(
        index=["setup", "seed"], columns="scheduler", values="value"
    )
    ratio = np.exp((wide["drf"] - wide["fifo"]).groupby("setup").mean().mean())
    assert ledger["ours"].astype(float).tolist() == pytest.approx([ratio, 1.0 / ratio], rel=1e-4)
    assert ratio != pytest.approx(1.0) and (ledger["verdict"] == "holds").sum() <= 1
    assert ledger["verdict"]["mine-01" if ratio > 1.0 else "mine-02"] == "does not hold"
    assert set(ledger["standin"]) == {"True"} and "jobs 12" in ledger["not_headline"]["mine-01"]


def test_a_scheduler_that_restarts_jobs_for_ever_has_no_row(out: Path) -> None:
    """Gavel's rounds last 360 s: where jobs take turns, none gets beyond a restart of 900 s. FIFO restarts nobody."""
    section = settings_of(configuration()["experiments"]["arena"], "runs")
    part = {**section, "traces": ["sia-philly"], "jobs": 12, "grid": [], "load": 1.5}
    data, got = out / "data/arena.json", {}
    for name, restart in (("gavel", "profile"), ("gavel", 900), ("fifo", 900)):
        rows = run_cell("runs", name, part | {"restart": restart}, data)
        got[name, restart] = sorted(set(rows["seed"][rows["metric"] == "mean_jct"]))
    assert got == {("gavel", "profile"): [1, 2], ("gavel", 900): [], ("fifo", 900): [1, 2]}


def test_results_can_be_read_and_verified_and_a_changed_cell_is_found(out: Path, tmp_path: Path, capsys) -> None:
    assert command("claims", out) == 0 and "mine-02" in capsys.readouterr().out
    assert command("claims", out, "--why", "mine-01") == 0
    why = capsys.readouterr().out
    assert "beats of arena-runs" in why and "cells/arena/runs/drf.csv" in why
    assert command("verify", out) == 0, capsys.readouterr().out
    listed = json.loads((out / "manifest.json").read_text())["sha256"]
    assert {"cells/arena/runs/fifo.csv", "figures/arena-ranking.svg", "claims.csv"} <= listed.keys()
    shutil.copytree(out, tmp_path / "changed")
    cell = tmp_path / "changed/cells/arena/runs/fifo.csv"
    cell.write_text(cell.read_text().replace("fifo", "lifo", 1))
    assert command("verify", tmp_path / "changed") == 1 and "cells/arena/runs/fifo.csv" in capsys.readouterr().out


def test_the_settings_are_those_of_the_project_or_a_part_of_them() -> None:
    section = settings_of(configuration()["experiments"]["arena"], "runs")
    assert arena_settings(grid=True) == section
    assert arena_settings() == {**section, "grid": []}
    part = arena_settings(["aiturbo"], 1, 10, grid=True)
    assert (part["traces"], part["windows"], part["jobs"]) == (["aiturbo"], [1], 10)
    assert part["grid"] == [{**each, "trace": ["aiturbo"]} for each in section["grid"]]
    assert [each["trace"] for each in arena_settings(["pollux"], grid=True)["grid"]] == [["pollux"]]


@pytest.mark.parametrize(
    ("given", "field", "said"),
    [
        ({"traces": ["sia-phily"]}, "trace", "did you mean 'sia-philly'"),
        ({"windows": 0}, "windows", "from 1 to 2"),
        ({"windows": 3}, "windows", "from 1 to 2"),
        ({"jobs": 61}, "jobs", "from 1 to 60"),
    ],
)
def test_what_the_arena_does_not_have_is_named(given: dict, field: str, said: str) -> None:
    with pytest.raises(InputError, match=said) as refused:
        arena_settings(**given)
    assert refused.value.field == field


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "needs a list .claims."),
        ("paper: sia\nclaims: []\n", "must be arena, found 'sia'"),
        ("paper: arena\nclaims: [{published: mine-01}]\n", "needs a formula"),
        ("paper: arena\nclaims: [{published: a, formula: {kind: beets, table: runs}}]\n", "kind"),
    ],
)
def test_statements_that_cannot_be_decided_are_refused_before_any_run(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "mine.yaml").write_text(text)
    with pytest.raises(InputError, match=said) as refused:
        run_arena(["fifo"], arena_settings(), tmp_path / "out", tmp_path / "mine.yaml")
    assert refused.value.file == tmp_path / "mine.yaml" and not (tmp_path / "out").exists()


def test_a_refused_arena_can_be_run_again_in_the_same_folder(tmp_path: Path, capsys) -> None:
    """The first trace is damaged; without it the same command must not find its own folder in the way."""
    with bare_machine(tmp_path / "data") as home:
        damaged = home / "raw/pai-sample/case_2000.csv"
        damaged.parent.mkdir(parents=True)
        damaged.write_text("not what the list says\n")
        words = "arena", "--scheduler", "fifo", "--trace", "pai-sample", "--jobs", "2", "--out", tmp_path / "out"
        assert command(*words) == 2 and "wrong checksum" in capsys.readouterr().err
        assert not (tmp_path / "out").exists()
        damaged.unlink()
        assert command(*words) == 0


def test_a_second_arena_in_the_place_of_a_removed_one_has_its_own_traces(tmp_path: Path, monkeypatch) -> None:
    """Inputs are kept by path in a process; those of the first one lay at the same."""
    monkeypatch.chdir(tmp_path)
    with bare_machine(tmp_path / "data"):
        for trace in ("pai-sample", "sia-philly"):
            table = run_arena(["fifo"], arena_settings([trace], 1, 2), Path("out"))
            assert set(table["setup"]) == {trace}
            shutil.rmtree("out")


def test_a_command_line_that_names_nothing_usable_ends_with_one_line(tmp_path: Path, capsys) -> None:
    assert command("arena", "--scheduler", "fofi", "--out", tmp_path / "out") == 2
    assert "unknown scheduler 'fofi'; known: " in capsys.readouterr().err
    assert command("arena", "--scheduler", "fifo", "--scheduler", "fifo", "--out", tmp_path / "out") == 2
    assert "fifo is given twice" in capsys.readouterr().err
    assert command("arena", "--scheduler", "fifo", "--out", tmp_path) == 2
    assert "is there already" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
