"""Jobs drawn from the statistics of AITurbo's workload study.

Source: the authors' data set [DATA] (github.com/LFSCODE/AITurbo), published with Zhao et al., HPDC 2021,
doi 10.1145/3431379.3460639. The statistics are ours (`rarlib.cost.parameter_server.dataset` makes them).

Kept: how many jobs each type has, first submissions and unpredictable jobs by type, the combinations of tasks and
resources by type, running times by type and class, accuracy and loss by class. Lost: every other dependence between
the columns of a job; epochs, batch, learning rate, steps and throughput are the typical values of the type.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rarlib.cost.parameter_server.models import models
from rarlib.cost.parameter_server.workload import MAX_SERVERS, MAX_WORKERS, NO_SWITCH, PsJobs
from rarlib.model.errors import InputError
from rarlib.traces.formats.aiturbo import STUDY_COLUMNS

KIND = ("servers", "workers", "gpus", "memory_gb", "cpus")
TYPICAL = ("epochs", "batch", "learning_rate", "steps", "throughput")
PREDICTABILITY = ("predictable", "unpredictable")

_ROUNDS = 30
"""Rounds of iterative proportional fitting, enough for several given shares to hold at once."""

Statistics = Mapping[str, Any]
"""As `rarlib.cost.parameter_server.dataset.statistics` returns them."""


def sample_study(
    found: Statistics,
    n: int,
    rng: np.random.Generator,
    *,
    unpredictable: float | None = None,
    first: float | None = None,
    cpu_only: float | None = None,
) -> pd.DataFrame:
    """Draw `n` jobs with the columns of the study.

    The shares of unpredictable jobs, of first submissions, which are unpredictable more often, and of jobs without GPUs
    are those of the study unless given.

    Raises:
        InputError: a share outside 0 to 1.
    """
    types = found["types"]
    # Number of jobs by type, first submission or not, and class, shape (types, 2, 2).
    weight = np.array([each["jobs"] for each in types], dtype=np.float64)
    on_cpu = np.array([all(kind[KIND.index("gpus")] == 0 for kind in each["kinds"]) for each in types])
    kinds = np.broadcast_to(on_cpu[:, None, None], weight.shape)
    first_submission = np.broadcast_to(np.array([False, True])[None, :, None], weight.shape)
    bad = np.broadcast_to(np.array([False, True])[None, None, :], weight.shape)
    wanted = (("first", first_submission, first), ("cpu_only", kinds, cpu_only), ("unpredictable", bad, unpredictable))
    for _ in range(_ROUNDS):
        for name, member, share in wanted:
            weight = _reweighed(weight, member, share, name)
    cell = rng.choice(weight.size, size=n, p=weight.ravel() / weight.sum())
    kind, is_first, is_bad = np.unravel_index(cell, weight.shape)
    place, pick = rng.random((3, n)), rng.random(n)
    columns: dict[str, Any] = {name: np.zeros(n) for name in STUDY_COLUMNS.values()}
    columns["first"], columns["unpredictable"] = is_first.astype(np.float64), is_bad.astype(np.float64)
    for number, each in enumerate(types):
        mine = np.flatnonzero(kind == number)
        columns["type"][mine] = each["type"]
        _resources(columns, mine, each, pick[mine])
        for label, name in enumerate(PREDICTABILITY):
            own = mine[is_bad[mine] == label]
            columns["running_s"][own] = np.round(
                _at(each["running_s"].get(name, found["running_s"][name]), place[0, own])
            )
    for label, name in enumerate(PREDICTABILITY):
        own = np.flatnonzero(is_bad == label)
        for row, column in enumerate(("accuracy", "loss"), 1):
            columns[column][own] = _at(found[column][name], place[row, own])
    return pd.DataFrame(columns)


def to_jobs(frame: pd.DataFrame, rng: np.random.Generator, switch: tuple[float, float] | None = None) -> PsJobs:
    """Jobs of the simulator with the running times, tasks and classes of a frame of the study [RECON].

    The types of the study are anonymous, so each job trains one of `models()` at random, for as many steps as take its
    running time on the requested tasks; two draws per job. Numbers of tasks above the limits of [LAB] are cut to these.

    After a fraction of its steps drawn uniformly from `switch`, an unpredictable job becomes predictable [LAB]; None:
    it never does [DATA]. A job requests as many workers as it had, one GPU each, and at most `MAX_WORKERS`, the limit
    of [LAB].
    """
    n = len(frame)
    number, place = rng.integers(0, len(models()), n), rng.random(n)
    later = np.full(n, NO_SWITCH) if switch is None else switch[0] + (switch[1] - switch[0]) * place
    asked = PsJobs.build(
        [models()[i].name for i in number],
        1.0,
        np.clip(frame["workers"].to_numpy(), 1, MAX_WORKERS),
        np.clip(frame["servers"].to_numpy(), 1, MAX_SERVERS),
        on_cpu=frame["gpus"].to_numpy() == 0,
        switch=np.where(frame["unpredictable"] == 1, later, 0.0),
        most_workers=MAX_WORKERS,
    )
    return asked.lasting(frame["running_s"].to_numpy())


def _reweighed(weight: NDArray[np.float64], member: Any, share: float | None, name: str) -> NDArray[np.float64]:
    """Scale weights so that a group gets the given share; proportions inside and outside it stay the same."""
    if share is None:
        return weight
    if not 0.0 <= share <= 1.0:
        raise InputError(f"must be 0 to 1, found {share}", field=name)
    inside, outside = weight[member].sum(), weight[~member].sum()
    # With a share of 0 or 1, one side is already empty in later rounds.
    return np.where(member, weight * share / max(inside, 1e-300), weight * (1.0 - share) / max(outside, 1e-300))


def _resources(columns: dict[str, Any], mine: NDArray[np.int64], each: Mapping[str, Any], pick: Any) -> None:
    """Draw tasks and resources of jobs of one type by their frequency; set all else to its typical values."""
    kinds = np.array(each["kinds"], dtype=np.float64)
    ladder = np.cumsum(kinds[:, -1]) / kinds[:, -1].sum()
    chosen = np.minimum(np.searchsorted(ladder, pick, side="right"), len(kinds) - 1)
    for column, name in enumerate(KIND):
        columns[name][mine] = kinds[chosen, column]
    for name, value in zip(TYPICAL, each["typical"], strict=True):
        columns[name][mine] = value


def _at(quantiles: Any, place: NDArray[np.float64]) -> NDArray[np.float64]:
    """Values at levels in [0, 1), interpolated log-linearly between quantiles at even steps."""
    even = np.linspace(0.0, 1.0, len(quantiles))
    return np.asarray(np.expm1(np.interp(place, even, np.log1p(quantiles))))
