"""The layout that docs/architecture.md shows is that of the code."""

import re
import tomllib
from xml.etree import ElementTree

import pytest

from rarlib.model.errors import InputError
from tools.arcs import arc_diagram
from tools.layout import BEGIN, END, PAGE, PICTURE, direct_imports, filled, packages, picture, reduced

SVG = "{http://www.w3.org/2000/svg}"


def test_the_page_shows_the_real_imports() -> None:
    """A moved package or a new import would leave the picture wrong. Remedy: python -m tools.layout"""
    page = PAGE.read_text(encoding="utf-8")
    assert filled(page) == page
    assert PICTURE.read_text(encoding="utf-8") == picture()


def test_the_picture_has_an_arc_for_each_arrow_and_every_name() -> None:
    """Arcs begin at the row of one name and end at that of the other; none leads up."""
    arrows = {"a": ["b", "c"], "b": ["c"]}
    root = ElementTree.fromstring(arc_diagram(["a", "b", "c"], arrows, "x < y"))
    texts = [(each.text, float(each.get("y", ""))) for each in root.iter(f"{SVG}text")]
    rows = dict(texts)
    assert list(rows) == ["a", "b", "c"] and root.findtext(f"{SVG}title") == "x < y"
    curves = [
        re.findall(r"-?[\d.]+", each.get("d", "")) for each in root.iter(f"{SVG}path") if "C" in each.get("d", "")
    ]
    nearest = [
        tuple(min(rows, key=lambda name, y=y: abs(rows[name] - 5 - float(y))) for y in (d[1], d[-1])) for d in curves
    ]
    assert sorted(nearest) == [("a", "b"), ("a", "c"), ("b", "c")]
    with pytest.raises(ValueError, match="leads up"):
        arc_diagram(["b", "a"], {"a": ["b"]}, "")


def test_no_package_stands_before_one_that_it_imports() -> None:
    imports, order = direct_imports(), packages()
    assert all(order.index(to) < order.index(name) for name in imports for to in imports[name])


def test_every_package_has_a_layer() -> None:
    """Import rules say nothing about a package they do not list."""
    contracts = tomllib.loads((PAGE.parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    listed = set()
    for contract in contracts["contracts"]:
        if contract["type"] == "layers":
            container = "".join(f"{name}." for name in contract.get("containers", ()))
            listed |= {container + name.strip() for layer in contract["layers"] for name in layer.split("|")}
    assert listed == set(packages()) - {"artifact.templates"}


def test_reduction_keeps_every_path_and_nothing_more() -> None:
    imports = {"a": {"b", "c", "d"}, "b": {"d"}, "c": set(), "d": set()}
    assert reduced(imports) == {"a": {"b", "c"}, "b": {"d"}, "c": set(), "d": set()}


def test_a_circle_is_refused() -> None:
    with pytest.raises(InputError, match="imports itself"):
        reduced({"a": {"b"}, "b": {"a"}})


def test_a_page_without_the_section_is_refused() -> None:
    with pytest.raises(InputError, match="needs a section"):
        filled(f"{END} before {BEGIN}")
