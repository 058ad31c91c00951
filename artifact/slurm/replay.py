"""A window of a trace, lived through by a Slurm of our own: each job sleeps for as long as it is to run."""

import math
import sys
import time
from pathlib import Path
from typing import NamedTuple

from tqdm import tqdm

from artifact.slurm.client import Slurm
from artifact.slurm.excerpt import Excerpt
from artifact.slurm.history import SAY_GPUS, History, read_history
from artifact.slurm.loopback import Loopback
from rarlib.model.errors import InputError

FIRST_WINDOW_S = 30.0
"""Width of the first window of ends in Slurm; `bf_window_linear` makes each further one so much wider."""


class Regime(NamedTuple):
    """How Slurm is told to schedule.

    Attributes:
        name: in tables and pictures.
        backfill: `sched/backfill`; if not, `sched/builtin`, which goes in order.
        padding: limit of a job as a multiple of its length, before it is rounded up to whole minutes.
    """

    name: str
    backfill: bool
    padding: float


REGIMES = (
    Regime("in order", False, 1.0),
    Regime("backfill, exact limits", True, 1.0),
    Regime("backfill, limits 3 times", True, 3.0),
)


def live_through(excerpt: Excerpt, regime: Regime, interval_s: int, folder: Path) -> History:
    """Bring up a Slurm with a node for each server, submit every job at its time, and wait for the last to end.

    `interval_s`: between two looks of the backfill scheduler at the queue, 1 at least. The path of `folder` must be
    short.

    Raises:
        InputError: if Slurm is not installed or a program of it fails.
    """
    with Loopback(folder, excerpt.cluster.gpus.tolist(), settings=_settings(regime, interval_s)) as loopback:
        said = folder / "jobs"
        said.mkdir()
        ids = _submit_all(loopback.slurm, excerpt, regime, said)
        _wait_for_the_last(loopback.slurm, float(excerpt.jobs.duration_s.sum()))
        version = loopback.slurm.version()
    return read_history(folder / "slurmctld.log", said, ids, version)


def limit_minutes(length_s: float, padding: float) -> int:
    """Limit of a job in whole minutes, 1 at least."""
    return max(math.ceil(length_s * padding / 60.0 - 1e-9), 1)


def _settings(regime: Regime, interval_s: int) -> dict[str, str]:
    options = {
        "batch_sched_delay": 0,
        "sched_min_interval": 1000,
        "default_queue_depth": 100_000,
        "bf_interval": interval_s,
        "bf_resolution": 1,
        "bf_window_linear": int(FIRST_WINDOW_S),
        "bf_max_job_test": 100_000,
        "bf_max_time": 60,
    }
    parameters = ",".join([*(f"{name}={value}" for name, value in options.items()), "bf_continue"])
    kind = "sched/backfill" if regime.backfill else "sched/builtin"
    # A job whose end is told late must not be ended for it.
    return {
        "SchedulerType": kind,
        "SchedulerParameters": parameters,
        "OverTimeLimit": "5",
        "DebugFlags": "Backfill",  # the log says when the backfill scheduler looks
    }


def _submit_all(slurm: Slurm, excerpt: Excerpt, regime: Regime, said: Path) -> list[int]:
    ids, began = [], time.monotonic()
    shown = tqdm(excerpt.jobs.rows, desc=regime.name, unit="job", disable=not sys.stderr.isatty())
    for job in shown:
        time.sleep(max(began + job.submit_s - time.monotonic(), 0.0))
        printed = slurm.call(
            "sbatch",
            "--parsable",
            f"--ntasks={job.gpus}",
            f"--time={limit_minutes(job.duration_s, regime.padding)}",
            f"--output={said}/%j",
            "--chdir=/",
            text=f"#!/bin/sh\n{SAY_GPUS}\nexec sleep {job.duration_s:.2f}\n",
        )
        ids.append(int(printed.partition(";")[0]))
    return ids


def _wait_for_the_last(slurm: Slurm, most_s: float) -> None:
    deadline = time.monotonic() + most_s + 600.0
    while slurm.call("squeue", "--noheader", "--format=%i"):
        if time.monotonic() > deadline:
            raise InputError("jobs are left long after all should have ended", file="Slurm")
        time.sleep(1.0)
