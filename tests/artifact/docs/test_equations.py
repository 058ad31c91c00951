"""Every equation and algorithm line listed has the code and the test that the table names."""

import ast
import csv
import importlib
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[3]


class Equation(NamedTuple):
    """A row of docs/equations.tsv: a paper's equation or lines, `module:name` of its code, `file::name` of its test."""

    paper: str
    item: str
    states: str
    code: str
    test: str


def read_equations() -> list[Equation]:
    """The rows of the list."""
    with (ROOT / "docs" / "equations.tsv").open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file, delimiter="\t")
    assert tuple(header) == Equation._fields
    return [Equation(*row) for row in rows]


@pytest.mark.parametrize("row", read_equations(), ids=lambda row: f"{row.paper} {row.item}")
def test_code_and_test_exist(row: Equation) -> None:
    module, name = row.code.split(":")
    assert hasattr(importlib.import_module(module), name), row.code
    file, test = row.test.split("::")
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    assert test in {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}, row.test


def test_every_row_is_complete() -> None:
    assert [row for row in read_equations() if not all(row)] == []
