"""What rarlib imports is required or named by an extra, and the lock satisfies what the project declares."""

import ast
import re
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from rarlib.model.extras import EXTRA_OF

ROOT = Path(__file__).parents[3]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
IMPORTED_AS = {"pyyaml": "yaml"}


def imported() -> set[str]:
    """Packages that a module of rarlib imports at run time, anywhere."""
    found = set()
    for path in (ROOT / "rarlib").rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        unread = {id(node) for each in ast.walk(tree) if _only_for_types(each) for node in ast.walk(each)}
        for node in (each for each in ast.walk(tree) if id(each) not in unread):
            if isinstance(node, ast.Import):
                found |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                found.add((node.module or "").partition(".")[0])
    later = re.compile(r'Later\("(\w+)')
    found |= {name for path in (ROOT / "rarlib").rglob("*.py") for name in later.findall(path.read_text())}
    return found - set(sys.stdlib_module_names) - {"rarlib"}


def _only_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


def requirements(lines: list[str]) -> set[str]:
    names = {canonicalize_name(Requirement(line).name) for line in lines}
    return {IMPORTED_AS.get(name, name.replace("-", "_")) for name in names}


def test_every_import_is_required_or_optional() -> None:
    core = requirements(PROJECT["dependencies"])
    assert imported() - core - {"numba"} == set(EXTRA_OF)
    assert core <= imported(), "required and not used"


@pytest.mark.parametrize("package", sorted(EXTRA_OF))
def test_the_extra_that_is_named_brings_the_package(package: str) -> None:
    assert package in requirements(EXTRAS[EXTRA_OF[package]])


def test_the_lock_satisfies_what_is_declared() -> None:
    """`pip install --editable .` in the locked environment must change nothing."""
    for lines in (PROJECT["dependencies"], *EXTRAS.values()):
        lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
        locked = re.findall(r"^([\w.-]+)==([^ ;\\]+)", lock, re.MULTILINE)
        for wanted in map(Requirement, lines):
            if wanted.name == "rarlib":
                assert wanted.extras <= EXTRAS.keys()
                continue
            same = canonicalize_name(wanted.name)
            versions = [version for name, version in locked if canonicalize_name(name) == same]
            assert versions and all(wanted.specifier.contains(version) for version in versions), str(wanted)
