"""Find schedulers: every module of `rarlib.schedulers`, and what installed packages offer."""

import dataclasses
import importlib
import inspect
import pkgutil
import types
import typing
from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

import rarlib.schedulers
from rarlib.model.errors import InputError
from rarlib.model.scheduler import Scheduler

GROUP = "rarlib.schedulers"


@cache
def schedulers() -> dict[str, type[Scheduler]]:
    """All schedulers by name, in alphabetical order.

    A class counts when its own module defines it with a non-empty `name` and a method `decide`.

    Raises:
        InputError: when two classes claim the same name, or a package offers one under another name than its own.
    """
    found: dict[str, type[Scheduler]] = {}
    package = rarlib.schedulers
    names = [m.name for m in pkgutil.iter_modules(package.__path__, f"{package.__name__}.") if not m.ispkg]
    classes = [c for name in names for c in _classes(importlib.import_module(name))]
    classes += [_offered(point) for point in entry_points(group=GROUP)]
    for cls in classes:
        if found.setdefault(cls.name, cls) is not cls:
            other = found[cls.name]
            raise InputError(f"scheduler {cls.name!r} is defined in {other.__module__} and in {cls.__module__}")
    return dict(sorted(found.items()))


@cache
def _declared(name: str) -> type[Scheduler] | None:
    """The class of a scheduler of ours, found by the text of its module.

    So a run imports its own scheduler alone: another one's solvers take a second to load, and its errors are its own.
    """
    text = f'"{name}"'
    for folder in map(Path, rarlib.schedulers.__path__):
        for path in sorted(folder.glob("*.py")):
            if text in path.read_text(encoding="utf-8"):
                module = importlib.import_module(f"{rarlib.schedulers.__name__}.{path.stem}")
                for cls in _classes(module):
                    if cls.name == name:
                        return cls
    return None


def scheduler_class(name: str) -> type[Scheduler]:
    """The class of a scheduler.

    Raises:
        InputError: for an unknown name, listing the known ones.
    """
    own = _declared(name)
    if own is not None:
        return own
    known = schedulers()
    if name not in known:
        raise InputError(f"unknown scheduler {name!r}; known: {', '.join(known)}", field="scheduler")
    return known[name]


def make_scheduler(name: str, params: Mapping[str, Any] | None = None) -> Scheduler:
    """A fresh scheduler; parameters are its dataclass fields, given as values or as text.

    A field whose name is a Python keyword carries a trailing underscore, which may be left out.

    Raises:
        InputError: for an unknown scheduler or parameter, or a value of the wrong kind.
    """
    cls = scheduler_class(name)
    types_of = parameters(cls)
    given: dict[str, Any] = {}
    for key, value in (params or {}).items():
        field = key if key in types_of else f"{key}_"
        if field not in types_of:
            known = ", ".join(k.rstrip("_") for k in types_of) or "none"
            raise InputError(f"unknown parameter {key!r} of {name}; known: {known}", field="param")
        given[field] = _convert(value, types_of[field], key) if isinstance(value, str) else value
    return cls(**given)


def parameters(cls: type[Scheduler]) -> dict[str, Any]:
    """Parameters of a scheduler and their types."""
    if not dataclasses.is_dataclass(cls):
        return {}
    hints = typing.get_type_hints(cls)
    return {field.name: hints[field.name] for field in dataclasses.fields(cls) if field.init}


def settings_of(scheduler: Scheduler) -> dict[str, Any]:
    """Parameters of a scheduler and the values it runs with, defaults included."""
    return {name.rstrip("_"): getattr(scheduler, name) for name in parameters(type(scheduler))}


def _offered(point: EntryPoint) -> type[Scheduler]:
    cls: type[Scheduler] = point.load()
    if cls.name != point.name:
        raise InputError(f"entry point {point.name!r} offers scheduler {cls.name!r}: both must have one name")
    return cls


def _classes(module: types.ModuleType) -> list[type[Scheduler]]:
    members: list[tuple[str, Any]] = inspect.getmembers(module, inspect.isclass)
    return [
        cls
        for _, cls in members
        if cls.__module__ == module.__name__ and cls.__dict__.get("name") and callable(getattr(cls, "decide", None))
    ]


def _convert(text: str, kind: Any, key: str) -> Any:
    """Read a value given as text."""
    options = typing.get_args(kind) if typing.get_origin(kind) in (types.UnionType, typing.Union) else (kind,)
    if type(None) in options and text.lower() == "none":
        return None
    for option in options:
        if option is type(None):
            continue
        try:
            if typing.get_origin(option) is tuple:
                item = typing.get_args(option)[0]
                return tuple(item(part) for part in text.replace(":", ",").split(",") if part)
            if option is bool:
                return {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}[text.lower()]
            return option(text)
        except (ValueError, KeyError):
            continue
    wanted = getattr(kind, "__name__", str(kind))
    raise InputError(f"must be of type {wanted}, found {text!r}", file="--param", field=key)
