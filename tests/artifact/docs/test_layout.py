"""The layout that docs/architecture.md shows is that of the code."""

import tomllib

from tools.layout import PAGE, PICTURE, filled, packages, picture, reduced


def test_the_page_shows_the_real_imports() -> None:
    """A moved package or a new import would leave the picture wrong. Remedy: python -m tools.layout"""
    page = PAGE.read_text(encoding="utf-8")
    assert filled(page) == page
    assert PICTURE.read_text(encoding="utf-8") == picture()


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
