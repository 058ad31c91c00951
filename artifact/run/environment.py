"""Comparison of the installed environment with the locked one."""

from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from packaging.requirements import Requirement


def locked(lock: Path) -> dict[str, str]:
    """Version of each package that is locked for this Python."""
    found = {}
    for line in lock.read_text(encoding="utf-8").splitlines():
        if "==" in line and not line.startswith((" ", "#")):
            package = Requirement(line.rstrip("\\ "))
            if package.marker is None or package.marker.evaluate():
                found[package.name] = str(package.specifier).removeprefix("==")
    return found


def deviations(lock: Path) -> list[str]:
    """Packages that are missing or whose version differs from the locked one, one line each."""
    lines = []
    for name, wanted in locked(lock).items():
        try:
            here = version(name)
        except PackageNotFoundError:
            here = "missing"
        if here != wanted:
            lines.append(f"{name}: locked {wanted}, here {here}")
    return lines
