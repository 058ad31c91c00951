"""Find schedulers, in the files of `rarlib/schedulers/` and in installed packages."""

import dataclasses
import importlib
import types
import typing
from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint
from typing import Any, cast

from rarlib.declared import declared, offers, scheduler_names
from rarlib.model import plugins
from rarlib.model.errors import InputError, did_you_mean
from rarlib.model.extras import advice
from rarlib.model.files import read_json
from rarlib.model.project import placed_file
from rarlib.model.scheduler import Scheduler
from rarlib.model.settings import check_settings

STUDY_LABELS = "labels.json"
"""In the folder that `rarlib.model.project.STUDY` names: labels by scheduler."""


@cache
def schedulers() -> dict[str, type[Scheduler]]:
    """All schedulers by name, in alphabetical order: those of `rarlib/schedulers/` and of installed packages.

    Raises:
        InputError: if two classes have the same name, or a package offers a scheduler under a name other than its own.
    """
    return {name: scheduler_class(name) for name in scheduler_names()}


def scheduler_class(name: str) -> type[Scheduler]:
    """The class of a scheduler. Only its module is imported, since the solvers of others may take a second to load.

    Raises:
        InputError: for an unknown name (lists the known ones), or if the class does not have the name it declares.
    """
    cls: Any
    if own := declared().get(name):
        cls, where = getattr(_imported(own.module), own.cls, None), f"{own.path}, row {own.line}"
    elif point := offers().get(name):
        cls, where = plugins.loaded(point), plugins.whereabouts(point)
    else:
        near, known = did_you_mean(name, scheduler_names()), ", ".join(scheduler_names())
        raise InputError(f"unknown scheduler {name!r}{near}; known: {known}", field="scheduler")
    if getattr(cls, "name", None) != name or not callable(getattr(cls, "decide", None)):
        found = f"offers scheduler {getattr(cls, 'name', None)!r}"
        raise InputError(f"{where} {found}: it must have the name {name!r} and a method decide")
    return cast("type[Scheduler]", cls)


def _imported(module: str) -> types.ModuleType:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        if sentence := advice(error):
            raise InputError(sentence, file=module) from None
        raise


def scheduler_labels() -> dict[str, str]:
    """What figures call each scheduler, by name; its name if it declares no label.

    Files are parsed and not run, and a package that cannot be loaded costs its scheduler the label only.
    """
    return (
        {name: entry.label for name, entry in declared().items()}
        | {name: _offered_label(point) for name, point in offers().items()}
        | _labels_of_study()
    )


def _labels_of_study() -> dict[str, str]:
    """Labels of the schedulers of the study whose pipeline runs, by the names that it gives them."""
    file = placed_file(STUDY_LABELS)
    return {str(name): str(label) for name, label in read_json(file).items()} if file.is_file() else {}


def _offered_label(point: EntryPoint) -> str:
    try:
        return str(getattr(point.load(), "label", "")) or point.name
    except Exception:
        return point.name


def make_scheduler(name: str, params: Mapping[str, Any] | None = None) -> Scheduler:
    """A new scheduler object; parameters are its dataclass fields, given as values or as text.

    A field whose name is a Python keyword ends in an underscore, which may be omitted in `params`.

    Args:
        name: of a scheduler of rarlib or of an installed package (`scheduler_names`).
        params: values by name of the parameter; those that are missing keep their defaults.

    Raises:
        InputError: for an unknown scheduler or parameter, or a value of the wrong kind or outside its range.
    """
    return make_scheduler_of(scheduler_class(name), name, params)


def make_scheduler_of(cls: type[Scheduler], name: str, params: Mapping[str, Any] | None = None) -> Scheduler:
    """A new object of a scheduler's class that need not be found by name; parameters as for `make_scheduler`.

    Raises:
        InputError: for an unknown parameter, or a value of the wrong kind or outside its range.
    """
    return cast("Scheduler", _made(cls, name, params))


def _made(cls: type, name: str, params: Mapping[str, Any] | None) -> object:
    """An object with parameters given as values or as text."""
    types_of = parameters(cls)
    given: dict[str, Any] = {}
    for key, value in (params or {}).items():
        field = key if key in types_of else f"{key}_"
        if field not in types_of:
            known = ", ".join(k.rstrip("_") for k in types_of) or "none"
            near = did_you_mean(key, (k.rstrip("_") for k in types_of))
            raise InputError(f"unknown parameter {key!r} of {name}{near}; known: {known}", field="param")
        given[field] = _convert(value, types_of[field], key) if isinstance(value, str) else value
    made = cls(**given)
    check_settings(made)
    return made


def parameters(cls: type) -> dict[str, Any]:
    """Parameters of a scheduler and their types."""
    if not dataclasses.is_dataclass(cls):
        return {}
    hints = typing.get_type_hints(cls)
    return {field.name: hints[field.name] for field in dataclasses.fields(cls) if field.init}


def settings_with_defaults(scheduler: Scheduler) -> dict[str, Any]:
    """Parameters of a scheduler and the values it runs with, defaults included."""
    return {name.rstrip("_"): getattr(scheduler, name) for name in parameters(type(scheduler))}


_READABLE = (str, int, float)
"""Types of parameters whose values are read from text, besides truth values and tuples."""


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
            if option in _READABLE:
                return option(text)
        except (ValueError, KeyError):
            continue
    wanted = getattr(kind, "__name__", str(kind))
    raise InputError(f"must be of type {wanted}, found {text!r}", file="--param", field=key)
