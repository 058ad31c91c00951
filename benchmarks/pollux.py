"""What Pollux loses by ending searches early, and what that saves: pollux.csv (half an hour of a core).

    python benchmarks/pollux.py    # after `make reproduce` with recorded data, whose workload files it reads

A search of the authors always has 100 generations. In a run with such searches, each is also ended early: both have the
same random numbers, so fitness and time are compared one by one. A second run goes on with what the early ends give.
Runs are on 64 GPUs of three types; run 0 of each file is that of the evaluation, and is left out.
"""

import time
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from artifact.papers.sia.inputs import Inputs
from rarlib.model.project import ROOT
from rarlib.presets.sia import Case, simulate_case
from rarlib.schedulers import pollux
from rarlib.schedulers.pollux_parts.nsga2 import search

FILES = [("philly", 2), ("philly", 6), ("helios", 2), ("helios", 6), ("newtrace", 6), ("rate-30", 6), ("rate-50", 6)]
RUNS = range(1, 5)


def compared(case: Case, inputs: Inputs) -> dict[str, float]:
    """Searches of a run, what early ends lose of their fitness, and times; mean completion times of both runs."""
    searches: list[tuple[float, float, float]] = []

    def both(problem: Any, start: Any, rng: Any, **settings: Any) -> Any:
        again, begin = deepcopy(rng), time.process_time()
        early = search(problem, start, again, **settings | {"patience": pollux.Pollux.patience})
        middle = time.process_time()
        whole = search(problem, start, rng, **settings)
        searches.append((1.0 - early.fitness / whole.fitness, middle - begin, time.process_time() - middle))
        return whole

    early = simulate_case(case, inputs.profiles)
    pollux.search = both
    whole = simulate_case(case._replace(params={"patience": 100}), inputs.profiles)
    pollux.search = search
    lost, early_s, whole_s = np.array(searches).T
    return {
        "searches": len(lost), "equal": np.mean(lost <= 0.0),
        "lost_p95": np.quantile(lost, 0.95), "lost_worst": lost.max(),
        "early_ms": 1000.0 * early_s.mean(), "whole_ms": 1000.0 * whole_s.mean(),
        "early_jct_h": early.turnaround_s.mean() / 3600.0, "whole_jct_h": whole.turnaround_s.mean() / 3600.0,
    }  # fmt: skip


if __name__ == "__main__":
    inputs, rows = Inputs.read(ROOT / "results/data/sia.json"), []
    for family, file in FILES:
        for run in RUNS:
            case = Case(inputs.jobs(family, file, None), "heterogeneous", "pollux", {}, 60.0, run)
            rows.append({"family": family, "file": file, "run": run, **compared(case, inputs)})
    frame = pd.DataFrame(rows).round(6)
    frame.to_csv(Path(__file__).with_suffix(".csv"), index=False)
    print(frame.groupby(["family", "file"]).mean().to_string())  # noqa: T201
