"""The computations by hand know nothing of the package, and cover enough of the published numbers."""

import ast
import csv
from pathlib import Path

import pytest

HERE = Path(__file__).parent
PLAIN, TESTS = sorted(HERE.glob("plain_*.py")), [p for p in sorted(HERE.glob("test_*.py")) if p != Path(__file__)]
ALLOWED = {"bisect", "collections", "fractions", "functools", "heapq", "itertools", "math", "random", "typing", "numpy"}
LEAST = 20


def imported(path):
    """Top-level names of all modules that a file imports, and calls that could import more."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield "." if node.level else (node.module or "").partition(".")[0]
        elif isinstance(node, ast.Name) and node.id in {"__import__", "importlib", "eval", "exec", "open"}:
            yield node.id


def covered(path):
    """The constant CLAIMS of a test file: published ids by test."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and [ast.unparse(t) for t in node.targets] == ["CLAIMS"]:
            return ast.literal_eval(node.value)
    return {}


@pytest.mark.parametrize("path", PLAIN, ids=lambda path: path.stem)
def test_computations_by_hand_import_nothing_of_the_package(path):
    """The standard library and numpy's arithmetic only; no files either."""
    assert set(imported(path)) <= ALLOWED


def test_every_paper_is_computed_by_hand():
    papers = {"aiturbo", "gadget", "pipedream", "sia", "sjf_bco"}
    assert {path.stem.removeprefix("plain_") for path in PLAIN} >= papers
    for paper in papers:
        published = {name for ids in covered(HERE / f"test_{paper}.py").values() for name in ids}
        assert len(published) >= 4, paper
        assert {name.rpartition("-")[0].replace("-", "_") for name in published} == {paper}


def test_enough_published_numbers_are_covered():
    """Each id is one of data/published.csv, each test that is said to cover it exists."""
    with (HERE.parents[2] / "data" / "published.csv").open(encoding="utf-8", newline="") as file:
        known = {row["id"] for row in csv.DictReader(file)}
    found = set()
    for path in TESTS:
        text = path.read_text(encoding="utf-8")
        defined = {node.name for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)}
        claims = covered(path)
        assert set(claims) <= defined, path.name
        found |= {name for ids in claims.values() for name in ids}
    assert found <= known
    assert len(found) >= LEAST
