"""Comparison of the installed environment with the locked one."""

import re
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from packaging.markers import InvalidMarker, Marker, UndefinedEnvironmentName
from packaging.version import InvalidVersion

from rarlib.model.errors import InputError, shown
from rarlib.model.inputs import file_text

_LINE = re.compile(r"^(?P<name>[\w.-]+)==(?P<version>[^ ;\\]+)(?: ; (?P<marker>[^\\]+?))?(?: \\)?$")


def locked(lock: Path) -> dict[str, str]:
    """Version of each package that is locked for this Python.

    Raises:
        InputError: when the lock is missing, no text, or states a condition that is none.
    """
    found = {}
    for row, line in enumerate(file_text(lock).splitlines(), 1):
        match = _LINE.match(line)
        if match and (match["marker"] is None or _applies(match["marker"], lock, row)):
            found[match["name"]] = match["version"]
    return found


def _applies(marker: str, lock: Path, row: int) -> bool:
    try:
        return Marker(marker).evaluate()
    except (InvalidMarker, InvalidVersion, UndefinedEnvironmentName):
        raise InputError(f"must be a condition of pip, found {shown(marker)}", file=lock, row=row) from None


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
