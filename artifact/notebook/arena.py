"""The tables behind a figure of the arena; and one window, simulated while a reader watches and drawn as they are."""

import itertools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from artifact.arena import standings
from artifact.arena.cells import inputs, run_cell
from artifact.arena.figures import cost, distributions, labels, robustness_map, summary
from artifact.arena.knowledge import learns
from artifact.arena.match import forecast_of, play_match, prices_of, workload_of
from artifact.arena.settings import clusters_of, settings_of_choice
from artifact.notebook.at_hand import data_at_hand
from artifact.notebook.figure import OpenFigure, open_figure
from artifact.run.settings import configuration
from rarlib.cost.goodput.knowledge import KNOWN
from rarlib.plot.style import mark
from rarlib.records.waiting import TURNAROUND_PARTS
from rarlib.traces.audit import is_standin

FAST = ("sia", "gavel", "tiresias", "srtf", "fifo")
"""Schedulers that answer fast enough for controls: elastic ones, and rigid ones that order the queue differently."""

WINDOW_JOBS = 16
_TIE_JOBS = 20

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


@dataclass(frozen=True)
class OpenArena:
    """What a notebook of the arena works with.

    Attributes:
        run: the opened figure.
        runs: tidy rows of all settings.
        audit: tidy rows about traces, windows and clusters.
        table: `artifact.arena.standings.standings`.
        order: schedulers by their mean rank.
        made_up: traces that are stand-ins.
    """

    run: OpenFigure
    runs: pd.DataFrame
    audit: pd.DataFrame
    table: pd.DataFrame
    order: list[str]
    made_up: list[str]

    @cached_property
    def base(self) -> pd.DataFrame:
        """Rows of the base setting of every trace."""
        return standings.at_base(self.runs)

    def show(self, draw: Callable[..., Figure], *args: Any) -> None:
        """As `OpenFigure.show`."""
        self.run.show(draw, *args, standin=labels.WARNING)

    def show_map(self) -> None:
        """Show which scheduler wins where, and how far ours is from it."""
        places, windows, margin = standings.map_of(self.runs)
        levels, home = standings.levels_of(self.runs), standings.base_of(self.runs)
        panels = robustness_map.robustness_panels(places, windows, standings.AXES, home, self.made_up)
        self.show(robustness_map.robustness_map, panels, levels, self.made_up, standings.OWN, margin)

    @property
    def factor_costs(self) -> list[cost.Factor]:
        """What it costs to share links; and to learn speeds, for schedulers that estimate any."""
        shared = standings.factor_cost(self.runs, "contention", standings.OFF)
        learned = standings.factor_cost(self.runs, "knowledge", KNOWN)
        learned = learned[learned["scheduler"].map(learns)]
        found = ("contention", "without contention", shared), ("knowledge", "with speeds known", learned)
        return [cost.Factor(*factor) for factor in found if len(factor[-1])]


def open_arena(name: str, names: Mapping[str, Any]) -> OpenArena:
    """Open a figure of the arena and say what its base setting is.

    Args:
        name: of the figure.
        names: the notebook's `globals()`.
    """
    run = open_figure(name, names)
    runs, audit = run.tables.values()
    print(labels.setting_in_words(standings.base_of(runs), audit))  # noqa: T201
    table = standings.standings(runs)
    return OpenArena(run, runs, audit, table, standings.by_rank(table), standings.standins(audit))


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
    return _marked(summary.standings_figure(frame, _order(frame)), frame)


def parts(**setting: Any) -> Figure:
    """What the completion times of one window are made of, over the proven bound."""
    frame = window_frame((*FAST, "bounds"), **setting)
    ratios = standings.over_bound(frame)
    return _marked(distributions.turnaround_parts(ratios, TURNAROUND_PARTS, _order(frame)), frame)


def fairness(**setting: Any) -> Figure:
    """Finish-time ratios and the Jain index of one window."""
    frame = window_frame(**setting)
    return _marked(distributions.fairness_distributions(frame, _order(frame)), frame)


def shared_links(alpha: float, **setting: Any) -> Figure:
    """How much longer jobs of one window take if links are shared: f = k + alpha (k - 1), against f = 1."""
    level = f"k+{alpha:g}" if alpha else "k"
    frame = pd.concat([window_frame(**setting, contention=each) for each in (standings.OFF, level)], ignore_index=True)
    costs = standings.factor_cost(frame, "contention", standings.OFF)
    return _marked(cost.cost(_order(frame), cost.Factor("contention", "without contention", costs)), frame)


def in_every_order(members: Iterable[str] = ("concert", "sia"), windows: Iterable[int] = (1,)) -> pd.DataFrame:
    """How far ties matter: windows of the base setting with the GPU types numbered in every order.

    A scheduler that breaks a tie by the number of a node or type meets another order, and nothing else changes. The
    first type stays the first: jobs last as recorded on it.

    Args:
        members: schedulers.
        windows: numbers of windows, of which the first 20 jobs arrive.

    Returns:
        Rows of a scheduler and window: mean JCT in the canonical order (s), and the least and the most in any order,
        over that.
    """
    section = configuration()["experiments"]["arena"]
    arena, setting = inputs(data_at_hand("arena"), _TIE_JOBS), settings_of_choice(section)[0]
    cluster = clusters_of(section["clusters"])[setting.cluster]
    first, *others = dict.fromkeys(cluster.gpu_type)
    orders = [(first, *each) for each in itertools.permutations(others)]
    rows = []
    for member, window in itertools.product(members, windows):
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


def _marked(figure: Figure, frame: pd.DataFrame | None = None, *, standin: bool | None = None) -> Figure:
    """The figure, marked if it rests on a stand-in (None: if windows here do) or lacks a scheduler."""
    rests = is_standin(data_at_hand("arena")) if standin is None else standin
    remarks = ["STAND-IN DATA: traces or measured profiles are drawn from statistics, not recorded"] if rests else []
    stuck = [] if frame is None else sorted(set(FAST) - set(frame["scheduler"]))
    if stuck:
        remarks.append(f"NOT SHOWN, since they cannot run or end in this setting: {', '.join(stuck)}")
    mark(figure, remarks)
    return figure


def _order(frame: pd.DataFrame) -> list[str]:
    rows = standings.per_window(frame, "mean_jct")
    return [str(name) for name in rows.groupby("scheduler")["value"].mean().sort_values().index]
