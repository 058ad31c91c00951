"""How the time of a run grows with the number of jobs, for every scheduler and for FIFO elsewhere.

    python -m benchmarks.growth          # measures into growth.csv (half an hour), then draws docs/growth.svg
    python -m benchmarks.growth --draw    # draws from the record

Jobs look like Philly's on 64 GPUs at a load of 0.8, under recorded durations or, for schedulers that need to know
speeds, under measured goodput. Each scheduler gets twice as many jobs until a run takes `ENOUGH_S`. An exponent is the
slope of the last three sizes. Best known, a yardstick that searches at every arrival, is left out.

FIFO elsewhere: a loop over NumPy arrays that counts free GPUs, and SimPy, if it is installed; both know no nodes and
keep no record. AccaSim 1.1.3 does not load on Python 3.10 and later.
"""

import heapq
import sys
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from rarlib.cost.goodput.assigned import assign_applications
from rarlib.cost.named import make_cost_model
from rarlib.cost.trace import TraceCost
from rarlib.declared import scheduler_names
from rarlib.discovery import make_scheduler
from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError
from rarlib.model.jobs import Jobs
from rarlib.model.project import ROOT
from rarlib.model.seeds import stream
from rarlib.plot.style import MUTED, digests, look, save, use_style
from rarlib.simulator.engine import simulate

RECORD, PICTURE = Path(__file__).with_suffix(".csv"), ROOT / "docs" / "growth.svg"
CLUSTER, FEWEST, MOST, ENOUGH_S = "16x4", 25, 800_000, 8.0
_DASHES = {"FIFO in NumPy": ":", "FIFO in SimPy": "--"}
Runner = Callable[[Jobs], object]


def like_philly(jobs: int) -> Jobs:
    """Mostly single GPUs, heavy-tailed durations (median 12 min, 99 % below 3 days), Poisson arrivals, load 0.8."""
    rng = stream(0, "bench", jobs)
    gpus = rng.choice((1, 2, 4, 8, 16, 32), jobs, p=(0.82, 0.06, 0.05, 0.05, 0.015, 0.005))
    duration = np.minimum(np.round(rng.lognormal(np.log(720.0), 2.6, jobs)), 30 * 86400.0)
    span = (gpus * duration).sum() / (0.8 * Cluster.parse(CLUSTER).total_gpus)
    submit = np.round(np.sort(rng.uniform(0.0, span, jobs)))
    return Jobs.build(submit_s=submit, gpus=gpus, duration_s=duration)


def play(name: str) -> Runner:
    """Runs of a scheduler."""
    machines = Cluster.parse(CLUSTER)

    def runner(jobs: Jobs) -> object:
        try:
            return simulate(jobs, machines, make_scheduler(name, {}), TraceCost())
        except InputError:
            typed = Cluster.parse(f"t4:{CLUSTER}")
            trained, cost, _ = assign_applications(jobs, typed, make_cost_model("goodput", ""), 0)
            return simulate(trained, typed, make_scheduler(name, {}), cost)

    return runner


def in_numpy(jobs: Jobs) -> object:
    """FIFO that counts free GPUs."""
    free, now, ends = Cluster.parse(CLUSTER).total_gpus, 0.0, list[tuple[float, int]]()
    finish = np.empty(len(jobs))
    for job in range(len(jobs)):
        now = max(now, jobs.submit_s[job])
        while ends and (ends[0][0] <= now or free < jobs.gpus[job]):
            ended, gpus = heapq.heappop(ends)
            now, free = max(now, ended), free + gpus
        free -= jobs.gpus[job]
        finish[job] = now + jobs.duration_s[job]
        heapq.heappush(ends, (finish[job], jobs.gpus[job]))
    return finish


def in_simpy(jobs: Jobs) -> object:
    """FIFO as processes that take GPUs out of a container, one after another."""
    import simpy  # noqa: PLC0415 - optional

    env = simpy.Environment()
    gpus = simpy.Container(env, init=Cluster.parse(CLUSTER).total_gpus)

    def job(submit_s: float, size: int, duration_s: float) -> Iterator[object]:
        yield env.timeout(submit_s)
        yield gpus.get(size)
        yield env.timeout(duration_s)
        yield gpus.put(size)

    for row in zip(jobs.submit_s.tolist(), jobs.gpus.tolist(), jobs.duration_s.tolist(), strict=True):
        env.process(job(*row))
    env.run()
    return env.now


def growth(runner: Runner) -> Iterator[tuple[int, float]]:
    """Numbers of jobs, and CPU seconds that a run of them takes."""
    runner(like_philly(FEWEST))  # loads and compiles
    jobs, taken = FEWEST, 0.0
    while taken < ENOUGH_S and jobs <= MOST:
        table = like_philly(jobs)
        begin = time.process_time()
        runner(table)
        taken = time.process_time() - begin
        yield jobs, taken
        jobs *= 2


def measure() -> pd.DataFrame:
    """CPU seconds by scheduler, or name of a rival, and number of jobs."""
    runners = {"FIFO in NumPy": in_numpy} | ({"FIFO in SimPy": in_simpy} if find_spec("simpy") else {})
    rows = []
    for name, runner in ({name: play(name) for name in scheduler_names() if name != "best-known"} | runners).items():
        try:
            for jobs, seconds in growth(runner):
                rows.append((name, jobs, round(seconds, 4)))
                print(*rows[-1], flush=True)  # noqa: T201
        except InputError as error:
            print(f"{name}: {error}", flush=True)  # noqa: T201
    return pd.DataFrame(rows, columns=["scheduler", "jobs", "cpu_s"])


def draw(record: pd.DataFrame) -> None:
    """Lines with their exponents, the slowest first."""
    use_style()
    figure, ax = plt.subplots(figsize=(8.4, 6.2))
    slowness = {}
    for name, rows in record.groupby("scheduler"):
        last = np.log(rows[["jobs", "cpu_s"]].tail(3).clip(1e-4))
        slope = np.polyfit(last["jobs"], last["cpu_s"], 1)[0]
        own = str(name) in scheduler_names()
        shown = look(str(name))
        drawn = (
            {"color": shown.colour, "marker": shown.marker} if own else {"color": MUTED, "lw": 2.6, "ls": _DASHES[name]}
        )
        (line,) = ax.plot(rows["jobs"], rows["cpu_s"], label=f"{shown.label if own else name}  {slope:.1f}", **drawn)
        slowness[line] = np.interp(1000, rows["jobs"], rows["cpu_s"])
    ax.set(xscale="log", yscale="log", xlabel="jobs", ylabel="CPU seconds of a run")
    slowest_first = sorted(slowness, key=lambda line: -slowness[line])
    ax.legend(handles=slowest_first, title="exponent of time in jobs", fontsize=8, ncols=1, bbox_to_anchor=(1.0, 1.0))
    save(figure, PICTURE, PICTURE.with_suffix(".png"), {"title": "Growth of run time", "tables": digests([RECORD])})
    PICTURE.with_suffix(".png").unlink()


if __name__ == "__main__":
    if "--draw" not in sys.argv[1:]:
        measure().to_csv(RECORD, index=False, lineterminator="\n")
    draw(pd.read_csv(RECORD))
