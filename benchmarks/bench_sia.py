"""How fast Sia decides.

    python -m pytest benchmarks/bench_sia.py --benchmark-only
    python benchmarks/bench_sia.py            # the curve over GPUs: sia.csv, docs/sia.svg; a whole run, beside CP-SAT's
    python benchmarks/bench_sia.py --draw     # draws from the record

Rounds are those of a run: the 160 jobs of `sia-saturn-6`, each k times at the same instant, on k times 64 GPUs of three
types (the paper's scaling experiment). Above 256 GPUs rounds of the run on 256 stand side by side, so that not all jobs
are clones. What is timed is the decision alone, from the matrix of costs to the columns chosen; estimates of goodput
are the cost model's. Stated limits: at 64 GPUs 2 ms in the median, at 2,048 GPUs 25 ms in the
median, and a proven gap of 1e-4.
"""

import contextlib
import sys
import time
from collections.abc import Callable
from dataclasses import fields
from functools import cache
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from rarlib.cost.goodput.goodput import GoodputCost
from rarlib.ilp.sia.decide import Decider, RoundDecision
from rarlib.ilp.sia.exact import exact
from rarlib.ilp.sia.problem import RoundProblem
from rarlib.model.cluster import Cluster
from rarlib.model.errors import DecisionError
from rarlib.model.jobs import Jobs
from rarlib.plot.style import MUTED, digests, look, save, use_style
from rarlib.schedulers import sia
from rarlib.simulator.engine import Conventions, simulate
from rarlib.traces.load import load_trace

HERE = Path(__file__).parent
RECORD, PICTURE = HERE / "sia.csv", HERE.parent / "docs" / "sia.svg"
PUBLISHED = HERE.parent / "data" / "published.csv"
GPUS = (64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384)
LARGEST_RUN = 256
ROUNDS = 24
CP_SAT_UP_TO = 1024
RULES = {"quantum": 60.0, "conventions": Conventions(origin_s=22.0, tick_s=1.0, free_moves=True)}


class _EnoughError(DecisionError):
    """The rounds wanted have been decided (the simulator passes such an error on as it is)."""


class Recorder(Decider):
    """Decides as ever, by `answer` if given, and keeps problems, decisions and times."""

    def __init__(
        self, rounds: int | None = None, answer: Callable[[RoundProblem], RoundDecision] | None = None
    ) -> None:
        super().__init__()
        self.problems: list[RoundProblem] = []
        self.decisions: list[RoundDecision] = []
        self.seconds: list[float] = []
        self._rounds, self._answer = rounds, answer or super().decide

    def decide(self, problem: RoundProblem, *, effort: float = 1.0) -> RoundDecision:
        begin = time.perf_counter()
        self.decisions.append(self._answer(problem))
        self.seconds.append(time.perf_counter() - begin)
        self.problems.append(problem)
        if len(self.problems) == self._rounds:
            raise _EnoughError
        return self.decisions[-1]


def cloned(times: int) -> Jobs:
    """The jobs of the workload, each several times."""
    jobs = load_trace("sia-saturn-6").jobs
    columns = {f.name: np.repeat(getattr(jobs, f.name), times) for f in fields(jobs)}
    columns["job_id"] = np.array([f"{name}-{at}" for name in jobs.job_id for at in range(times)], dtype=object)
    return Jobs.build(**columns)


def run(times: int, recorder: Recorder) -> None:
    """Sia on so many times 64 GPUs, until the recorder has enough."""
    scheduler = sia.Sia()
    scheduler._decider = recorder
    cluster = Cluster.parse(f"t4:{6 * times}x4,rtx:{3 * times}x8,a100:{2 * times}x8")
    with contextlib.suppress(_EnoughError):
        simulate(cloned(times), cluster, scheduler, GoodputCost(), **RULES)


@cache
def recorded(gpus: int) -> tuple[RoundProblem, ...]:
    """The rounds of the first four hours."""
    recorder = Recorder(rounds=240)
    run(gpus // 64, recorder)
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


@pytest.mark.parametrize("gpus", [64, 2048])
def test_decide(benchmark, gpus):
    decider, problems = Decider(), rounds(gpus)
    benchmark.group = f"{ROUNDS} decisions on {gpus} GPUs"
    found = benchmark.pedantic(lambda: [decider.decide(p) for p in problems], rounds=3, warmup_rounds=1)
    benchmark.extra_info["worst gap"] = max(decision.gap for decision in found)


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


def whole_run() -> str:
    """The workload itself, all rounds: decisions as they are, and by CP-SAT; how often the relaxation was enough."""

    def by_cp_sat(problem: RoundProblem) -> RoundDecision:
        found = exact(problem)
        return RoundDecision(found.column, found.value, found.bound, False, "exact", np.nan)

    lines = []
    for name, answer in (("here", None), ("CP-SAT", by_cp_sat)):
        run(1, Recorder(rounds=3, answer=answer))
        recorder = Recorder(answer=answer)
        begin = time.perf_counter()
        run(1, recorder)
        total, seconds = time.perf_counter() - begin, np.array(recorder.seconds)
        tight = np.mean([d.value - d.relaxed < 0.05 for d in recorder.decisions])
        lines.append(
            f"{name:<8}{len(seconds)} rounds, run {total:.2f} s, decisions {seconds.sum():.2f} s, median"
            f" {1e3 * np.median(seconds):.3f} ms, relaxation integral in {tight:.0%}"
        )
    return "\n".join(lines)


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
        print(whole_run())  # noqa: T201
    draw(pd.read_csv(RECORD))


if __name__ == "__main__":
    main()
