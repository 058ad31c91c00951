"""Decisions on 2,048 GPUs where jobs are clones of one another, recorded in large_rounds.csv.

    python benchmarks/large_rounds.py     # two minutes of the processor

Alike jobs are the hard case for a search. The 160 jobs of `sia-saturn-6` are there 32 times for Sia, each copy at the
same instant, and its rounds of the first three hours are decided; they are there 12 times for Concert, all in the
system at once, and its first 40 passes are timed. `python -m tools.scale` makes a table of docs/scale.md from the
record. Times are those of the processor; `probe_s` as in scale.py.
"""

import contextlib
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from bench_sia import RULES, Recorder, cloned, run
from scale import probe_s

from rarlib.cost.goodput.goodput import GoodputCost
from rarlib.ilp.sia.decide import Decider
from rarlib.model.cluster import Cluster
from rarlib.model.errors import DecisionError
from rarlib.schedulers.concert import Concert
from rarlib.simulator.engine import simulate

RECORD = Path(__file__).parent / "large_rounds.csv"
COLUMNS = ["scheduler", "gpus", "jobs", "passes", "median_s", "worst_s", "gap", "probe_s"]
GPUS, SIA_COPIES, CONCERT_COPIES = 2048, 32, 12
ROUNDS, PASSES = 180, 40


class _EnoughError(DecisionError):
    """The passes wanted have been timed (the simulator passes such an error on as it is)."""


def of_sia() -> tuple[Any, ...]:
    """The decision alone, from the matrix of costs to the columns chosen."""
    recorder = Recorder(rounds=ROUNDS)
    run(SIA_COPIES, recorder)
    decider, seconds, gaps = Decider(), [], []
    for problem in recorder.problems:
        begin = time.process_time()
        found = decider.decide(problem)
        seconds.append(time.process_time() - begin)
        gaps.append(found.gap)
    jobs = max(len(problem.skip) for problem in recorder.problems)
    return "sia", GPUS, jobs, len(seconds), np.median(seconds), max(seconds), max(gaps), probe_s()


def of_concert() -> tuple[Any, ...]:
    """Whole passes: rates, the program, and the placement."""
    timed_passes(1, 64, 5)  # compiles
    seconds = timed_passes(CONCERT_COPIES, GPUS, PASSES)
    jobs = len(cloned(CONCERT_COPIES))
    return "concert", GPUS, jobs, len(seconds), np.median(seconds), max(seconds), np.nan, probe_s()


def timed_passes(copies: int, gpus: int, passes: int) -> list[float]:
    """Seconds of Concert's first passes with all jobs in the system.

    Args:
        copies: of each job.
        gpus: of the cluster, a multiple of 64.
        passes: number of them.
    """
    jobs, scheduler, seconds = cloned(copies), Concert(), []
    decide = scheduler.decide

    def timed(view: Any) -> list[Any]:
        begin = time.process_time()
        decisions = list(decide(view))
        seconds.append(time.process_time() - begin)
        if len(seconds) == passes:
            raise _EnoughError
        return decisions

    scheduler.decide = timed  # type: ignore[method-assign]
    times = gpus // 64
    cluster = Cluster.parse(f"t4:{6 * times}x4,rtx:{3 * times}x8,a100:{2 * times}x8")
    with contextlib.suppress(_EnoughError):
        simulate(replace(jobs, submit_s=np.zeros(len(jobs))), cluster, scheduler, GoodputCost(), **RULES)
    return seconds


def main() -> None:
    """Measure and record."""
    table = pd.DataFrame([of_sia(), of_concert()], columns=COLUMNS)
    table.to_csv(RECORD, index=False, lineterminator="\n", float_format="%.6g")
    print(table.to_string())  # noqa: T201


if __name__ == "__main__":
    main()
