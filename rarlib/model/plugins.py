"""What installed packages add to rarlib: entry points, by group and name.

A package that offers a name which is taken, or cannot be imported, ends the command with a sentence that names it.
"""

from collections.abc import Mapping
from enum import StrEnum
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from rarlib.model.errors import InputError


class EntryGroup(StrEnum):
    """A group of entry points."""

    SCHEDULERS = "rarlib.schedulers"
    COST_MODELS = "rarlib.cost_models"
    TRACES = "rarlib.traces"


_WHAT = {
    EntryGroup.SCHEDULERS: "scheduler",
    EntryGroup.COST_MODELS: "cost model",
    EntryGroup.TRACES: "trace format",
}


def added(group: EntryGroup, own: Mapping[str, str]) -> dict[str, EntryPoint]:
    """What installed packages offer in a group, in alphabetical order.

    Args:
        group: of entry points.
        own: names that rarlib has itself, and where each is defined.

    Raises:
        InputError: if a name is offered twice, or is one of rarlib's.
    """
    places, found = dict(own), {}
    for point in sorted(entry_points(group=group), key=lambda point: (point.name, point.value)):
        if point.name in places:
            rule = f"{_WHAT[group]} {point.name!r} is defined in {places[point.name]} and in {whereabouts(point)}"
            raise InputError(f"{rule}: each needs a name of its own")
        places[point.name], found[point.name] = whereabouts(point), point
    return found


def whereabouts(point: EntryPoint) -> str:
    """Where an entry point leads: the object, and the installed package that offers it."""
    package = point.dist.name if point.dist is not None else "a package without a name"
    return f"{point.value} (package {package})"


def loaded(point: EntryPoint) -> Any:
    """The object that an entry point names.

    Raises:
        InputError: if it cannot be imported, whatever the reason; names the package.
    """
    try:
        return point.load()
    except Exception as error:
        what = _WHAT[EntryGroup(point.group)]
        rule = f"cannot be imported from {whereabouts(point)}: {type(error).__name__}: {error}"
        raise InputError(f"{what} {point.name!r} {rule}") from error
