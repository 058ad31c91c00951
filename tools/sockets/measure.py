"""One trial: a link, the processes of all jobs on it, and what they saw, with the checks that a row must pass."""

import multiprocessing
import os
import time
from collections.abc import Sequence
from multiprocessing.connection import Connection
from typing import NamedTuple

import numpy as np

from rarlib.model.errors import InputError
from tools.sockets.link import Link
from tools.sockets.plan import RANKS, RATE_MBIT, Trial
from tools.sockets.ring import Exchange, run_rank, side_of

FEWEST = 3
"""Iterations of a job that a trial must hold."""

TOO_MUCH = 1.03
"""A link that carries more than this times its rate was not the link of the trial."""

_READY_S, _OVER_S = 20.0, 40.0
_FIRST = 2
"""Iterations that are left out where jobs begin together and then go their own ways."""


class JobRow(NamedTuple):
    """What a job did in a trial.

    Attributes:
        job: its number.
        iterations: how many count.
        iteration_s: mean seconds of an iteration; with fixed phases, of an exchange.
        exchange_s: mean seconds of an exchange.
        first_s: seconds of the second iteration, the first one that follows another; of the first exchange.
        late_ms: how much later than due an exchange began, as a mean over all ranks.
        load: share of the time of all processors that was taken, by anybody.
    """

    job: int
    iterations: int
    iteration_s: float
    exchange_s: float
    first_s: float
    late_ms: float
    load: float


def run_trial(trial: Trial) -> list[JobRow]:
    """Run a trial; one row per job.

    Raises:
        InputError: the machine cannot run it, or what was measured fails a check.
    """
    with Link(trial.queue, trial.jobs, RATE_MBIT) as link:
        began, taken = time.monotonic(), _processor_s()
        ranks = _run_all(trial, link.servers)
        elapsed = time.monotonic() - began
        load = (_processor_s() - taken) / elapsed / (os.cpu_count() or 1)
        check_capacity(link.sent(), elapsed)
    late = float(np.mean([e.begin_s - e.due_s for job in ranks for rank in job for e in rank]))
    return rows_of(trial, [job_exchanges(job) for job in ranks], 1000.0 * late, load)


def check_capacity(sent: Sequence[int], elapsed_s: float) -> None:
    """Raises InputError if a server sent more than the link carries in the time."""
    if (mbit := max(sent) * 8e-6 / elapsed_s) > TOO_MUCH * RATE_MBIT:
        raise InputError(f"{mbit:.0f} Mbit/s were sent over a link of {RATE_MBIT:g} Mbit/s", file="sockets")


def job_exchanges(ranks: Sequence[Sequence[Exchange]]) -> list[Exchange]:
    """Exchanges of a job: each begins when its last rank is there, and ends with the last rank that is done."""
    return [
        Exchange(max(e.due_s for e in same), max(e.begin_s for e in same), max(e.end_s for e in same))
        for same in zip(*ranks, strict=True)
    ]


def rows_of(trial: Trial, jobs: Sequence[Sequence[Exchange]], late_ms: float, load: float) -> list[JobRow]:
    """Rows of a trial.

    Exchanges that end after a job has left are left out. So are the first two iterations of jobs with free phases,
    which are in step from the start.

    Args:
        trial: what was run.
        jobs: exchanges of each job.
        late_ms: as in `JobRow`.
        load: as in `JobRow`.

    Raises:
        InputError: a job did too few iterations.
    """
    until = min(job[-1].end_s for job in jobs)
    whole = [[e for e in job if e.end_s <= until] for job in jobs]
    skipped = 0 if trial.phases == "fixed" else _FIRST
    if (fewest := min(len(job) - skipped for job in whole)) < FEWEST:
        raise InputError(f"a job did {max(fewest, 0)} iterations, at least {FEWEST} are needed", file="sockets")
    exchange = [float(np.mean([e.end_s - e.begin_s for e in job[skipped:]])) for job in whole]
    if trial.phases == "fixed":
        iteration, first = exchange, [job[0].end_s - job[0].begin_s for job in whole]
    else:
        iteration = [(job[-1].end_s - job[skipped - 1].end_s) / (len(job) - skipped) for job in whole]
        first = [job[1].end_s - job[0].end_s for job in whole]
    return [
        JobRow(number, len(job) - skipped, iteration[number], exchange[number], first[number], late_ms, load)
        for number, job in enumerate(whole)
    ]


def _run_all(trial: Trial, servers: Sequence[str]) -> list[list[list[Exchange]]]:
    """What every rank of every job saw."""
    context = multiprocessing.get_context("fork")
    pipes: list[Connection] = []
    running = []
    try:
        for job in range(trial.jobs):
            for rank in range(RANKS):
                mine, theirs = context.Pipe()
                process = context.Process(
                    target=run_rank, args=(trial, job, rank, servers[side_of(rank)], theirs), daemon=True
                )
                process.start()
                theirs.close()
                running.append(process)
                pipes.append(mine)
        for pipe in pipes:
            _hear(pipe, _READY_S)
        for pipe in pipes:
            pipe.send(time.monotonic())
        found = [_hear(pipe, trial.span_s + _OVER_S) for pipe in pipes]
    finally:
        for process in running:
            process.terminate()
            process.join()
    return [found[RANKS * job : RANKS * (job + 1)] for job in range(trial.jobs)]


def _hear(pipe: Connection, patience_s: float) -> list[Exchange]:
    """What a rank says next; InputError if that is an error, or nothing."""
    try:
        said = pipe.recv() if pipe.poll(patience_s) else f"no answer within {patience_s:.0f} s"
    except EOFError:
        said = "a rank has ended"
    if isinstance(said, str) and said != "ready":
        raise InputError(said, file="sockets")
    return [] if isinstance(said, str) else said


def _processor_s() -> float:
    """Seconds that all processors have worked since boot, for anybody."""
    with open("/proc/stat", encoding="ascii") as file:  # noqa: PTH123 - not a file of the project
        user, nice, system, _, _, interrupts, soft, steal = map(int, file.readline().split()[1:9])
    return (user + nice + system + interrupts + soft + steal) / os.sysconf("SC_CLK_TCK")
