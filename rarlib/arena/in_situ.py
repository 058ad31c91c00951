"""The fast law in its place: runs of the arena by the law, and the same runs phase by phase.

Phases are followed twice, the second time with each job a microsecond later than the one before it, since what three
or more jobs do is often chaotic: two such runs differ by what the phases of one run are worth.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from rarlib.arena.inputs import ArenaInputs
from rarlib.arena.match import forecast_of, play_match, prices_of, workload_of
from rarlib.arena.settings import Setting
from rarlib.arena.workload import Workload
from rarlib.cost.linked import cluster_shape, laid_out, on_fabric
from rarlib.fabric.shapes import Shape, leaf_spine
from rarlib.model.cluster import Cluster
from rarlib.simulator.run import Run

RACKED, APART_S = "leaf-spine", 1e-6
"""The fabric that is not the cluster's own; and how much later each job is submitted in the second run."""


class InSituRun(NamedTuple):
    """One scheduler on one window: means over its jobs, s.

    Attributes:
        trace: family of windows.
        window: number of the window.
        cluster: name of the cluster.
        fabric: what its servers are connected by.
        scheduler: the scheduler.
        jobs: how many.
        standin: whether jobs were drawn, as on a machine without the recorded trace.
        counted_s: turnaround where jobs are counted by server, f = k.
        law_s: turnaround by the law.
        flow_s: turnaround phase by phase.
        again_s: the same with jobs a microsecond apart.
        law_contention_s: contention by the law.
        flow_contention_s: contention phase by phase.
    """

    trace: str
    window: int
    cluster: str
    fabric: str
    scheduler: str
    jobs: int
    standin: bool
    counted_s: float
    law_s: float
    flow_s: float
    again_s: float
    law_contention_s: float
    flow_contention_s: float


def in_situ_shape(cluster: Cluster, fabric: str) -> Shape:
    """The cluster's own fabric (`cluster`), or two racks below four spines, over-subscribed 4:1 (`RACKED`)."""
    if fabric != RACKED:
        return cluster_shape(cluster)
    nic_gbps, per_rack = float(np.min(cluster.node_gbps)), cluster.nodes // 2
    return leaf_spine(2, per_rack, 4, nic_gbps, per_rack * nic_gbps / (4 * 4))


def in_situ_runs(
    arena: ArenaInputs,
    clusters: Mapping[str, tuple[Cluster, str]],
    base: Setting,
    windows: Iterable[tuple[str, int]],
    schedulers: Iterable[str],
) -> Iterator[InSituRun]:
    """Every scheduler on every window and cluster.

    Args:
        arena: profiles and windows.
        clusters: name -> cluster and fabric, see `in_situ_shape`.
        base: gives what all runs have in common; trace and cluster are replaced.
        windows: family and number of each.
        schedulers: names.
    """
    names = list(schedulers)
    for trace, window in windows:
        for name, (cluster, fabric) in clusters.items():
            setting = base._replace(trace=trace, cluster=name)
            given = workload_of(arena, setting, window, cluster, overload=True)
            later = given._replace(
                jobs=replace(given.jobs, submit_s=given.jobs.submit_s + APART_S * np.arange(len(given.jobs)))
            )
            shape = in_situ_shape(cluster, fabric)
            for who in names:
                counted = _played(arena, who, given, cluster, setting, window)
                law, flow, again = (
                    _played(arena, who, each, cluster, setting, window, (shape, grade))
                    for each, grade in ((given, "law"), (given, "flow"), (later, "flow"))
                )
                yield InSituRun(
                    trace, window, name, fabric, who, len(given.jobs), bool(arena.traces[trace]["standin"]),
                    *(float(run.turnaround_s.mean()) for run in (counted, law, flow, again)),
                    *(float(run.contention_s.mean()) for run in (law, flow)),
                )  # fmt: skip


def _played(
    arena: ArenaInputs,
    who: str,
    workload: Workload,
    cluster: Cluster,
    setting: Setting,
    window: int,
    linked: tuple[Shape, str] | None = None,
) -> Run:
    """A run, counted by server, or on a fabric under a grade."""
    predicted, cost = forecast_of(workload, setting, window), prices_of(setting, arena.profiles)
    if linked is None:
        return play_match(who, workload, predicted, cost, cluster, setting)[0]
    shape, grade = linked
    on_links = on_fabric(cost, shape, grade=grade)
    return play_match(who, workload, predicted, on_links, laid_out(cluster, shape), setting)[0]
