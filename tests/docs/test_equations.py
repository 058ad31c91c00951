"""Every equation and algorithm line listed has the code and the test that the table names."""

import ast
import importlib
from pathlib import Path

import pytest

from rarlib.model.errors import InputError
from tools.equations import PAGE, Equation, read_equations, render

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("row", read_equations(), ids=lambda row: f"{row.paper} {row.item}")
def test_code_and_test_exist(row: Equation) -> None:
    """A row that points nowhere would let an equation lose its code or its test unnoticed."""
    module, name = row.code.split(":")
    assert hasattr(importlib.import_module(module), name), row.code
    file, test = row.test.split("::")
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    assert test in {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}, row.test


def test_every_equation_of_sjf_bco_is_listed() -> None:
    """Eq. 1 to 9 are the model, 15 and 16 the limit that the algorithm bisects."""
    listed = {row.item.split(",")[0] for row in read_equations() if row.paper == "sjf-bco"}
    assert {f"Eq. {n}" for n in (*range(1, 10), 15, 16)} <= listed


def test_the_page_is_made_of_the_list() -> None:
    """A row added to the list alone would not be found by readers. Remedy: python -m tools.equations"""
    assert PAGE.read_text(encoding="utf-8") == render(read_equations())


def test_a_row_with_a_gap_is_named(tmp_path: Path) -> None:
    """Without its test an equation counts as covered by nothing."""
    path = tmp_path / "equations.tsv"
    path.write_text("paper\titem\tstates\tcode\ttest\nsia\tEq. 1\tx\trarlib.model.prices:Prices\t\n", encoding="utf-8")
    with pytest.raises(InputError, match="row 2: must fill every column"):
        read_equations(path)


def test_a_paper_that_cannot_be_cited_is_refused() -> None:
    """Its table would have no title and no link."""
    with pytest.raises(InputError, match="unknown paper 'nobody'"):
        render([Equation("nobody", "Eq. 1", "x", "rarlib.model.prices:Prices", "tests/a.py::b")])
