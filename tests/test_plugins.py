"""Entry points of other packages: found in a fixed order, named when they clash or fail, refused when they are odd."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest

from rarlib import declared, discovery
from rarlib.cost import named
from rarlib.model import plugins
from rarlib.model.errors import InputError
from rarlib.model.plugins import EntryGroup
from rarlib.traces import load

HERE = "tests.test_plugins"
CACHES = (declared.offers, discovery.schedulers, named.added_cost_models, load._all_readers)


def clear() -> None:
    for each in CACHES:
        each.cache_clear()


@pytest.fixture
def offer(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Installs entry points, as triples of group, name and object."""

    def install(*points: tuple[str, str, str]) -> None:
        made = [SimpleNamespace(dist=SimpleNamespace(name="their-package"), **_parts(point)) for point in points]
        monkeypatch.setattr(plugins, "entry_points", lambda group: [each for each in made if each.group == group])
        clear()

    yield install
    monkeypatch.undo()
    clear()


def _parts(point: tuple[str, str, str]) -> dict[str, Any]:
    group, name, value = point
    return {"group": group, "name": name, "value": value, "load": EntryPoint(name, value, group).load}


@dataclass(frozen=True)
class Free:
    """A cost model of others."""

    name: ClassVar[str] = "free"
    factor: float = 1.0

    def price(self, jobs: Any, cluster: Any) -> Any:
        return jobs, cluster


class Plain:
    """No dataclass, so no field is recorded."""

    name = "plain"

    def price(self, jobs: Any, cluster: Any) -> Any:
        return jobs, cluster


A_TUPLE = ("no", "dataclass")

GROUPS: list[tuple[str, Callable[[], Any], str, str]] = [
    (EntryGroup.SCHEDULERS, declared.scheduler_names, "scheduler", "fifo"),
    (EntryGroup.COST_MODELS, named.cost_model_names, "cost model", "ring"),
    (EntryGroup.TRACES, load.known_formats, "trace format", "helios"),
]


@pytest.mark.parametrize(("group", "names", "word", "ours"), GROUPS)
def test_a_name_offered_twice(group, names, word, ours, offer: Callable[..., None]) -> None:
    """By two packages, or by a package and rarlib."""
    offer((group, "mine", "first.module:A"), (group, "mine", "second.module:B"))
    first, second = (rf"{place} \(package their-package\)" for place in ("first.module:A", "second.module:B"))
    with pytest.raises(InputError, match=f"^{word} 'mine' is defined in {first} and in {second}: each needs a name of"):
        names()
    offer((group, ours, "their.module:A"))
    with pytest.raises(InputError, match=rf"{word} '{ours}' is defined in .* and in their.module:A"):
        names()


def test_a_package_without_a_name_is_told_as_one() -> None:
    assert plugins.whereabouts(SimpleNamespace(value="m:A", dist=None)) == "m:A (package a package without a name)"


def test_the_order_is_that_of_the_names(offer: Callable[..., None]) -> None:
    found = []
    points = [(EntryGroup.COST_MODELS, name, f"{HERE}:Free") for name in ("c", "a", "b")]
    for order in (points, points[::-1]):
        offer(*order)
        found.append(named.cost_model_names())
    assert found[0] == found[1] and found[0][-3:] == ["a", "b", "c"]


def test_a_package_that_cannot_be_imported(offer: Callable[..., None]) -> None:
    offer((EntryGroup.SCHEDULERS, "mine", "no_such_package.scheduler:Mine"))
    pattern = r"^scheduler 'mine' cannot be imported from no_such_package.scheduler:Mine \(package their-package\): "
    with pytest.raises(InputError, match=f"{pattern}ModuleNotFoundError: No module named 'no_such_package'$"):
        discovery.make_scheduler("mine")
    assert "mine" in declared.scheduler_names()


def test_a_cost_model_of_others(offer: Callable[..., None]) -> None:
    """Its fields are constants of `--contention`."""
    offer((EntryGroup.COST_MODELS, "free", f"{HERE}:Free"))
    assert named.make_cost_model("free", {"factor": 3.0}).factor == 3.0
    with pytest.raises(InputError, match="unknown key 'alpha'; known: factor"):
        named.make_cost_model("free", "alpha=1")


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("other", "Free", "must offer a dataclass with the name 'other'"),
        ("plain", "Plain", "must be a dataclass"),
        ("free", "A_TUPLE", "must offer a dataclass with the name 'free'"),
    ],
)
def test_an_odd_cost_model(name: str, value: str, message: str, offer: Callable[..., None]) -> None:
    offer((EntryGroup.COST_MODELS, name, f"{HERE}:{value}"))
    with pytest.raises(InputError, match=rf"{HERE}:{value} \(package their-package\) {message}"):
        named.make_cost_model(name)


def test_an_odd_reader(offer: Callable[..., None]) -> None:
    offer((EntryGroup.TRACES, "mine", f"{HERE}"))
    with pytest.raises(InputError, match=r"must offer FORMAT = 'mine', HEADER \(a set of columns\)"):
        load.known_formats()
