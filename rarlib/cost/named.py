"""Cost models by name, for the command line and for programs."""

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from importlib.metadata import EntryPoint
from typing import Any, TypeVar, cast

from rarlib.cost.goodput.goodput import GoodputCost
from rarlib.cost.goodput.network import SpanningNetwork
from rarlib.cost.ring import RingCost
from rarlib.cost.trace import TraceCost
from rarlib.model import plugins
from rarlib.model.errors import InputError, did_you_mean, shown
from rarlib.model.plugins import EntryGroup

_NAMES = ("trace", "ring", "goodput")


def cost_model_names() -> list[str]:
    """Names of all cost models that `make_cost_model` knows, the plainest first, then those of installed packages.

    Raises:
        InputError: if two packages offer the same name, or a package offers one of these.
    """
    return [*_NAMES, *added_cost_models()]


@cache
def added_cost_models() -> dict[str, EntryPoint]:
    """Cost models of installed packages by name.

    Raises:
        InputError: if two packages offer the same name, or a package offers one of ours.
    """
    return plugins.added(EntryGroup.COST_MODELS, dict.fromkeys(_NAMES, "rarlib itself"))


def _offered(point: EntryPoint, constants: str) -> Any:
    """A cost model of an installed package."""
    model = plugins.loaded(point)
    if getattr(model, "name", None) != point.name or not callable(getattr(model, "price", None)):
        rule = f"must offer a dataclass with the name {point.name!r} and a method price"
        raise InputError(f"{plugins.whereabouts(point)} {rule}")
    if not is_dataclass(model):
        raise InputError(f"{plugins.whereabouts(point)} must be a dataclass: its fields are recorded with every run")
    return parse(cast("type[Any]", model), constants)


def make_cost_model(name: str = "trace", contention: str | Mapping[str, float] | None = None) -> Any:
    """A cost model: `trace` (recorded durations), `ring`, `goodput`, or one of an installed package.

    Args:
        name: of the cost model; `rarlib simulate --help` says what each of them stands for.
        contention: constants of contention by name, or as text, `alpha=0.3,xi=1.0`; those that are not named keep their
            defaults. None: the defaults under `ring` (SJF-BCO eq. 6 to 8), no contention under `goodput`.
            `trace` has no constants.

    Returns:
        An object with a `name` and a method `price(jobs, cluster)`.

    Raises:
        InputError: for an unknown name, or constants that the cost model does not have.
    """
    given = contention if contention is None or isinstance(contention, str) else _as_text(contention)
    if name not in _NAMES and name in added_cost_models():
        return _offered(added_cost_models()[name], given or "")
    if name not in _NAMES:
        known = cost_model_names()
        rule = f"unknown cost model {name!r}{did_you_mean(name, known)}; known: {', '.join(known)}"
        raise InputError(rule, file="--cost")
    if name == "ring":
        return parse(RingCost, given or "")
    if name == "goodput":
        return GoodputCost(network=None if given is None else parse(SpanningNetwork, given))
    if given is not None:
        raise InputError("recorded durations have no contention; use --cost ring or goodput", file="--contention")
    return TraceCost()


def _as_text(constants: Mapping[str, float]) -> str:
    return ",".join(f"{name}={value!r}" for name, value in constants.items())


_Model = TypeVar("_Model")
_LEAST, _MOST = 1e-6, 1e6
"""Sizes of a constant that is not 0: times computed with others are no longer finite, or all the same."""


def parse(model: type[_Model], text: str) -> _Model:
    """Read `alpha=0.3,xi=1.0` into a dataclass; numbers that are not named keep their defaults.

    Raises:
        InputError: for an unknown key or a value that is not a number in range.
    """
    known = [field.name for field in fields(model) if field.type is float]  # type: ignore[arg-type]
    values: dict[str, Any] = {}
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        key, _, value = (piece.strip() for piece in part.partition("="))
        if key in values:
            raise InputError("is given twice", file="--contention", field=key)
        if key not in known:
            raise InputError(f"unknown key {shown(key)}; known: {', '.join(known)}", file="--contention")
        try:
            values[key] = float(value)
        except ValueError:
            raise InputError(f"must be a number, found {shown(value)}", file="--contention", field=key) from None
        if math.isfinite(values[key]) and values[key] and not _LEAST <= abs(values[key]) <= _MOST:
            rule = f"must be 0 or a number of {_LEAST:g} to {_MOST:g}, found {shown(value)}"
            raise InputError(rule, file="--contention", field=key)
    try:
        return model(**values)
    except InputError as error:
        raise InputError(error.rule, file="--contention", field=error.field) from None
