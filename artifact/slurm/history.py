"""What a Slurm did with jobs, read from the log of its controller: times to the millisecond and in order.

`scontrol show job` knows whole seconds only, and not which of two jobs of a second started first.
"""

import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from artifact.slurm.notation import host_names
from rarlib.model.decisions import Placement
from rarlib.model.errors import InputError

SAY_GPUS = 'echo "$SLURM_JOB_CPUS_PER_NODE $SLURM_JOB_NODELIST"'
"""Line of a job's script by which its output says where it runs."""

_LINE = re.compile(r"\[(?P<time>[-0-9T:.]+)\] (?P<text>.*)")
_SUBMITTED = re.compile(r"_slurm_rpc_submit_batch_job: JobId=(\d+) ")
_STARTED = re.compile(r"sched: Allocate JobId=(\d+) |backfill: \S+ Started JobId=(\d+) ")
_LOOK = "backfill: _attempt_backfill: beginning"
_ENDED = re.compile(r"_job_complete: JobId=(\d+) done")
_COUNT = re.compile(r"(\d+)(?:\(x(\d+)\))?")


class History(NamedTuple):
    """Job by job in order of submission; times in seconds since the first submission, each of shape (jobs,) or as said.

    Attributes:
        submit_s: when the controller took the job.
        start_s: when it started.
        end_s: when its GPUs were given back.
        backfilled: whether the backfill scheduler started it, not the one that goes in order.
        looks_s: when the backfill scheduler began to look at the queue, shape (looks,).
        placement: GPUs that it held on each server, servers by number from 0.
        zero_s: the first submission on the clock of the machine, seconds.
    """

    submit_s: NDArray[np.float64]
    start_s: NDArray[np.float64]
    end_s: NDArray[np.float64]
    backfilled: NDArray[np.bool_]
    looks_s: NDArray[np.float64]
    placement: tuple[Placement, ...]
    zero_s: float
    version: str


def read_history(log: Path, said: Path, ids: list[int], version: str) -> History:
    """Read the log of a controller.

    `said`: folder with what each job has said of its GPUs, a file named by its number (`SAY_GPUS`); `ids`: in order of
    submission.

    Raises:
        InputError: if a job was not submitted, started and ended.
    """
    submitted: dict[int, float] = {}
    started: dict[int, tuple[float, bool]] = {}
    ended: dict[int, float] = {}
    looks: list[float] = []
    for time_s, text in _lines(log):
        if found := _SUBMITTED.match(text):
            submitted[int(found[1])] = time_s
        elif found := _STARTED.search(text):
            in_order = found[1] is not None
            started.setdefault(int(found[1] if in_order else found[2]), (time_s, not in_order))
        elif found := _ENDED.match(text):
            ended[int(found[1])] = time_s
        elif _LOOK in text:
            looks.append(time_s)
    for what, known in (("submitted", submitted), ("started", started), ("ended", ended)):
        if missing := [job for job in ids if job not in known]:
            raise InputError(f"does not say that job {missing[0]} was {what}", file=log)
    zero = submitted[ids[0]]
    return History(
        np.array([submitted[job] - zero for job in ids]),
        np.array([started[job][0] - zero for job in ids]),
        np.array([ended[job] - zero for job in ids]),
        np.array([started[job][1] for job in ids], np.bool_),
        np.array(looks) - zero,
        tuple(_placement(said / str(job)) for job in ids),
        zero,
        version,
    )


def node_numbers(names: str) -> list[int]:
    """Numbers from 0 of the nodes n1, n2, ... in a list of Slurm's, such as `n[1-3,7]`, in its order."""
    return [int(name.removeprefix("n")) - 1 for name in host_names(names)]


def cpu_counts(text: str) -> list[int]:
    """CPUs of each node as Slurm writes them, such as `8(x2),3`."""
    return [int(found[1]) for found in _COUNT.finditer(text) for _ in range(int(found[2] or 1))]


def _placement(path: Path) -> Placement:
    try:
        gpus, _, names = path.read_text(encoding="utf-8").strip().partition(" ")
        return tuple(sorted(zip(node_numbers(names), cpu_counts(gpus), strict=True)))
    except (OSError, ValueError):
        raise InputError("does not say which GPUs the job held", file=path) from None


def _lines(log: Path) -> Iterator[tuple[float, str]]:
    """Time, in seconds, and text of each line."""
    with log.open(encoding="utf-8", errors="replace") as file:
        for line in file:
            if found := _LINE.match(line):
                yield datetime.fromisoformat(found["time"]).timestamp(), found["text"]
