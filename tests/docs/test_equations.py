"""Every equation and algorithm line listed has the code and the test that the table names."""

import ast
import csv
import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def rows() -> list[dict[str, str]]:
    with (ROOT / "docs" / "equations.tsv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


@pytest.mark.parametrize("row", rows(), ids=lambda r: f"{r['paper']} {r['item']}")
def test_code_and_test_exist(row: dict[str, str]) -> None:
    """A row that points nowhere would let an equation lose its code or its test unnoticed."""
    module, name = row["code"].split(":")
    assert hasattr(importlib.import_module(module), name), row["code"]
    file, test = row["test"].split("::")
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    assert test in {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}, row["test"]


def test_every_equation_of_sjf_bco_is_listed() -> None:
    """Eq. 1 to 9 are the model, 15 and 16 the limit that the algorithm bisects."""
    listed = {row["item"].split(",")[0] for row in rows() if row["paper"] == "sjf-bco"}
    assert {f"Eq. {n}" for n in (*range(1, 10), 15, 16)} <= listed
