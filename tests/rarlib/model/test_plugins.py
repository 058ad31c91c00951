"""Entry points of installed packages: each by its name, in order; names that are taken and code that fails."""

from types import SimpleNamespace
from typing import Any

import pytest

from rarlib.model import plugins
from rarlib.model.errors import InputError
from rarlib.model.plugins import EntryGroup, added, loaded, whereabouts

WORDS = {
    EntryGroup.SCHEDULERS: "scheduler",
    EntryGroup.COST_MODELS: "cost model",
    EntryGroup.TRACES: "trace format",
}


def point(name: str, value: str, package: str | None = "theirs", group: str = "rarlib.schedulers") -> Any:
    """An entry point, of a package that has a name or none."""
    dist = None if package is None else SimpleNamespace(name=package)
    return SimpleNamespace(name=name, value=value, dist=dist, group=group)


def test_what_packages_offer_is_in_alphabetical_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the order of installation; only the group that was asked for."""
    points = [point("b", "m:B"), point("c", "m:C"), point("a", "m:A")]
    monkeypatch.setattr(plugins, "entry_points", lambda group: points if group == "rarlib.traces" else [])
    found = added(EntryGroup.TRACES, {"own": "rarlib itself"})
    assert list(found.items()) == [("a", points[2]), ("b", points[0]), ("c", points[1])]
    assert added(EntryGroup.COST_MODELS, {}) == {}


@pytest.mark.parametrize("group", EntryGroup)
def test_a_name_that_is_taken_is_told_with_both_places(group: EntryGroup, monkeypatch: pytest.MonkeyPatch) -> None:
    """By rarlib, or by another package; ours is first, and so is the first in order."""
    points = [point("x", "m:B", None), point("x", "m:A"), point("own", "m:C")]
    monkeypatch.setattr(plugins, "entry_points", lambda group: points)
    first, second = "m:A (package theirs)", "m:B (package a package without a name)"
    assert [whereabouts(each) for each in (points[1], points[0])] == [first, second]
    with pytest.raises(InputError) as caught:
        added(group, {})
    assert (
        str(caught.value) == f"{WORDS[group]} 'x' is defined in {first} and in {second}: each needs a name of its own"
    )
    with pytest.raises(InputError, match=rf"{WORDS[group]} 'own' is defined in rarlib itself and in m:C \(package"):
        added(group, {"own": "rarlib itself"})


@pytest.mark.parametrize("group", EntryGroup)
def test_an_object_that_cannot_be_imported_is_told_with_its_package(group: EntryGroup) -> None:
    """Whatever its code raises; what can be imported is handed on."""

    def fails() -> None:
        raise ZeroDivisionError("division by zero")

    fine, bad = point("x", "m:A", group=group), point("x", "m:A", group=group)
    fine.load, bad.load = lambda: 42, fails
    assert loaded(fine) == 42
    said = rf"^{WORDS[group]} 'x' cannot be imported from m:A \(package theirs\): ZeroDivisionError: division by zero$"
    with pytest.raises(InputError, match=said):
        loaded(bad)
