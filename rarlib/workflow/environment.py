"""Comparison of the installed environment with the locked one."""

import re
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from packaging.markers import Marker

from rarlib.model.errors import InputError

_LINE = re.compile(r"^(?P<name>[\w.-]+)==(?P<version>[^ ;\\]+)(?: ; (?P<marker>[^\\]+?))?(?: \\)?$")


def locked(lock: Path) -> dict[str, str]:
    """Version of each package that is locked for this Python.

    Raises:
        InputError: when the lock is missing.
    """
    if not lock.is_file():
        raise InputError("no such file", file=lock)
    found = {}
    for line in lock.read_text(encoding="utf-8").splitlines():
        match = _LINE.match(line)
        if match and (match["marker"] is None or Marker(match["marker"]).evaluate()):
            found[match["name"]] = match["version"]
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
