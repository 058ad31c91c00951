"""Entries of `study.yaml` that a schema cannot check: names of something that must be there."""

import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from rarlib.model.errors import InputError, did_you_mean, shown

STUDY_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
"""A name of a study, and of what it names: lower-case words joined by hyphens."""


def listed_values(value: Any) -> list[Any]:
    """A list as it is, anything else as the only entry of one."""
    return list(value) if isinstance(value, list) else [value]


def require_known(value: str, known: Iterable[str], what: str, file: Path, field: str) -> None:
    """Refuse a text that is not among the known ones."""
    names = list(known)
    if value not in names:
        rule = f"unknown {what} {shown(value)}{did_you_mean(value, names)}; known: {', '.join(names)}"
        raise InputError(rule, file=file, field=field)


def in_field(check: Callable[[], object], file: Path, field: str) -> None:
    """Run a check of a part of the study; its error names the study's file and field."""
    try:
        check()
    except InputError as error:
        raise InputError(error.rule, file=file, field=field) from None
