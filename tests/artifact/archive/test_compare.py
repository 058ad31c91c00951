"""`rarlib diff`: what differs between two folders, by how much, and what explains it."""

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from artifact.archive.compare import compare_results
from rarlib.cli.main import app
from rarlib.model.errors import InputError

_TABLE = "arena-runs"
_CELL = "arena/runs/gavel.csv"


@pytest.fixture
def other(results: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(results, tmp_path / "other"))


def scaled(path: Path, factor: float) -> None:
    """One value of a table, times a factor."""
    lines = path.read_text(encoding="utf-8").split("\n")
    fields = lines[-2].split(",")
    fields[8] = f"{float(fields[8]) * factor:.10g}"
    lines[-2] = ",".join(fields)
    path.write_text("\n".join(lines), encoding="utf-8")


def edited(path: Path, change) -> None:
    content = json.loads(path.read_text(encoding="utf-8"))
    change(content)
    path.write_text(json.dumps(content), encoding="utf-8")


def test_same_results_have_no_differences(results, other, unpacked):
    assert compare_results(results, other) == compare_results(results, unpacked) == []


def test_size_of_a_difference(results, other):
    scaled(other / f"tables/{_TABLE}.csv", 1.25)
    (line,) = compare_results(results, other)
    assert line.startswith(f"table {_TABLE}: 1 of 72 values differ, by up to 0.2 of the larger")
    assert "edited, or not repeatable" in line


@pytest.mark.parametrize(
    ("file", "change", "reason"),
    [
        (f"provenance/{_TABLE}.json", lambda made: made["settings"].update(windows=[7]), "setting windows [1] -> [7]"),
        (
            f"provenance/{_TABLE}.json",
            lambda made: made["code"].update({_CELL: "0" * 16}),
            "code of 1 of 3 cells differs (arena/runs/gavel)",
        ),
        (f"tables/{_TABLE}.json", lambda facts: facts.update(traces=[{"name": "philly"}]), "data philly differs"),
        (f"provenance/{_TABLE}.json", lambda made: made["code"].pop(_CELL), "cell arena/runs/gavel only in the first"),
    ],
    ids=["setting", "code", "data", "cell"],
)
def test_reason_of_a_difference(results, other, file, change, reason):
    scaled(other / f"tables/{_TABLE}.csv", 1.25)
    edited(other / file, change)
    (line,) = compare_results(results, other)
    assert f"because {reason}" in line


def test_figures_and_claims_lead_to_their_tables(results, other):
    path = other / "tables/sjf-bco-fig5.csv"
    scaled(path, 2)
    picture = other / "figures/sjf-bco-fig5.svg"
    picture.write_text(picture.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    ledger = other / "claims.csv"
    lines = ledger.read_text(encoding="utf-8").split("\n")
    row = next(at for at, line in enumerate(lines) if "tables/sjf-bco-fig5.csv" in line and ",wrong " in line)
    (word,) = {word for word in ("wrong order", "wrong size") if f",{word}," in lines[row]}
    lines[row] = lines[row].replace(f",{word},", ",reproduced,", 1)
    ledger.write_text("\n".join(lines), encoding="utf-8")
    table, figure, claim = compare_results(results, other)
    assert table.startswith("table sjf-bco-fig5: 1 of ")
    assert figure == "figure sjf-bco-fig5: drawn from other rows (sjf-bco-fig5)"
    assert f"verdict {word} -> reproduced; because of sjf-bco-fig5" in claim


def test_what_is_in_one_folder_only(results, other):
    (other / f"tables/{_TABLE}.csv").unlink()
    assert compare_results(results, other) == [f"table {_TABLE}: only in the first"]
    assert compare_results(other, results) == [f"table {_TABLE}: only in the second"]


def test_exit_codes(results, other, tmp_path):
    """0: the same, 1: something differs, 2 (an InputError): nothing to compare."""
    run = CliRunner().invoke
    assert run(app, ["diff", str(results), str(other)]).exit_code == 0
    scaled(other / f"tables/{_TABLE}.csv", 1.25)
    assert run(app, ["diff", str(results), str(other)]).exit_code == 1
    assert isinstance(run(app, ["diff", str(results), str(tmp_path)]).exception, InputError)
