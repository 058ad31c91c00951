"""How fast Sia decides.

    python benchmarks/sia.py            # the curve over GPUs: sia.csv, docs/sia.svg
    python benchmarks/sia.py --draw     # draws from the record

Rounds are those of a run: the 160 jobs of `sia-saturn-6`, each k times at the same instant, on k times 64 GPUs of three
types (the paper's scaling experiment). Above 256 GPUs rounds of the run on 256 stand side by side, so that not all jobs
are clones. What is timed is the decision alone, from the matrix of costs to the columns chosen; estimates of goodput
are the cost model's.
"""

import sys
import time
from collections.abc import Callable
from dataclasses import fields
from functools import cache
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from rarlib.cost.goodput.goodput import GoodputCost
from rarlib.ilp.sia.decide import Decider, RoundDecision
from rarlib.ilp.sia.exact import exact
from rarlib.ilp.sia.problem import RoundProblem
from rarlib.model.cluster import Cluster
from rarlib.model.jobs import Jobs
from rarlib.plot.style import MUTED, digests, look, save, use_style
from rarlib.schedulers import sia
from rarlib.simulator.engine import Conventions, simulate
from rarlib.traces.load import load_trace

HERE = Path(__file__).parent
RECORD, PICTURE = HERE / "sia.csv", HERE.parent / "docs" / "sia.svg"
PUBLISHED = HERE.parent / "data" / "published.csv"
GPUS = (64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384)
LARGEST_RUN, HOURS = 256, 4
ROUNDS = 24
CP_SAT_UP_TO = 1024
RULES = {"quantum": 60.0, "conventions": Conventions(origin_s=22.0, tick_s=1.0, free_moves=True)}


class Recorder(Decider):
    """Decides as ever, and keeps the problems."""

    def __init__(self) -> None:
        super().__init__()
        self.problems: list[RoundProblem] = []

    def decide(self, problem: RoundProblem, *, effort: float = 0.1) -> RoundDecision:
        self.problems.append(problem)
        return super().decide(problem, effort=effort)


def cloned(times: int) -> Jobs:
    """The jobs of the workload, each several times."""
    jobs = load_trace("sia-saturn-6").jobs
    columns = {f.name: np.repeat(getattr(jobs, f.name), times) for f in fields(jobs)}
    columns["job_id"] = np.array([f"{name}-{at}" for name in jobs.job_id for at in range(times)], dtype=object)
    return Jobs.build(**columns)


@cache
def recorded(gpus: int) -> tuple[RoundProblem, ...]:
    """The rounds of the first hours on so many GPUs."""
    times, scheduler = gpus // 64, sia.Sia()
    scheduler._decider = recorder = Recorder()
    cluster = Cluster.parse(f"t4:{6 * times}x4,rtx:{3 * times}x8,a100:{2 * times}x8")
    simulate(cloned(times), cluster, scheduler, GoodputCost(), until_s=HOURS * 3600.0, **RULES)
    return tuple(recorder.problems)


def rounds(gpus: int) -> list[RoundProblem]:
    """Rounds on so many GPUs, from the last of the four hours backwards."""
    if gpus <= LARGEST_RUN:
        return list(recorded(gpus)[-1 : -10 * ROUNDS - 1 : -10])
    side, found = gpus // LARGEST_RUN, []
    for at in range(ROUNDS):
        parts = [recorded(LARGEST_RUN)[-1 - (10 * at + 7 * i) % 180] for i in range(side)]
        joined = (np.concatenate([getattr(part, name) for part in parts]) for name in ("cost", "gpus"))
        skip, current = (np.concatenate([getattr(part, name) for part in parts]) for name in ("skip", "current"))
        found.append(RoundProblem(*joined, parts[0].kind, side * parts[0].capacity, skip, current))
    return found


def timed(decide: Callable[[RoundProblem], object], problem: RoundProblem, repeat: int) -> float:
    """The best of some."""
    taken = []
    for _ in range(repeat):
        begin = time.perf_counter()
        decide(problem)
        taken.append(time.perf_counter() - begin)
    return min(taken)


def growth() -> pd.DataFrame:
    """By GPUs: jobs; seconds of decisions, median, worst, CP-SAT's median; the worst gap, the share proven optimal."""
    decider, rows = Decider(), []
    for gpus in GPUS:
        problems = rounds(gpus)
        found = [decider.decide(problem) for problem in problems]
        seconds = [timed(decider.decide, problem, 3) for problem in problems]
        reference = [timed(exact, p, 1) for p in problems] if gpus <= CP_SAT_UP_TO else [np.nan]
        gaps = np.array([decision.gap for decision in found])
        jobs = int(np.median([len(problem.skip) for problem in problems]))
        rows.append(
            (gpus, jobs, np.median(seconds), max(seconds), np.median(reference), gaps.max(), (gaps == 0.0).mean())
        )
        print(*rows[-1], sep="\t", flush=True)  # noqa: T201
    return pd.DataFrame(rows, columns=["gpus", "jobs", "median_s", "worst_s", "cp_sat_s", "worst_gap", "optimal"])


def draw(record: pd.DataFrame) -> None:
    """Seconds of a decision over GPUs, beside the published curve and CP-SAT."""
    use_style()
    figure, ax = plt.subplots(figsize=(6.4, 4.2))
    colour = look("sia").colour
    published = pd.read_csv(PUBLISHED)
    published = published[(published["where"] == "scaling figure") & (published["series"] == "Sia")]
    theirs = published["x"].str.removeprefix("gpus=").astype(int), published["value"].astype(float)
    ax.plot(*theirs, color=MUTED, marker="D", ls=":", label="published: all of the policy, authors' machine")
    ax.plot(record["gpus"], record["cp_sat_s"], color=MUTED, marker="s", ls="--", label="CP-SAT, median")
    ax.plot(record["gpus"], record["median_s"], color=colour, marker="o", label="here, median")
    band = record["gpus"], record["median_s"], record["worst_s"]
    ax.fill_between(*band, color=colour, alpha=0.2, label="here, up to the worst")
    ax.set(xlabel="GPUs", ylabel="seconds per decision", xscale="log", yscale="log", title="One decision of Sia")
    ax.set_xticks(list(record["gpus"]), [f"{gpus:,}" for gpus in record["gpus"]], rotation=30)
    ax.minorticks_off()
    ax.legend(fontsize=8.5)
    save(figure, PICTURE, PICTURE.with_suffix(".png"), {"title": "Cost of deciding", "tables": digests([RECORD])})
    PICTURE.with_suffix(".png").unlink()


def main() -> None:
    """Measure unless told to draw only."""
    if "--draw" not in sys.argv[1:]:
        growth().to_csv(RECORD, index=False, lineterminator="\n", float_format="%.6f")
    draw(pd.read_csv(RECORD))


if __name__ == "__main__":
    main()
