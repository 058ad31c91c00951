"""One instance of SJF-BCO's evaluation, simulated while a reader watches.

Functions take `settings`, those of a figure's tables (parameter -> value, `lambda_` for lambda), and controls that
replace some of them.
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray

from artifact.papers.sjf_bco.cells import played
from artifact.papers.sjf_bco.choices import options, read_as, setup_of
from artifact.papers.sjf_bco.figures import live as figures
from artifact.papers.sjf_bco.instance import Instance, Setup, instance
from artifact.papers.sjf_bco.theory import proven
from artifact.plot.published import published_curve, published_points
from rarlib.discovery import make_scheduler
from rarlib.plot.style import look

COMPARED = ("sjf-bco", "list-scheduling", "first-fit", "random")
WAITING_RULES: dict[str, dict[str, Any]] = {
    "as in the reading": {},
    "all for idle GPUs": {"availability": "idle"},
    "all in queues on busy GPUs": {"availability": "queue"},
}
"""Choices of how gangs wait -> parameters of every scheduler."""


def one_instance(
    published: pd.DataFrame, settings: Mapping[str, Any], where: str = "Fig. 4", waiting: str = "", **chosen: Any
) -> Figure:
    """Jobs that have ended over time, a curve per scheduler, with the published makespans.

    Args:
        published: the published numbers.
        settings: `readings`, `jobs`, `servers`, `T`, and those of `choices.read_as`.
        where: figure whose published makespans are drawn, Fig. 4 or Fig. 6.
        waiting: a name in `WAITING_RULES`; the first one if empty.
        chosen: `seed`, and settings that replace others; `reading` replaces the first of `readings`.
    """
    now = _settings(settings, chosen)
    more = WAITING_RULES[waiting or next(iter(WAITING_RULES))]
    runs = {name: finishes(name, now, more) for name in COMPARED}
    return figures.ended_jobs(runs, _published(published, where, now), f"{now['reading']}, instance {now['seed']}")


def parameter_sweep(
    published: pd.DataFrame, settings: Mapping[str, Any], where: str, values: Iterable[float], **chosen: Any
) -> Figure:
    """Makespan of SJF-BCO over kappa (Fig. 5) or lambda (Fig. 7), with the published curve and the proven bound.

    Args:
        published: the published numbers.
        settings: as for `one_instance`; with `kappa` in Fig. 7.
        where: Fig. 5 or Fig. 7.
        values: of the parameter.
        chosen: as for `one_instance`.
    """
    now = _settings(settings, chosen)
    name = "kappa" if where == "Fig. 5" else "lambda"
    typed, other = (int, {}) if name == "kappa" else (float, {"kappa": now["kappa"]})
    runs = {value: finishes("sjf-bco", now, {**other, name: typed(value)}) for value in values}
    makespans = pd.Series({value: float("nan") if run is None else run.max() for value, run in runs.items()})
    curve = published_curve(published, "sjf-bco", where, look("sjf-bco").label)
    return figures.makespans(makespans, curve, _bound(*_case(now)), name, f"{now['reading']}, instance {now['seed']}")


def finishes(scheduler: str, settings: Mapping[str, Any], more: Mapping[str, Any]) -> NDArray[Any] | None:
    """Finish of every job, in slots, as in the cells of the figures; None if there is no schedule.

    `settings`: `reading`, `seed`, `jobs`, `servers`, `T`, and those of `choices.read_as`; `more`: arguments of the
    scheduler that replace those of the reading.
    """
    own = options(scheduler, read_as(settings["reading"], settings), settings["T"])
    return _finishes(scheduler, *_case(settings), tuple(sorted({**own, **more}.items())))


def _case(settings: Mapping[str, Any]) -> tuple[Setup, int, int, int]:
    how = setup_of(read_as(settings["reading"], settings))
    return how, int(settings["seed"]), int(settings["servers"]), int(settings["jobs"])


@lru_cache(512)
def _finishes(
    scheduler: str, how: Setup, seed: int, servers: int, jobs: int, params: tuple[tuple[str, Any], ...]
) -> NDArray[Any] | None:
    found = played(_instance(how, seed, servers, jobs), make_scheduler(scheduler, dict(params)), seed)
    return None if found is None else found[1]


@lru_cache(64)
def _instance(how: Setup, seed: int, servers: int, jobs: int) -> Instance:
    return instance(seed, servers, how, jobs)


@lru_cache(64)
def _bound(how: Setup, seed: int, servers: int, jobs: int) -> float:
    return proven(_instance(how, seed, servers, jobs))[0]


def _settings(settings: Mapping[str, Any], chosen: Mapping[str, Any]) -> dict[str, Any]:
    """Settings by their names in the configuration, overlaid with what a reader has chosen."""
    plain = {str(name).rstrip("_"): value for name, value in {**settings, **chosen}.items()}
    return {"reading": plain["readings"][0], **plain}


def _published(published: pd.DataFrame, where: str, settings: Mapping[str, Any]) -> dict[str, float]:
    """Published makespan by scheduler; Fig. 6 has points for some numbers of servers only."""
    x = "makespan" if where == "Fig. 4" else f"servers={settings['servers']}"
    points = {name: published_points(published, "sjf-bco", where, look(name).label) for name in COMPARED}
    return {name: float(values[x]) for name, values in points.items() if x in values}
