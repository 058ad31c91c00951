"""The layout that docs/architecture.md shows is that of the code."""

import tomllib

import pytest

from rarlib.model.errors import InputError
from tools.layout import BEGIN, END, PAGE, direct_imports, filled, packages


def test_the_page_shows_the_real_imports() -> None:
    """A moved package or a new import would leave the page wrong. Remedy: python -m tools.layout"""
    page = PAGE.read_text(encoding="utf-8")
    assert filled(page) == page


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


def test_a_page_without_the_section_is_refused() -> None:
    with pytest.raises(InputError, match="needs a section"):
        filled(f"{END} before {BEGIN}")
