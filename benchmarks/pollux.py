"""What Pollux loses by ending searches early, and what that saves (rarlib/schedulers/pollux.py).

    python benchmarks/pollux.py            # runs what pollux.csv lacks (25 minutes of a core), then prints the table
    python benchmarks/pollux.py --print    # prints it from the record

A search of the authors always has 100 generations. In a run with such searches, each is also ended early: both have the
same random numbers, so fitness and time are compared one by one. A second run goes on with what the early ends give.
Workload files are those of the pipeline, on 64 GPUs of three types.
"""

import sys
import time
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from artifact.papers.sia.inputs import Inputs
from rarlib.presets.sia import Case, simulate_case
from rarlib.schedulers import pollux
from rarlib.schedulers.pollux_parts.nsga2 import search

RECORD = Path(__file__).with_suffix(".csv")
INPUTS = Path(__file__).parent.parent / "results" / "data" / "sia.json"
FILES = [("philly", 2), ("philly", 6), ("helios", 2), ("helios", 6), ("newtrace", 6), ("rate-30", 6), ("rate-50", 6)]
RUNS = range(1, 5)
"""Of each file; run 0 is that of the evaluation."""
WHOLE = {"generations": 100, "patience": 100}


def one_run(case: Case, inputs: Inputs) -> dict[str, float]:
    """Means and distributions of a run with whole searches, and the mean completion time with early ends."""
    searches: list[tuple[float, float, float]] = []

    def both(problem: Any, start: Any, rng: Any, **settings: Any) -> Any:
        again, begin = deepcopy(rng), time.process_time()
        early = search(problem, start, again, **settings | {"patience": pollux.Pollux.patience})
        middle = time.process_time()
        whole = search(problem, start, rng, **settings)
        end = time.process_time()
        searches.append((1.0 - early.fitness / whole.fitness, middle - begin, end - middle))
        return whole

    pollux.search = both
    try:
        whole = simulate_case(case._replace(params=WHOLE), inputs.profiles)
    finally:
        pollux.search = search
    early = simulate_case(case, inputs.profiles)
    lost, early_s, whole_s = np.array(searches).T
    return {
        "searches": len(lost), "equal": np.mean(lost <= 0.0), "lost_median": np.median(lost),
        "lost_p95": np.quantile(lost, 0.95), "lost_worst": lost.max(),
        "early_ms": 1000.0 * early_s.mean(), "whole_ms": 1000.0 * whole_s.mean(),
        "early_jct_h": early.turnaround_s.mean() / 3600.0, "whole_jct_h": whole.turnaround_s.mean() / 3600.0,
    }  # fmt: skip


def main() -> None:
    """Run and print."""
    rows = pd.read_csv(RECORD).to_dict("records") if RECORD.exists() else []
    done = {(row["family"], row["file"], row["run"]) for row in rows}
    todo = [(*of, run) for run in RUNS for of in FILES if (*of, run) not in done and "--print" not in sys.argv]
    inputs = Inputs.read(INPUTS) if todo else None
    for family, file, run in todo:
        case = Case(inputs.jobs(family, file, None), "heterogeneous", "pollux", {}, 60.0, run)
        rows.append({"family": family, "file": file, "run": run, **one_run(case, inputs)})
        print(*rows[-1].values())  # noqa: T201
        pd.DataFrame(rows).round(6).to_csv(RECORD, index=False)
    frame = pd.DataFrame(rows)
    ratio = np.log(frame["early_jct_h"] / frame["whole_jct_h"])
    print(frame.drop(columns="run").groupby(["family", "file"]).mean().round(4).to_string())  # noqa: T201
    half = 1.96 * ratio.std() / np.sqrt(len(ratio))
    print(f"completion time, early over whole: {np.exp(ratio.mean()):.3f} x/ {np.exp(half):.3f}")  # noqa: T201


if __name__ == "__main__":
    main()
