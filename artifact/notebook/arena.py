"""One window of the arena, simulated while a reader watches, drawn as the arena's figures draw all of them."""

import itertools
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from artifact.arena import standings
from artifact.arena.cells import inputs, run_cell
from artifact.arena.figures import cost, distributions, hour, robustness_map, summary
from artifact.arena.match import forecast_of, play_match, prices_of, workload_of
from artifact.arena.settings import clusters_of, settings_of_choice
from artifact.notebook.at_hand import data_at_hand
from artifact.run.settings import configuration
from rarlib.plot.style import mark
from rarlib.records.waiting import TURNAROUND_PARTS
from rarlib.traces.audit import is_standin

FAST = ("sia", "shockwave", "tiresias", "srtf", "fifo")
"""Schedulers that answer fast enough for controls: elastic ones, and rigid ones that order the queue differently."""

WINDOW_JOBS = 16

SMALL_CLUSTER: Mapping[str, Any] = {
    "three-types": "t4:2x4,rtx:1x8,a100:1x8",
    "homogeneous": "t4:6x4",
    "two-level": {
        "nodes": [
            {"count": 3, "gpus": 4, "type": "t4", "rack": "left"},
            {"count": 3, "gpus": 4, "type": "t4", "rack": "right"},
        ],
        "racks": {"left": {"uplink_gbps": 2.5}, "right": {"uplink_gbps": 2.5}},
    },
}
"""The clusters of the configuration with 24 GPUs instead of 64: with so few jobs, a large one has no queue."""


@lru_cache(2048)
def window_rows(member: str, window: int = 1, jobs: int | None = WINDOW_JOBS, **setting: Any) -> pd.DataFrame:
    """Tidy rows of one scheduler, or of the bounds, on one window of a trace and a cluster of `SMALL_CLUSTER`.

    Args:
        member: scheduler or `bounds`.
        window: its number.
        jobs: first jobs of the window; None: all.
        setting: `trace`, `cluster`, `load`, `contention`, `restart`, `error`, `knowledge`; the base's if left out.

    Raises:
        InputError: a setting or a window that does not exist.
    """
    section = configuration()["experiments"]["arena"]
    traces = [setting.pop("trace", section["traces"][0])]
    one: dict[str, Any] = {"windows": [window], "jobs": jobs, "traces": traces, "grid": [], "few": {}, "overload": True}
    return run_cell("runs", member, {**section, **one, "clusters": SMALL_CLUSTER, **setting}, data_at_hand("arena"))


def window_frame(members: tuple[str, ...] = FAST, **setting: Any) -> pd.DataFrame:
    """`window_rows` of several members."""
    return pd.concat([window_rows(name, **setting) for name in members], ignore_index=True)


def ranked(**setting: Any) -> Figure:
    """Mean completion time, makespan, GPU-hours and restarts of one window, with proven bounds, best first."""
    frame = window_frame((*FAST, "bounds"), **setting)
    return _marked(summary.standings_figure(frame, _order(frame)))


def parts(**setting: Any) -> Figure:
    """What the completion times of one window are made of."""
    frame = window_frame(**setting)
    return _marked(distributions.turnaround_parts(standings.turnaround(frame), TURNAROUND_PARTS, _order(frame)))


def curves(**setting: Any) -> Figure:
    """Distributions of the completion times of one window."""
    frame = window_frame(**setting)
    return _marked(distributions.jct(standings.distribution(frame), _order(frame)))


def fairness(**setting: Any) -> Figure:
    """Finish-time ratios and the Jain index of one window."""
    frame = window_frame(**setting)
    return _marked(distributions.fairness_distributions(frame, _order(frame)))


def busy_hour_figure(scheduler: str, other: str, **setting: Any) -> Figure:
    """Who holds which GPUs in the busiest hour of one window, under two schedulers."""
    names = tuple(dict.fromkeys([scheduler, other]))
    frame = window_frame(names, **setting)
    reading = frame.loc[frame["seed"] != 0, "reading"].iloc[0]
    audit = _nodes(reading.split("/")[0])
    return _marked(hour.hour(hour.allocation_frame(frame), hour.nodes(audit), names))


def shared_links(alpha: float, **setting: Any) -> Figure:
    """How much longer jobs of one window take if links are shared: f = k + alpha (k - 1), against f = 1."""
    level = f"k+{alpha:g}" if alpha else "k"
    frames = [window_frame(**setting, contention=each) for each in (standings.OFF, level)]
    frame = pd.concat(frames, ignore_index=True)
    return _marked(
        cost.cost(
            standings.factor_cost(frame, "contention", standings.OFF), _order(frame), "contention", "without contention"
        )
    )


def in_every_order(section: Mapping[str, Any], members: Iterable[str] = ("concert", "sia")) -> pd.DataFrame:
    """How far ties matter: the windows of the base setting with the GPU types numbered in every order.

    A scheduler that breaks a tie by the number of a node or type meets another order, and nothing else changes. The
    first type stays the first: jobs last as recorded on it.

    Args:
        section: see `artifact.notebook.choice.chosen_arena`.
        members: schedulers.

    Returns:
        Rows of a scheduler and window: mean JCT in the canonical order (s), and the least and the most in any order,
        over that.
    """
    arena, setting = inputs(data_at_hand("arena"), section["jobs"]), settings_of_choice(section)[0]
    cluster = clusters_of(section["clusters"])[setting.cluster]
    first, *others = dict.fromkeys(cluster.gpu_type)
    orders = [(first, *each) for each in itertools.permutations(others)]
    rows = []
    for member, window in itertools.product(members, section["windows"]):
        workload = workload_of(arena, setting, window, cluster, overload=section["overload"])
        predicted, prices = forecast_of(workload, setting, window), prices_of(setting, arena.profiles)
        means = [
            play_match(member, workload, predicted, prices, cluster.numbered(order), setting)[0].turnaround_s.mean()
            for order in orders
        ]
        rows.append((member, window, means[0], min(means) / means[0], max(means) / means[0]))
    return pd.DataFrame(rows, columns=["scheduler", "window", "mean_jct_s", "least", "most"])


def pair_figure(compared: pd.DataFrame, first: str, second: str, *, standin: bool = False) -> Figure:
    """The mean completion time of one scheduler over that of another, setting by setting.

    Args:
        compared: `artifact.arena.standings.on_map`.
        first: a scheduler.
        second: another one.
        standin: whether the settings rest on stand-ins.
    """
    rows = compared[(compared["scheduler"] == first) & (compared["rival"] == second)]
    return _marked(robustness_map.pair(rows), standin=standin)


def _marked(figure: Figure, *, standin: bool | None = None) -> Figure:
    """The figure with a mark if it rests on a stand-in; None: if the windows of this notebook do."""
    rests = is_standin(data_at_hand("arena")) if standin is None else standin
    mark(
        figure, ["STAND-IN DATA: traces or measured profiles are drawn from statistics, not recorded"] if rests else []
    )
    return figure


def _order(frame: pd.DataFrame) -> list[str]:
    rows = standings.per_window(frame, "mean_jct")
    return [str(name) for name in rows.groupby("scheduler")["value"].mean().sort_values().index]


@lru_cache(8)
def _nodes(cluster: str) -> pd.DataFrame:
    section: Mapping[str, Any] = configuration()["experiments"]["arena"]
    one = {"jobs": WINDOW_JOBS, "clusters": SMALL_CLUSTER, "cluster": cluster, "grid": [], "windows": []}
    rows = run_cell("audit", "windows", {**section, **one}, data_at_hand("arena"))
    return rows[rows["x_name"] == "node/type"]
