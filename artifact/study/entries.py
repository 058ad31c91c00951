"""Entries of `study.yaml`, refused by an `InputError` that names the file, the field and the rule."""

import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rarlib.model.errors import InputError, did_you_mean, shown

STUDY_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
"""A name of a study, and of what it names: lower-case words joined by hyphens."""


def names_in(table: Mapping[str, Any], key: str, file: Path) -> dict[str, Any]:
    """The mapping from names under a key; refused unless it has at least one, all lower-case words."""
    found = table.get(key)
    if not isinstance(found, dict) or not found:
        raise InputError("must be a mapping from names, with at least one", file=file, field=key)
    for name in found:
        if not isinstance(name, str) or not STUDY_NAME.fullmatch(name):
            rule = f"names must be lower-case words joined by hyphens, found {shown(name)}"
            raise InputError(rule, file=file, field=key)
    return found


def listed_values(value: Any) -> list[Any]:
    """A list as it is, anything else as the only entry of one."""
    return list(value) if isinstance(value, list) else [value]


def list_in(table: Mapping[str, Any], key: str, usual: list[Any], file: Path) -> list[Any]:
    """The list under a key; refused if it is empty or an entry is there twice."""
    found = table.get(key, usual)
    if not isinstance(found, list) or not found:
        raise InputError("must be a list with at least one entry", file=file, field=key)
    if len({str(each) for each in found}) < len(found):
        raise InputError("an entry is there twice", file=file, field=key)
    return found


def require_known(value: Any, known: Any, what: str, file: Path, field: str) -> None:
    """Refuse a text that is not among the known ones."""
    if not isinstance(value, str) or value not in known:
        near = did_you_mean(value, known) if isinstance(value, str) else ""
        raise InputError(f"unknown {what} {shown(value)}{near}; known: {', '.join(known)}", file=file, field=field)


def number_from_0(value: Any, file: Path, field: str, usual: Any = math.nan) -> Any:
    """A number from 0 to 1e9; None where it may be left out and is."""
    if value is None and usual is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e9:
        raise InputError(f"must be a number from 0 to 1e9, found {shown(value)}", file=file, field=field)
    return float(value)


def count_in(value: Any, most: int, file: Path, field: str, least: int = 1) -> int:
    """A whole number within its bounds."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise InputError(
            f"must be a whole number from {least} to {most:,}, found {shown(value)}", file=file, field=field
        )
    return value


def in_field(check: Any, file: Path, field: str) -> None:
    """Run a check of a part of the study; its error names the study's file and field."""
    try:
        check()
    except InputError as error:
        raise InputError(error.rule, file=file, field=field) from None
