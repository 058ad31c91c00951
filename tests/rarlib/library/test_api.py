"""The public surface: written down, described, typed, and never changed unseen."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import rarlib
from tools.api import LISTING, PAGE, SECTIONS, listing, members, page, public, signatures

ROOT = Path(__file__).parents[3]
NAMES = public()


def test_the_listing_is_that_of_the_code() -> None:
    """A signature has changed. Remedy: python -m tools.api, and an entry in the release notes."""
    assert listing(NAMES) == LISTING.read_text(encoding="utf-8")


def test_the_page_describes_every_name_once() -> None:
    """Remedy: python -m tools.api; a new name needs a place in its SECTIONS."""
    assert sorted(name for names in SECTIONS.values() for name in names) == sorted(NAMES)
    text = PAGE.read_text(encoding="utf-8")
    printed = text.partition("```text output\n")[2].partition("```")[0]
    assert text == page(NAMES, printed)


def test_names_are_the_objects_of_their_modules() -> None:
    """They can be imported and are what `dir` lists."""
    for name, entry in NAMES.items():
        found = getattr(rarlib, name)
        assert (found.__module__, found.__qualname__) == (entry.module, name)
        assert name in dir(rarlib)
    with pytest.raises(AttributeError, match="no attribute 'simulat'"):
        _ = rarlib.simulat  # type: ignore[attr-defined]


def test_importing_the_package_imports_nothing_else() -> None:
    script = "import sys; before = set(sys.modules); import rarlib; print(sorted(set(sys.modules) - before))"
    found = subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    assert found.strip() == "['rarlib']"


@pytest.mark.parametrize("name", sorted(NAMES))
def test_docstrings_name_every_parameter_and_field(name: str) -> None:
    """With its unit and shape, as the page shows them."""
    node = NAMES[name].node
    text = ast.get_docstring(node) or ""
    assert text
    if isinstance(node, ast.FunctionDef):
        assert missing(node, text) == []
        return
    fields = [line.partition(":")[0] for line, method in members(node) if method is None]
    assert [field for field in fields if not re.search(rf"\b{field}\b", text)] == []
    for line, method in members(node):
        if method is not None and method.name != "__init__":
            assert ast.get_docstring(method), line


def missing(node: ast.FunctionDef, text: str) -> list[str]:
    given = [each.arg for each in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
    return [each for each in given if not re.search(rf"(?m)^    {each}: ", text)]


def test_signatures_do_not_depend_on_the_interpreter() -> None:
    """They are read from the source: a listing made on one Python is the listing on all."""
    assert signatures(NAMES["scheduler_names"]) == ["scheduler_names() -> list[str]"]
    assert "Run.makespan_s: float" in signatures(NAMES["Run"])
