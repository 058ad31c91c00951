"""What a scheduler accepts as parameters: stated with its fields, checked when it is made, listed for users.

A field `round_s: Annotated[float, INTERVAL]` is a number within `INTERVAL`; `Annotated[str, OneOf("las", "gittins")]`
is one of two words. The rule of `tuple[Annotated[float, ABOVE_0], ...]` holds for every item. Numbers must be finite,
with or without a rule.
"""

import dataclasses
import math
import types
import typing
from collections.abc import Iterable, Iterator
from functools import cache
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np

from rarlib.model.errors import InputError, shown
from rarlib.model.limits import SECONDS


class Within(NamedTuple):
    """Numbers from `low` to `high`.

    Attributes:
        low: the smallest number, or the one below them all if it is `excluded`.
        high: the largest number.
        excluded: whether `low` itself is refused.
        interval: whether the number is the time between two passes that the scheduler asks for.
        time: whether the number is a time, or a time multiplied by GPUs, so that it changes with the unit of time.
    """

    low: float = -math.inf
    high: float = math.inf
    excluded: bool = False
    interval: bool = False
    time: bool = False

    def accepts(self, value: Any) -> bool:
        """Whether `value` is a number within the range."""
        return (value > self.low if self.excluded else value >= self.low) and value <= self.high

    def __str__(self) -> str:
        low = f"{'above' if self.excluded else 'at least'} {_shown(self.low)}" if self.low > -math.inf else ""
        high = f"at most {_shown(self.high)}" if self.high < math.inf else ""
        return ", ".join(text for text in (low, high) if text)


class OneOf:
    """One of a few words.

    Args:
        words: the words.
    """

    def __init__(self, *words: str) -> None:
        self.words = words

    def accepts(self, value: Any) -> bool:
        """Whether `value` is one of the words."""
        return value in self.words

    def __str__(self) -> str:
        return f"one of {', '.join(self.words)}"


ParameterRule = Within | OneOf

ABOVE_0 = Within(0.0, excluded=True)
AT_LEAST_0 = Within(0.0)
COUNT = Within(1, 1_000_000)
LENGTH_S = Within(0.0, SECONDS.most, excluded=True, time=True)
TIME_STEP = Within(0.001, SECONDS.most, time=True)
LENGTH_S_OR_0 = Within(0.0, SECONDS.most, time=True)
GPU_SECONDS = Within(0.0, excluded=True, time=True)
GPU_SECONDS_OR_0 = Within(0.0, time=True)
FRACTION = Within(0.0, 1.0)
INTERVAL = Within(0.001, SECONDS.most, interval=True, time=True)
"""Time between two passes, s: a scheduler acts at most a thousand times a second."""

INTERVAL_OR_NONE = Within(0.0, SECONDS.most, interval=True, time=True)
"""The same for a scheduler that also runs without an interval, which 0 stands for."""


@cache
def rules(cls: type) -> dict[str, ParameterRule]:
    """The rules of a scheduler's parameters, by field; a field without one is missing."""
    if not dataclasses.is_dataclass(cls):
        return {}
    hints = typing.get_type_hints(cls, include_extras=True)
    found = {each.name: list(_stated(hints[each.name])) for each in dataclasses.fields(cls) if each.init}
    return {name: each[0] for name, each in found.items() if each}


def interval_parameters(cls: type) -> list[str]:
    """The parameters that set the time between two passes."""
    return [name for name, rule in rules(cls).items() if isinstance(rule, Within) and rule.interval]


def check_settings(scheduler: object) -> None:
    """Refuse parameters of the wrong type, not finite or against their rule; a scheduler calls this when it is made.

    Raises:
        InputError: naming the parameter and the rule.
    """
    cls: Any = type(scheduler)
    if not dataclasses.is_dataclass(scheduler):
        return
    known, kinds = rules(cls), _kinds(cls)
    for each in dataclasses.fields(scheduler):
        if each.init:
            name, value = each.name.rstrip("_"), getattr(scheduler, each.name)
            if not _is_of(value, kinds[each.name]):
                raise InputError(f"must be {_in_words(kinds[each.name])}, found {shown(value)}", field=name)
            _check(name, value, known.get(each.name))


def require_ascending(values: Iterable[float], field: str) -> None:
    """Refuse numbers that are not positive and ascending.

    Raises:
        InputError: naming the field.
    """
    given = tuple(values)
    if any(not b > a for a, b in zip((0.0, *given), given, strict=False)):
        raise InputError(f"must be positive and ascending, found {given}", field=field)


def _shown(number: float) -> str:
    return f"{number:,.0f}" if number == int(number) else f"{number:g}"


def _check(name: str, value: Any, rule: ParameterRule | None) -> None:
    for item in value if isinstance(value, tuple | list) and not hasattr(value, "_fields") else (value,):
        if isinstance(item, Real) and not _is_finite(item):
            raise InputError(f"must be finite, found {shown(item)}", field=name)
        if rule is not None and item is not None and not rule.accepts(item):
            raise InputError(f"must be {rule}, found {shown(item)}", field=name)


def _is_finite(number: Real) -> bool:
    try:
        return math.isfinite(number)
    except OverflowError:  # a whole number beyond all floats
        return False


@cache
def _kinds(cls: type) -> dict[str, Any]:
    return typing.get_type_hints(cls)


_WORDS = {float: "a number", int: "a whole number", bool: "true or false", str: "a word", types.NoneType: "none"}


def _options(kind: Any) -> tuple[Any, ...]:
    return typing.get_args(kind) if typing.get_origin(kind) in (types.UnionType, typing.Union) else (kind,)


def _in_words(kind: Any) -> str:
    names = ("a list" if typing.get_origin(each) is tuple else str(_WORDS.get(each, each)) for each in _options(kind))
    return " or ".join(names)


def _is_of(value: Any, kind: Any) -> bool:
    """Whether a value is of a field's type, or of one of a union."""
    return any(_is_one_of(value, each) for each in _options(kind))


def _is_one_of(value: Any, kind: Any) -> bool:
    if typing.get_origin(kind) is tuple:
        items = typing.get_args(kind)
        if not isinstance(value, tuple | list):
            return False
        if items[-1] is Ellipsis:
            return all(_is_of(each, items[0]) for each in value)
        return len(value) == len(items) and all(map(_is_of, value, items))
    if isinstance(value, bool | np.bool_) and kind in (bool, float, int):
        return kind is bool
    abstract = {float: Real, int: Integral, Any: object}.get(kind, kind)
    return not isinstance(abstract, type) or getattr(abstract, "_is_protocol", False) or isinstance(value, abstract)


def _stated(kind: Any) -> Iterator[ParameterRule]:
    """The rules in a type, of the type itself first."""
    yield from (each for each in getattr(kind, "__metadata__", ()) if isinstance(each, ParameterRule))
    for inner in typing.get_args(kind):
        yield from _stated(inner)
