"""The layout that docs/architecture.md shows is that of the code."""

import tomllib

from rarlib.model.project import ROOT
from tools.layout import PACKAGES, SECTION, imports, packages, render


def test_the_page_shows_the_real_imports() -> None:
    """A moved package or a new import would leave the page wrong. Remedy: python -m tools.layout"""
    assert SECTION.stated() == render()


def test_no_package_stands_before_one_that_it_imports() -> None:
    graph, order = imports(), packages()
    for name in order:
        imported = graph.find_modules_directly_imported_by(name) - set(PACKAGES)
        assert all(order.index(to) < order.index(name) for to in imported)


def test_every_package_has_a_layer() -> None:
    """Import rules say nothing about a package they do not list."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    listed = set()
    for contract in contracts["contracts"]:
        if contract["type"] == "layers":
            container = "".join(f"{name}." for name in contract.get("containers", ()))
            listed |= {container + name.strip() for layer in contract["layers"] for name in layer.split("|")}
    assert listed == set(packages()) - {"artifact.templates"}
