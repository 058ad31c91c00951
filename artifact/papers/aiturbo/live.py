"""One instance, one draw or one loss curve of AITurbo's notebooks, computed while a reader watches."""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray

from artifact.papers.aiturbo.choices import values_in_reading
from artifact.papers.aiturbo.figures import live as pictures
from artifact.papers.aiturbo.inference import Replayed, ratios_to_aiturbo
from artifact.papers.aiturbo.measures import simulated
from artifact.papers.aiturbo.members import MEMBERS
from artifact.papers.aiturbo.scenarios import MAIN, draw_scenario
from artifact.papers.aiturbo.study import made_up_curves
from rarlib.cost.parameter_server.loss import FEWEST, fit_loss
from rarlib.plot.style import mark
from rarlib.traces.audit import is_standin
from rarlib.traces.load import load_trace

COMPARED = ("aiturbo", "optimus", "tiresias", "srtf", "fcfs")
VARIANTS = ("aiturbo", "strict", "time", "no-borda", "arrival")
"""The ablations that differ from AITurbo most."""

JOBS_PER_GPU = 8
"""Fewer than in the tables, so that all schedulers together take less than a second."""


@lru_cache(4)
def _submissions(data: Path) -> NDArray[np.float64]:
    return load_trace(data, "rarlib").jobs.submit_s


@lru_cache(512)
def live_turnarounds(
    data: Path,
    member: str,
    seed: int,
    *,
    unpredictable: int | None = None,
    load: float = 2.0,
    error: float = 0.1,
    gpus: int = 4,
    turning: int = 0,
) -> pd.DataFrame:
    """Completion times of one instance.

    Args:
        data: trace whose arrivals are replayed.
        member: scheduler or variant of AITurbo, see `MEMBERS`.
        seed: of the instance.
        unpredictable: share of unpredictable jobs, percent; None: as in the study.
        load: offered load.
        error: standard deviation of the logarithm of the predictions of all jobs.
        gpus: of the cluster, a multiple of 2.
        turning: share of the unpredictable jobs that turn predictable, percent.

    Returns:
        A row per job: `member`, `jct_h`, `unpredictable`.
    """
    settings = {
        "jobs": JOBS_PER_GPU * gpus,
        "cluster": f"gpu:{gpus // 2}x2,cpu:{gpus // 2}x4",
        "load": load,
    }
    case = MAIN._replace(error=error, turning=turning / 100)
    if unpredictable is not None:
        case = case._replace(unpredictable=unpredictable / 100, cpu_only=0.0)
    who = MEMBERS[member]
    drawn = draw_scenario(case._replace(on_gpus=who.on_gpus), seed, settings, _submissions(data))
    run = simulated(who, drawn, settings)
    wait = {"jct_h": run.turnaround_s / 3600.0, "unpredictable": drawn.workload.switch > 0.0}
    return pd.DataFrame({"member": member, **wait})


def instance_figure(
    data: Path, published: pd.DataFrame, members: Sequence[str] = COMPARED, *, seed: int, **values: Any
) -> Figure:
    """Figure of one instance under several schedulers; `values` as for `live_turnarounds`."""
    runs = [live_turnarounds(data, member, seed, **values) for member in members]
    theirs = pictures.printed_ratios(published, values["unpredictable"]) if "unpredictable" in values else {}
    return _marked(pictures.instance(pd.concat(runs, ignore_index=True), theirs, claimed=members is COMPARED), data)


def one_reading_figure(
    data: Path, published: pd.DataFrame, within: "pd.Series[float]", reading: str, jobs: int = 20, **values: Any
) -> Figure:
    """Figure of the published ratios beside those that one choice of the unknown gives.

    `within`: how far a value may lie from the published one, by id. `values`: of unknowns that replace those of the
    reading, unless they are None; spaces are written as `_`.
    """
    own = {name.replace("_", " "): value for name, value in values.items() if value is not None}
    found = ratios_to_aiturbo({**values_in_reading(reading), **own}, 0, jobs, _replayed(data))
    return _marked(pictures.ratios(pd.Series(found), published.set_index("id"), within), data)


def _marked(figure: Figure, data: Path) -> Figure:
    mark(figure, ["STAND-IN DATA: arrivals drawn from statistics, not recorded"] if is_standin(data) else [])
    return figure


@lru_cache(4)
def _replayed(data: Path) -> Replayed:
    return Replayed(_submissions(data))


def loss_curve(*, seen: int, noise: int, curve: int) -> Figure:
    """Figure of one made-up loss curve, the part that was observed, and what Optimus' fit foretells.

    Args:
        seen: percent of the way to convergence that was observed.
        noise: standard deviation of the observed loss, percent.
        curve: number of the curve, of those in the table of the study.
    """
    curves, drawn = made_up_curves(seed=0)
    true = curves[curve]
    ends = max(true.converged(), 1)
    epochs = np.arange(1, max(FEWEST, round(seen / 100 * ends)) + 1)
    observed = true.at(epochs) * np.exp(noise / 100 * drawn[curve][: len(epochs)])
    return pictures.foretold(true, fit_loss(epochs, observed), epochs, observed)
