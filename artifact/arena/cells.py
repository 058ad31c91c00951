"""The arena: every scheduler on the same jobs, the same clusters, the same prices.

A cell is one scheduler with all settings and windows, or the bounds on them; `seed` is the number of the window.

| table | member | setup | reading | x_name | x | rows |
|---|---|---|---|---|---|---|
| runs | scheduler | trace | `Setting.reading` | load | offered | metrics of every window (`metrics.METRICS`) |
| runs | bounds | trace | the same | load | offered | bound_mean_jct, bound_makespan (h) |
| audit | windows | trace | cluster | load | offered | what was read, dropped and cut (`audit.QUANTITIES`) |
| audit | windows | | cluster | node/type | number/type of a node | gpus (seed 0) |

A scheduler has no row for a window in which it would restart jobs for ever, since its rounds are shorter than restarts,
nor for a setting in which it cannot play (`artifact.arena.knowledge`).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import Any

import pandas as pd

from artifact.arena.audit import UNITS
from artifact.arena.inputs import ArenaInputs
from artifact.arena.knowledge import played_as, plays
from artifact.arena.match import forecast_of, play_match, workload_of
from artifact.arena.metrics import HOUR, measure
from artifact.arena.settings import Setting, chosen, clusters_of, settings_of_choice
from rarlib.bounds.elastic.bounds import ElasticBounds
from rarlib.bounds.lower_bounds import Bound
from rarlib.cost.goodput.knowledge import KNOWN
from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError, NoProgressError
from rarlib.records.tidy import Row, tidy

_BOUNDS = "bounds"
"""Member of the table of runs that is not a scheduler: the proven bounds on every schedule."""

_Metrics = list[tuple[str, float, str]]
"""Metric, value and unit."""


def run_cell(part: str, member: str, settings: Mapping[str, Any], data: Path | None = None) -> pd.DataFrame:
    """Run one scheduler over the grid.

    Args:
        part: `runs` or `audit`.
        member: scheduler, `bounds` or `windows`.
        settings: `windows` (numbers), `jobs` (first ones of each window; None: all), `overload` (whether loads of 1 or
            more are allowed), `clusters` (name -> specification), base setting and `grid` (see `settings_of_choice`),
            `few` (see `chosen`).
        data: profiles and windows (`artifact.arena.inputs`).

    Returns:
        Tidy rows, as in the table above.
    """
    if data is None:
        raise InputError("needs profiles and windows", field="reads")
    arena = inputs(data, settings["jobs"])
    if part == "audit":
        rows = _audit(arena, settings)
    elif part == "runs":
        rows = _runs(member, arena, settings)
    else:
        raise InputError(f"unknown table {part!r}; known: runs, audit", field="cells")
    return tidy(rows, f"arena-{part}", member)


@lru_cache(2)
def inputs(data: Path, jobs: int | None) -> ArenaInputs:
    """Profiles, and the first jobs of each window (None: all); kept for further cells of the same process."""
    return ArenaInputs.read(data).cut(jobs)


def _runs(member: str, arena: ArenaInputs, settings: Mapping[str, Any]) -> Iterator[Row]:
    play = cache(_bounded(arena, settings) if member == _BOUNDS else partial(_played, arena, settings, member))
    for setting, window in chosen(member, settings_of_choice(settings), settings["windows"], settings["few"]):
        if member != _BOUNDS and not plays(member, setting):
            continue
        same = setting._replace(knowledge=KNOWN) if member == _BOUNDS else played_as(member, setting)
        for metric in play(same, window):
            yield (setting.trace, setting.reading, "load", setting.load, window, *metric)


def _played(arena: ArenaInputs, settings: Mapping[str, Any], member: str, setting: Setting, window: int) -> _Metrics:
    """What a scheduler brings to one setting and window; nothing if it would restart jobs for ever."""
    cluster = _cluster(settings, setting)
    workload = workload_of(arena, setting, window, cluster, overload=settings["overload"])
    predicted, cost = forecast_of(workload, setting, window), arena.prices(setting.network, setting.knowledge)
    try:
        return measure(*play_match(member, workload, predicted, cost, cluster, setting))
    except NoProgressError:
        return []


def _bounded(arena: ArenaInputs, settings: Mapping[str, Any]) -> Callable[[Setting, int], _Metrics]:
    """What proves the bounds in a setting and window."""
    of = cache(lambda name, network: ElasticBounds(arena.prices(network, KNOWN), clusters[name]))
    clusters = clusters_of(settings["clusters"])

    def proven(setting: Setting, window: int) -> _Metrics:
        workload = workload_of(arena, setting, window, _cluster(settings, setting), overload=settings["overload"])
        best = _best(of(setting.cluster, setting.network).bounds(workload.jobs))
        return [(f"bound_{name}", value / HOUR, "h") for name, value in best.items()]

    return proven


def _best(bounds: Iterable[Bound]) -> dict[str, float]:
    """The largest bound on each objective, seconds."""
    best: dict[str, float] = {}
    for bound in bounds:
        best[bound.objective] = max(bound.value_s, best.get(bound.objective, 0.0))
    return best


def _cluster(settings: Mapping[str, Any], setting: Setting) -> Cluster:
    return clusters_of(settings["clusters"])[setting.cluster]


def _audit(arena: ArenaInputs, settings: Mapping[str, Any]) -> Iterator[Row]:
    grid = settings_of_choice(settings)
    clusters = clusters_of(settings["clusters"])
    used = {name: cluster for name, cluster in clusters.items() if any(each.cluster == name for each in grid)}
    table = arena.audit(float(grid[0].load), used)
    for row in table[table["seed"].isin(settings["windows"])].to_dict("records"):
        head = (row["trace"], row["cluster"], "load", grid[0].load, row["seed"])
        yield from ((*head, metric, float(row[metric]), unit) for metric, unit in UNITS.items())
    for name, cluster in used.items():
        for node, (kind, gpus) in enumerate(zip(cluster.gpu_type, cluster.gpus, strict=True)):
            yield ("", name, "node/type", f"{node}/{kind}", 0, "gpus", float(gpus), "GPU")
