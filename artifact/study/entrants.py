"""The schedulers of a study: those of rarlib and of installed packages, and files in the study's folder."""

import importlib.util
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, cast

from rarlib.discovery import make_scheduler, make_scheduler_of
from rarlib.model.errors import InputError, shown
from rarlib.model.scheduler import Scheduler


class Entrant(NamedTuple):
    """A scheduler with its parameters.

    Attributes:
        label: what figures call it.
        scheduler: name of a scheduler of rarlib or of an installed package; empty if `file` is given.
        file: Python file in the study's folder that declares the scheduler; else empty.
        parameters: those that differ from the defaults.
    """

    name: str
    label: str
    scheduler: str
    file: str
    parameters: Mapping[str, Any]


def new_entrant(name: str, given: Mapping[str, Any], folder: Path, file: Path) -> Entrant:
    """An entry of `schedulers` in a study, made once to check it."""
    where = f"schedulers.{name}"
    own, parameters = given.get("file", ""), given.get("parameters", {})
    if own and not (folder / own).is_file():
        raise InputError(f"no such file: {shown(own)}", file=file, field=f"{where}.file")
    known = "" if own else given.get("scheduler", name)
    plain = {key: tuple(value) if isinstance(value, list) else value for key, value in parameters.items()}
    found = Entrant(name, "", known, own, plain)
    try:
        made = made_entrant(found, folder)
    except InputError as error:
        if error.file is not None and own:
            raise
        at = f"{where}.parameters" if error.field == "param" or parameters else where
        raise InputError(error.rule, file=file, field=at) from None
    label = given.get("label", getattr(made, "label", name) if known in ("", name) else name)
    return found._replace(label=str(label))


def made_entrant(entrant: Entrant, folder: Path) -> Scheduler:
    """A new object of the scheduler; one serves one run.

    Raises:
        InputError: for a file without a scheduler, an unknown scheduler or parameter, or a value that it refuses.
    """
    if not entrant.file:
        return make_scheduler(entrant.scheduler, entrant.parameters)
    return make_scheduler_of(_class_in((folder / entrant.file).resolve()), entrant.name, entrant.parameters)


@cache
def _class_in(path: Path) -> type[Scheduler]:
    """The one class of a file that has a `name` and a method `decide`."""
    spec = importlib.util.spec_from_file_location(f"study_{path.stem}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[module.__name__] = module  # dataclasses look their module up
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        row = getattr(error, "lineno", None)
        raise InputError(f"cannot be imported: {type(error).__name__}: {error}", file=path.name, row=row) from None
    found = [
        value
        for value in vars(module).values()
        if isinstance(value, type)
        and value.__module__ == module.__name__
        and isinstance(getattr(value, "name", None), str)
        and callable(getattr(value, "decide", None))
    ]
    if len(found) != 1:
        rule = f"must declare one class with a `name` and a method `decide`, found {len(found)}"
        raise InputError(rule, file=path.name)
    return cast("type[Scheduler]", found[0])
