"""What varies in the arena: traces, clusters, loads, contention, restarts, errors of prediction, knowledge."""

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from rarlib.cost.goodput.knowledge import KNOWN
from rarlib.cost.goodput.network import SpanningNetwork
from rarlib.model.cluster import Cluster

LINKS = "links"
"""Value of `contention` under which jobs share the cluster's links by the fast law; planners believe f = k."""

_CONTENTION: dict[str, dict[str, Any]] = {"off": {"contended": False}, LINKS: {"alpha": 0.0}, "k": {"alpha": 0.0}}
"""f(alpha, k) by name: 1, k, k; `k+A` stands for k + A (k - 1)."""

UNPREDICTABLE = "none"
"""Value of `error` that means that no job is predictable."""

PROFILE = "profile"
"""Value of `restart` that means the measured cost of each application."""


class Setting(NamedTuple):
    """One setting of the grid. Values are text, as in the configuration and in tables.

    Attributes:
        trace: family of windows.
        contention: `off`, `links`, `k` or `k+A`.
        restart: `profile`, or seconds.
        error: standard deviation of the logarithm of the prediction error, or `none`.
        knowledge: of the jobs' speeds, the same for all schedulers: `known` or `learned`.
    """

    trace: str
    cluster: str
    load: str
    contention: str
    restart: str
    error: str
    knowledge: str = KNOWN

    @property
    def reading(self) -> str:
        """Column `reading` of tidy tables: all but trace and load."""
        return "/".join((self.cluster, self.contention, self.restart, self.error, self.knowledge))

    @property
    def network(self) -> SpanningNetwork:
        """Network with the contention of the setting, as price tables and planners know it."""
        if self.contention in _CONTENTION:
            return SpanningNetwork(**_CONTENTION[self.contention])
        return SpanningNetwork(alpha=float(self.contention.removeprefix("k+")))

    @property
    def restart_s(self) -> float | None:
        """Seconds of a restart; None: as measured."""
        return None if self.restart == PROFILE else float(self.restart)


def settings_of_choice(section: Mapping[str, Any]) -> list[Setting]:
    """All settings of the arena's section: the base setting on every trace, then those of `grid`."""
    base = {name: [section[name]] for name in Setting._fields if name != "trace"}
    return settings_of_grid([{"trace": section["traces"], **base}, *section["grid"]])


def settings_of_grid(grid: Iterable[Mapping[str, Any]]) -> list[Setting]:
    """All settings, each once, in the order in which they are declared; the first one is the base.

    Args:
        grid: blocks; each is the product of its lists, one list for every field of `Setting`. A field that a block does
            not list has its base value: the first one that the first block lists.

    Raises:
        InputError: for a block with an unknown key.
    """
    found: dict[Setting, None] = {}
    base: dict[str, Any] = {}
    for block in grid:
        base = base or {name: _texts(block, name)[0] for name in Setting._fields}
        lists = [_texts(block, name) if name in block else [base[name]] for name in Setting._fields]
        found |= dict.fromkeys(itertools.starmap(Setting, itertools.product(*lists)))
    return list(found)


def _texts(block: Mapping[str, Any], name: str) -> list[str]:
    return [f"{value:g}" if isinstance(value, int | float) else str(value) for value in block[name]]


def chosen(
    member: str, settings: Sequence[Setting], windows: Sequence[int], few: Mapping[str, Mapping[str, int]]
) -> Iterator[tuple[Setting, int]]:
    """Settings and windows that a member runs: all, or the first of each for members that take long.

    These are the first settings of each level of knowledge, so that the same ones are run under both.

    `few`: member -> `settings`, `windows`: how many of them, from the first on.
    """
    limit, seen = few.get(member, {}), Counter[str]()
    for setting in settings:
        seen[setting.knowledge] += 1
        if seen[setting.knowledge] > limit.get("settings", len(settings)):
            continue
        for window in windows[: limit.get("windows", len(windows))]:
            yield setting, window


def clusters_of(given: Mapping[str, Any]) -> dict[str, Cluster]:
    """Clusters by name."""
    return {name: Cluster.named(name, value) for name, value in given.items()}
