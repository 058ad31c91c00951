"""How far one machine goes: seconds and memory of whole runs against their number of jobs, recorded in scale.csv.

    python benchmarks/scale.py                       # measures what the record lacks, shortest first (hours; resumes)
    python benchmarks/scale.py --only philly sia     # one workload, one scheduler
    python benchmarks/scale.py --again               # measures again

`python -m tools.scale` makes the tables of docs/scale.md from the record. Workloads:

    stream   jobs like Philly's as a Poisson process, recorded durations, no cost of communication: compiled runs
    philly   the first jobs of the recorded Philly table as in the arena, contention counted by server

Each run has a process of its own, so its memory is its own, and is repeated there once with few jobs before, so that
compilation is not counted. Times are those of the processor (a run has one thread), which other work on the machine
changes little. `probe_s` is the time of a fixed computation at that moment: it tells how fast the machine was, and
times are compared as multiples of it.
"""

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from math import log
from pathlib import Path
from typing import Any

import pandas as pd
import yaml
from bench_simulator import SCHEDULERS, like_philly, play

from rarlib.arena.inputs import ArenaInputs, profile_set
from rarlib.arena.match import forecast_of, play_match, prices_of, workload_of
from rarlib.arena.settings import settings_of_grid
from rarlib.cost.goodput.measured import PREFIX
from rarlib.cost.goodput.profiles import Profiles
from rarlib.discovery import make_scheduler, schedulers
from rarlib.model.cluster import Cluster
from rarlib.model.scheduler import Scheduler
from rarlib.simulator.run import Run

HERE = Path(__file__).parent
RECORD = HERE / "scale.csv"
COLUMNS = [
    "workload",
    "scheduler",
    "jobs",
    "gpus",
    "seconds",
    "memory_mb",
    "decisions",
    "deciding_s",
    "worst_s",
    "probe_s",
]
SPECS = {"stream": "80x8", "philly": "rtx:80x8"}
SIZES = {
    "stream": (10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000),
    "philly": (500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 82_000),
}
MOST = {"stream": {"fifo": 10_000_000}}
"""Largest size, where it is not the default: 1,000,000 jobs of `stream`, all of `philly`."""
SETTING: dict[str, Any] = {
    "trace": ["philly-pollux"], "cluster": [""], "load": [0.9], "contention": ["k+0.3"], "restart": ["profile"],
    "error": [0.3],
}  # fmt: skip
BUDGET_S = 3600.0
"""A run that would take longer, going by the two before, is not begun."""


class Clocked:
    """Keeps the seconds of a scheduler's passes, without those of carrying out what it decides.

    The clock of the processor is slow to read, and some schedulers give thousands of decisions in a pass, so what
    reading it takes is subtracted.
    """

    def __init__(self, scheduler: Scheduler) -> None:
        self.seconds: list[float] = []
        self.clock_s = 0.0
        self._reading_s = min(_reading_s() for _ in range(5))
        self._decide: Callable[..., Any] = scheduler.decide
        scheduler.decide = self.decide  # type: ignore[method-assign]

    def decide(self, view: Any) -> Iterator[Any]:
        """What the scheduler decides; a decision may be carried out before the next one is asked for."""
        begin = time.process_time()
        taken, answers = 0.0, iter(self._decide(view))
        while True:
            answer = next(answers, None)
            taken += max(time.process_time() - begin - self._reading_s, 0.0)
            self.clock_s += 2 * self._reading_s
            if answer is None:
                break
            yield answer
            begin = time.process_time()
        self.seconds.append(taken)


def _reading_s() -> float:
    """What one reading of the processor's clock takes."""
    begin = time.process_time()
    for _ in range(999):
        time.process_time()
    return (time.process_time() - begin) / 1000


def on_stream(name: str, jobs: int) -> Callable[[], tuple[Run, Clocked | None]]:
    """A compiled run, its jobs already made."""
    table = like_philly(jobs)
    return lambda: (play(table, SPECS["stream"], name), None)  # type: ignore[return-value]


def on_philly(name: str, jobs: int) -> Callable[[], tuple[Run, Clocked | None]]:
    """A run of the arena on the first jobs of the trace."""
    config = yaml.safe_load((HERE.parent / "config" / "config.yaml").read_text(encoding="utf-8"))
    profiles = [source for source in config["profiles"]["arena"]["sources"] if source.startswith(PREFIX)]
    data = profile_set("scale", {"sources": [*profiles, "philly-pollux"], "seeds": 1, "jobs": jobs}).data
    arena = ArenaInputs(Profiles.from_json(data["profiles"]), data["traces"])
    (setting,), cluster = settings_of_grid([SETTING]), Cluster.parse(SPECS["philly"])
    workload = workload_of(arena, setting, 1, cluster, overload=False)
    predicted, cost = forecast_of(workload, setting, 1), prices_of(setting, arena.profiles)

    def run() -> tuple[Run, Clocked]:
        scheduler = make_scheduler(name)
        clocked = Clocked(scheduler)
        return play_match(scheduler, workload, predicted, cost, cluster, setting)[0], clocked

    return run


WORKLOADS = {"stream": on_stream, "philly": on_philly}


def probe_s() -> float:
    """The fixed computation of `rarlib.workflow.costs`, in seconds of the processor; best of three."""
    taken = []
    for _ in range(3):
        begin = time.process_time()
        sum(i * i % 7 for i in range(400_000))
        taken.append(time.process_time() - begin)
    return min(taken)


def measured(workload: str, name: str, jobs: int) -> dict[str, Any]:
    """One run, in this process."""
    WORKLOADS[workload](name, SIZES[workload][0])()
    probe, prepared = probe_s(), WORKLOADS[workload](name, jobs)
    begin = time.process_time()
    run, clocked = prepared()
    seconds = time.process_time() - begin - (clocked.clock_s if clocked else 0.0)
    taken = clocked.seconds if clocked else []
    return {
        "workload": workload,
        "scheduler": name,
        "jobs": len(run.jobs),
        "gpus": run.cluster.total_gpus,
        "seconds": round(seconds, 4),
        "memory_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3),
        "decisions": len(taken) or run.counters["passes"],
        "deciding_s": round(sum(taken), 4),
        "worst_s": round(max(taken, default=0.0), 4),
        "probe_s": round((probe + probe_s()) / 2, 5),
    }


def entrants() -> dict[str, list[str]]:
    """Schedulers by workload."""
    config = yaml.safe_load((HERE.parent / "config" / "config.yaml").read_text(encoding="utf-8"))
    without = {*config["experiments"]["arena"]["without"]}
    return {"stream": list(SCHEDULERS), "philly": [name for name in schedulers() if name not in without]}


def wanted(only: list[str]) -> Iterator[tuple[str, str, int]]:
    """Workload, scheduler and number of jobs, the smallest first."""
    for workload, names in entrants().items():
        for jobs in SIZES[workload]:
            for name in names:
                most = MOST.get(workload, {}).get(name, 1_000_000)
                if jobs <= most and (not only or (workload in only and (name in only or len(only) == 1))):
                    yield workload, name, jobs


def too_long(done: pd.DataFrame, workload: str, name: str, jobs: int) -> bool:
    """Whether a run would take more than the budget, by the power law through the two before."""
    own = done[(done["workload"] == workload) & (done["scheduler"] == name) & (done["jobs"] < jobs)]
    if len(own) < 2:
        return False
    (n, s), (m, t) = own.sort_values("jobs")[["jobs", "seconds"]].iloc[-2:].to_numpy()
    return bool(t * (jobs / m) ** max(log(t / s) / log(m / n), 0.0) > BUDGET_S)


def read_record() -> pd.DataFrame:
    """What was measured."""
    return pd.read_csv(RECORD) if RECORD.exists() else pd.DataFrame(columns=COLUMNS)


def main() -> None:
    """Measure what the record lacks."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="a workload, and schedulers")
    parser.add_argument("--most", type=int, default=10**9, help="largest number of jobs")
    parser.add_argument("--again", action="store_true", help="measure again what was measured")
    parser.add_argument("--one", nargs=3, metavar=("WORKLOAD", "SCHEDULER", "JOBS"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        print(json.dumps(measured(given.one[0], given.one[1], int(given.one[2]))))  # noqa: T201
        return
    for workload, name, jobs in wanted(given.only):
        done = read_record()
        known = (done["workload"] == workload) & (done["scheduler"] == name) & ((done["jobs"] / jobs - 1).abs() < 0.02)
        if jobs > given.most or (known.any() and not given.again) or too_long(done, workload, name, jobs):
            continue
        command = [sys.executable, __file__, "--one", workload, name, str(jobs)]
        ended = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
        if ended.returncode:
            print(f"{workload} {name} {jobs}: ended with {ended.returncode}", flush=True)  # noqa: T201
            continue
        row = json.loads(ended.stdout.splitlines()[-1])
        print(row, flush=True)  # noqa: T201
        frame = pd.concat([done[~known], pd.DataFrame([row])]) if len(done) else pd.DataFrame([row])
        order = ["workload", "scheduler", "jobs"]
        frame[COLUMNS].sort_values(order).to_csv(RECORD, index=False, lineterminator="\n")


if __name__ == "__main__":
    main()
