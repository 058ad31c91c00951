"""The descriptions of the environment (wish lists, locks, conda file), also of its other editions, say the same."""

import re
from pathlib import Path

import pytest
import yaml
from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parents[1]
CONDA_TO_INDEX = {"ortools-python": "ortools", "playwright-python": "playwright"}
LOCKED = re.compile(r"^(?P<name>[A-Za-z0-9._-]+)==(?P<version>[^ ;\\]+)(?: ; (?P<marker>[^\\]+?))?(?: \\)?$")
LOCKS = {"tools/requirements.in": "requirements.lock"} | {
    f"{name}.in": f"{name}.lock" for name in ("workflow/archive/tools", "docs/site/tools")
}


def wishes(name: str = "tools/requirements.in") -> dict[str, SpecifierSet]:
    lines = (ROOT / name).read_text().splitlines()
    wanted = [Requirement(line) for line in lines if line and not line.startswith("#")]
    return {canonicalize_name(r.name): r.specifier for r in wanted}


def locked(name: str = "requirements.lock") -> dict[str, list[tuple[Version, Marker | None]]]:
    found: dict[str, list[tuple[Version, Marker | None]]] = {}
    for line in (ROOT / name).read_text().splitlines():
        if match := LOCKED.match(line):
            marker = Marker(match["marker"]) if match["marker"] else None
            found.setdefault(canonicalize_name(match["name"]), []).append((Version(match["version"]), marker))
    return found


def conda() -> dict[str, SpecifierSet]:
    specs = yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]
    parsed = [Requirement(s) for s in specs if isinstance(s, str)]
    return {canonicalize_name(CONDA_TO_INDEX.get(r.name, r.name)): r.specifier for r in parsed}


@pytest.mark.parametrize("name", LOCKS)
def test_every_wish_is_locked_at_a_version_it_allows(name):
    """A failure means a list was edited without `make lock`."""
    versions = locked(LOCKS[name])
    refused = [
        wish for wish, allowed in wishes(name).items() if not all(allowed.contains(v) for v, _ in versions[wish])
    ]
    assert refused == []


@pytest.mark.parametrize("name", LOCKS)
def test_every_locked_package_carries_hashes(name):
    blocks = re.split(r"\n(?=[A-Za-z0-9])", (ROOT / LOCKS[name]).read_text())
    packages = [block for block in blocks if LOCKED.match(block.splitlines()[0])]
    assert len(packages) >= len(wishes(name))
    assert all("--hash=sha256:" in block for block in packages)


def test_conda_asks_for_exactly_the_wishes():
    assert conda().keys() - {"python", "pip"} == wishes().keys()


def test_conda_ranges_allow_the_locked_version():
    ranges, versions = conda(), locked()
    assert [name for name in wishes() if not all(ranges[name].contains(v) for v, _ in versions[name])] == []


@pytest.mark.parametrize("minor", ["3.11", "3.12", "3.13"])
def test_the_lock_holds_every_wish_for_each_python(minor):
    here = {"python_version": minor, "python_full_version": f"{minor}.1", "sys_platform": "linux"}
    for name in wishes():
        versions = [v for v, marker in locked()[name] if marker is None or marker.evaluate(here)]
        assert len(versions) == 1, name


@pytest.mark.parametrize("name", [*LOCKS, *LOCKS.values(), "environment.yml"])
def test_no_address_of_an_index_is_committed(name):
    assert not re.search(r"https?://|file://|--index-url|--find-links", (ROOT / name).read_text())


def test_project_and_environment_name_the_same_pythons():
    declared = re.search(r'requires-python = "([^"]+)"', (ROOT / "pyproject.toml").read_text())
    assert declared is not None
    assert SpecifierSet(declared[1]) == conda()["python"]


def test_binder_finds_its_files():
    """A folder `binder` would hide environment.yml, which installs the project from its own folder."""
    assert not (ROOT / "binder").exists() and not (ROOT / ".binder").exists()
    *_, last = yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]
    assert last["pip"] == ["--editable ."] and (ROOT / "pyproject.toml").is_file()
