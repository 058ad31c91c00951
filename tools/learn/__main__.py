"""Trains agents and compares them with FIFO and SRTF: results/expected/learned.csv (`make learn`).

python -m tools.learn [--seeds 5] [--steps 10240] [--draws 50] [--out results/expected/learned.csv]

The ratio of a row is the geometric mean, over held-out draws, of the agent's mean JCT over the baseline's on the same
jobs; below 1 the agent is better. `low` and `high` bound it with 95 % (Student's t on the logarithms).
"""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rarlib.model.files import write_text
from rarlib.model.project import ROOT
from rarlib.workflow.paper.summary import mean_interval
from tools.learn.train import BASELINES, jct_of_agent, jct_of_baseline, trained

TABLE = ROOT / "results" / "expected" / "learned.csv"


def row_of(
    seed: int, steps: int, name: str, agent: NDArray[np.float64], other: NDArray[np.float64]
) -> dict[str, object]:
    """A row of the table from mean JCTs in seconds on the same draws."""
    ratios = np.log(agent / other)
    low, high = mean_interval(float(ratios.mean()), float(ratios.std(ddof=1)), len(ratios))
    ends = {"ratio": np.exp(ratios.mean()), "low": np.exp(low), "high": np.exp(high)}
    means = {"agent_jct_s": agent.mean(), "baseline_jct_s": other.mean()}
    shown = {key: round(float(value), 4) for key, value in ends.items()}
    return {"seed": seed, "steps": steps, "baseline": name, "draws": len(ratios), **shown} | {
        key: round(float(value), 1) for key, value in means.items()
    }


def main() -> None:
    """Train, compare, write."""
    parser = argparse.ArgumentParser(description="Train small agents and compare them with FIFO and SRTF.")
    parser.add_argument("--seeds", type=int, default=5, help="how many agents")
    parser.add_argument("--steps", type=int, default=10_240, help="steps of training of each")
    parser.add_argument("--draws", type=int, default=50, help="held-out draws")
    parser.add_argument("--out", type=Path, default=TABLE, help="the table")
    given = parser.parse_args()
    others = {name: jct_of_baseline(name, given.draws) for name in BASELINES}
    rows = []
    for seed in range(1, given.seeds + 1):
        for steps in (0, given.steps):
            found = jct_of_agent(trained(seed, steps), given.draws)
            rows += [row_of(seed, steps, name, found, other) for name, other in others.items()]
            print(*(f"{row['seed']} {row['steps']} {row['baseline']} {row['ratio']}" for row in rows[-2:]), sep="\n")
    write_text(given.out, pd.DataFrame(rows).to_csv(index=False))


if __name__ == "__main__":
    main()
