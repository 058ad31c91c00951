"""The parameters of a scheduler, from its class: names, types and defaults of its fields, and what docstrings say."""

import dataclasses
import inspect
import re
import types
import typing
from typing import Any, NamedTuple

from rarlib.discovery import parameters, scheduler_class
from rarlib.model.settings import rules

_ENTRY = re.compile(r"^    (\w+): (.*(?:\n {8}.*)*)", re.MULTILINE)
_KINDS = {int: "whole number", float: "number", bool: "true or false", str: "word"}


class Parameter(NamedTuple):
    """A parameter as a user sees it.

    Attributes:
        name: for `--param name=value`.
        kind: type, in words.
        default: as one would write it.
        meaning: with unit, and values or range where they are stated.
        accepts: the rule stated with the field; empty if there is none.
    """

    name: str
    kind: str
    default: str
    meaning: str
    accepts: str


def about(name: str) -> str:
    """What a scheduler does, in one line."""
    cls = scheduler_class(name)
    text = " ".join((inspect.getdoc(cls) or "").partition("\n\n")[0].split())
    return text.partition(". ")[0].rstrip(".") + "."


def parameter_table(name: str) -> list[Parameter]:
    """The parameters of a scheduler that can be given as text, in the order of its fields.

    Raises:
        InputError: for an unknown scheduler.
    """
    cls = scheduler_class(name)
    meanings, stated = _meanings(cls), rules(cls)
    found = []
    for field, kind in parameters(cls).items():
        words = _kind(kind)
        if words:
            text = meanings.get(field, "")
            default = next(each.default for each in dataclasses.fields(typing.cast(Any, cls)) if each.name == field)
            found.append(Parameter(field.rstrip("_"), words, _typed(default), text, str(stated.get(field, ""))))
    return found


def _typed(value: Any) -> str:
    """A value as one would write it after `--param name=`."""
    if isinstance(value, tuple):
        return ",".join(map(_typed, value)) or "(empty)"
    if value is None or isinstance(value, bool):
        return str(value).lower()
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _meanings(cls: type) -> dict[str, str]:
    """Field -> meaning, from the `Args:` or `Attributes:` of the class and its bases; the class itself comes first."""
    found: dict[str, str] = {}
    for each in cls.__mro__[:-1]:
        _, _, entries = re.sub(r"(?m)^(Args|Attributes):$", "\0", inspect.cleandoc(each.__doc__ or "")).partition("\0")
        for name, text in _ENTRY.findall(entries):
            found.setdefault(name, " ".join(text.split()))
    return found


def _kind(kind: Any) -> str:
    """A type in words; empty if it cannot be given as text."""
    words = []
    for option in _options(kind):
        if typing.get_origin(option) is tuple:
            words.append(f"{_KINDS[typing.get_args(option)[0]]}s, separated by commas")
        elif option in _KINDS:
            words.append(_KINDS[option])
        elif option is not type(None):
            return ""
    return " or ".join([*words, "none"] if type(None) in _options(kind) else words)


def _options(kind: Any) -> tuple[Any, ...]:
    return typing.get_args(kind) if typing.get_origin(kind) in (types.UnionType, typing.Union) else (kind,)
