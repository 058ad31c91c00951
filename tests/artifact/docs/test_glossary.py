"""One term per thing: the glossary leads to the code, and every term stands once."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.artifact.docs.pages import ROOT

GLOSSARY = ROOT / "docs" / "glossary.md"


def modules() -> Iterator[tuple[str, Path, ast.Module]]:
    """Modules of both packages: dotted name, file, syntax tree."""
    for path in sorted(path for package in ("rarlib", "artifact") for path in (ROOT / package).rglob("*.py")):
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        yield name, path, ast.parse(path.read_text(encoding="utf-8"))


def bound(node: ast.stmt) -> list[str]:
    """Names that a statement of a module or class binds."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)]


def rows() -> list[tuple[str, list[str]]]:
    """Terms of the glossary, and the places each names."""
    lines = re.findall(r"(?m)^\| (?!term |-)([^|]+) \|.*\| ([^|]+) \|$", GLOSSARY.read_text(encoding="utf-8"))
    return [(term, re.findall(r"`((?:rarlib|artifact)[\w.:]*)`", places)) for term, places in lines]


def stands(place: str, trees: dict[str, ast.Module]) -> bool:
    """Whether `module` or `module:name`, or `module:Class.member`, exists."""
    module, _, name = place.partition(":")
    body = trees[module].body if module in trees else None
    for part in name.split(".") if name else []:
        hits = [node for node in body or [] if part in bound(node)]
        if not hits:
            return False
        body = getattr(hits[0], "body", [])
    return body is not None


def test_every_term_leads_to_the_code() -> None:
    trees = {name: tree for name, _, tree in modules()}
    found = rows()
    assert len(found) > 40
    assert [(term, place) for term, places in found for place in places if not stands(place, trees)] == []
    assert [term for term, places in found if not places] == []


def test_every_term_stands_once() -> None:
    terms = [part for term, _ in rows() for part in term.split(", ")]
    assert sorted({term for term in terms if terms.count(term) > 1}) == []
