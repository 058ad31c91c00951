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

from rarlib.model.errors import InputError

_LINE = re.compile(r"\[(?P<time>[-0-9T:.]+)\] (?P<text>.*)")
_SUBMITTED = re.compile(r"_slurm_rpc_submit_batch_job: JobId=(\d+) ")
_STARTED = re.compile(r"sched: Allocate JobId=(\d+) NodeList=(\S+) |backfill: Started JobId=(\d+) in \S+ on (\S+)")
_ENDED = re.compile(r"_job_complete: JobId=(\d+) done")
_PART = re.compile(r"n(?:\[(?P<many>[-0-9,]+)\]|(?P<one>\d+))(?:,|$)")


class History(NamedTuple):
    """Job by job in order of submission; times in seconds since the first submission, each of shape (jobs,).

    Attributes:
        submit_s: when the controller took the job.
        start_s: when it started.
        end_s: when its GPUs were given back.
        backfilled: whether the backfill scheduler started it, not the one that goes in order.
        nodes: the servers that it ran on, by number from 0.
        version: name and version of the Slurm.
    """

    submit_s: NDArray[np.float64]
    start_s: NDArray[np.float64]
    end_s: NDArray[np.float64]
    backfilled: NDArray[np.bool_]
    nodes: tuple[frozenset[int], ...]
    version: str


def read_history(log: Path, ids: list[int], version: str) -> History:
    """Read the log of a controller.

    Args:
        log: the log.
        ids: Slurm's numbers of the jobs, in order of submission.
        version: see `History`.

    Raises:
        InputError: if a job was not submitted, started and ended.
    """
    submitted: dict[int, float] = {}
    started: dict[int, tuple[float, bool, str]] = {}
    ended: dict[int, float] = {}
    for time_s, text in _lines(log):
        if found := _SUBMITTED.match(text):
            submitted[int(found[1])] = time_s
        elif found := _STARTED.match(text):
            in_order = found[1] is not None
            job, nodes = (found[1], found[2]) if in_order else (found[3], found[4])
            started.setdefault(int(job), (time_s, not in_order, nodes))
        elif found := _ENDED.match(text):
            ended[int(found[1])] = time_s
    for what, known in (("submitted", submitted), ("started", started), ("ended", ended)):
        if missing := [job for job in ids if job not in known]:
            raise InputError(f"does not say that job {missing[0]} was {what}", file=log)
    zero = submitted[ids[0]]
    return History(
        np.array([submitted[job] - zero for job in ids]),
        np.array([started[job][0] - zero for job in ids]),
        np.array([ended[job] - zero for job in ids]),
        np.array([started[job][1] for job in ids], np.bool_),
        tuple(node_numbers(started[job][2]) for job in ids),
        version,
    )


def node_numbers(names: str) -> frozenset[int]:
    """Numbers from 0 of the nodes in a list of Slurm's, such as `n[1-3,7]`."""
    numbers: set[int] = set()
    for part in _PART.finditer(names):
        for span in (part["many"] or part["one"]).split(","):
            first, _, last = span.partition("-")
            numbers |= set(range(int(first) - 1, int(last or first)))
    return frozenset(numbers)


def _lines(log: Path) -> Iterator[tuple[float, str]]:
    """Time, in seconds, and text of each line."""
    with log.open(encoding="utf-8", errors="replace") as file:
        for line in file:
            if found := _LINE.match(line):
                yield datetime.fromisoformat(found["time"]).timestamp(), found["text"]
