"""A trace under policies: our schedulers on its durations, in rounds as stated or as fitted to other runs.

No cost of restarts, no growing batch: a job needs the seconds that the trace says, wherever it runs. Shockwave solves a
program in most rounds, which takes half a minute for a run; what came out is kept in `STORED`, which
`benchmarks/measured_slow.py` writes.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from artifact.machines.shockwave import RUN_HERE, STATED_ROUND_S, ShockwaveRuns
from rarlib.cost.trace import TraceCost
from rarlib.discovery import make_scheduler
from rarlib.model.cluster import Cluster
from rarlib.model.project import ROOT
from rarlib.records.columns import read_columns
from rarlib.simulator.engine import simulate

_NODES = "8x4"
STORED = "results/expected/measured-slow.csv"
"""Predictions that take long: predictor, row, seconds predicted."""

STORED_COLUMNS: dict[str, type] = {"predictor": str, "row": str, "predicted": float}

POLICIES_RUN: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "max_min_fairness": ("gavel", {"policy": "max-min-fairness"}),
    "finish_time_fairness": ("gavel", {"policy": "finish-time-fairness"}),
    "max_sum_throughput_perf": ("gavel", {"policy": "max-sum-throughput"}),
}
"""Policy of the source -> scheduler and parameters; `themis` is `gavel` with finish-time fairness."""

BY_WORK: Mapping[str, Any] = {"rounds": 20, "lam": 12.0, "rhomax": 1.0, "k": 1e-3, "fair": "work"}
"""Parameters of the authors' configuration, in the form of the authors' code."""

SLOW_RUNS = {"run-long-rounds": True, "run-durations": False}
"""Predictor -> whether rounds are as long as fitted."""


OTHER_RUNS = "the length of a round: runs under other policies"


def fitted_round_s(source: ShockwaveRuns, *, without: str) -> float:
    """Seconds of a round, if jobs end in the middle of the last round that they ran in.

    It minimises the squared relative errors of the ends since the first arrival.
    """
    each = [
        (row.last_round + 0.5) / (row.completion_s + source.arrival_s[row.job])
        for row in source.job_ends
        if row.policy != without
    ]
    ratio = np.array(each)
    return float(ratio.sum() / (ratio**2).sum())


def policy_outcomes(
    source: ShockwaveRuns, policy: str, scheduler: str, params: Mapping[str, Any], *, fitted: bool
) -> dict[str, float]:
    """Mean completion and last end by row, seconds.

    `fitted`: whether a round does the work of 120 s in the seconds fitted to the runs of other policies.
    """
    length = fitted_round_s(source, without=policy) if fitted else STATED_ROUND_S
    made = make_scheduler(scheduler, {**params, "round_s": length})
    run = simulate(source.trace(length / STATED_ROUND_S), Cluster.parse(_NODES), made, TraceCost())
    name = RUN_HERE[policy]
    return {f"{name}/mean": float(run.turnaround_s.mean()), f"{name}/last": float(run.makespan_s)}


def stored_predictions(predictor: str) -> dict[str, float]:
    """Predictions of `STORED` by row."""
    table = read_columns(ROOT / STORED, STORED_COLUMNS)
    mine = table[table["predictor"] == predictor]
    return dict(zip(mine["row"], mine["predicted"].astype(float), strict=True))
