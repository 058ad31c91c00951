"""Score a policy in a file: a first look, then every setting seed by seed until the budget of time is spent.

Ratios to baselines are paired, since all have the same jobs; intervals are those of `rarlib.comparison.statistics`.
"""

import json
import math
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from rarlib.bounds.lower_bounds import MEAN_JCT, largest_bound, lower_bounds
from rarlib.comparison.statistics import compare_schedulers
from rarlib.discovery import make_scheduler
from rarlib.evaluation.workloads import EVALUATION_SETTINGS, Drawn
from rarlib.model import limits
from rarlib.model.errors import InputError
from rarlib.model.inputs import file_text
from rarlib.simulator.engine import simulate

POLICY_BASELINES = ("fifo", "fifo-backfill", "sjf", "las", "srtf")
"""Schedulers that a policy is compared with."""
_START_S = 120.0
"""Longest time in which the policy's process may start and take the first look."""
_BOUND, _POLICY = "bound", "policy"


@dataclass(frozen=True)
class Evaluation:
    """What an evaluation found.

    Attributes:
        failure: why the policy failed, in words; empty if it did not.
        seeds: seeds that every setting was run with; 0: it did not get beyond the first look.
        first_look_s: seconds that the first look took.
        score: geometric mean of the proven bound over the mean JCT, at most 1; nan without seeds.
        settings: one row for each setting: setting, mean_jct_s (geometric mean over seeds), over_bound (mean JCT over
            the bound), and a column for each baseline: mean JCT of the policy over that of the baseline.
        baselines: one row for each baseline: baseline, ratio (mean JCT of the policy over that of the baseline, all
            settings), low, high (95 % interval; nan with a single seed), distinguishable.
    """

    failure: str
    seeds: int
    first_look_s: float
    score: float
    settings: pd.DataFrame
    baselines: pd.DataFrame


def evaluate(path: str | Path, *, budget_s: float = 60.0, seeds: int = 8) -> Evaluation:
    """Evaluate the scheduler that a Python file defines.

    It runs in a process of its own with limits of time and memory. That keeps mistakes away from the result, not
    malice: code that is not trusted belongs in a container.

    Args:
        path: the file; it defines one class with a method `decide`, as docs/add-a-scheduler.md says.
        budget_s: seconds for the runs of the policy after the first look, above 0.
        seeds: most seeds of each setting; the same seeds give the same numbers if the budget allows for them.

    Raises:
        InputError: for a file that cannot be read, or options out of range.
    """
    file_text(Path(path), limits.POLICY_BYTES)
    if not (budget_s > 0 and math.isfinite(budget_s)):
        raise InputError(f"must be a number of seconds above 0, found {budget_s}", file="--budget")
    if seeds < 1:
        raise InputError(f"must be at least 1, found {seeds}", file="--seeds")
    found, ended = _runs(Path(path), budget_s, seeds)
    good = [run for run in found[1:] if not isinstance(run[2], str)]
    complete, at = len(good) // len(EVALUATION_SETTINGS), EVALUATION_SETTINGS[len(good) % len(EVALUATION_SETTINGS)].name
    looked = bool(found) and not isinstance(found[0][2], str)
    why = str(found[-1][2]) if found and isinstance(found[-1][2], str) else ended
    if looked and why:
        failure = f"setting {at!r}, seed {complete + 1}: {why}"
    elif looked:
        failure = "" if complete else f"too slow: setting {at!r}: the budget of {budget_s:g} s was over"
    else:
        failure = f"first look: {why or 'its time was over'}"
    took = float(found[0][3]) if found else 0.0
    rows = [(name, seed, _POLICY, value) for name, seed, value, _ in good if seed <= complete]
    for setting in EVALUATION_SETTINGS:
        for seed in range(1, complete + 1):
            rows += [(setting.name, seed, *each) for each in _references(setting.draw(seed), seed)]
    return _evaluation(failure, complete, took, rows)


def _runs(path: Path, budget_s: float, seeds: int) -> tuple[list[list[Any]], str]:
    """What the policy's process has noted, and how it ended if not by itself or by its limit of time."""
    with tempfile.TemporaryDirectory(prefix="rarlib-evaluate-") as folder:
        out = Path(folder) / "runs"
        words = [path, out, budget_s, seeds, *(each.name for each in EVALUATION_SETTINGS)]
        child = [sys.executable, "-m", "rarlib.evaluation.child", *map(str, words)]
        quiet: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
        try:
            code = subprocess.run(child, check=False, timeout=min(budget_s, 1e6) + _START_S, **quiet).returncode
        except subprocess.TimeoutExpired:
            code = -signal.SIGXCPU
        ended = f"it ended itself (exit code {code})" if code > 0 else ""
        if code < 0 and code != -signal.SIGXCPU:
            ended = f"it crashed ({signal.Signals(-code).name})"
        lines = out.read_text(encoding="utf-8").splitlines() if out.is_file() else []
    return [json.loads(line) for line in lines], ended


def _references(drawn: Drawn, seed: int) -> list[tuple[str, float]]:
    """Mean JCT of every baseline, and the bound."""
    made = [make_scheduler(name) for name in POLICY_BASELINES]
    runs = [simulate(drawn.jobs, drawn.cluster, each, drawn.cost, seed=seed) for each in made]
    bounds = lower_bounds(drawn.jobs, drawn.cluster, drawn.cost.price(drawn.jobs, drawn.cluster), effort=0)
    means = [float(run.turnaround_s.mean()) for run in runs]
    return [*zip(POLICY_BASELINES, means, strict=True), (_BOUND, largest_bound(bounds, MEAN_JCT).value_s)]


def _evaluation(failure: str, seeds: int, took: float, rows: Iterable[tuple[Any, ...]]) -> Evaluation:
    frame = pd.DataFrame(rows, columns=["setup", "seed", "scheduler", "value"])
    frame = frame[frame["seed"] <= seeds].assign(experiment="", reading="", x_name="", x="", metric=MEAN_JCT)
    baselines = pd.DataFrame(columns=["baseline", "ratio", "low", "high", "distinguishable"])
    if frame.empty:
        settings = pd.DataFrame(columns=["setting", "mean_jct_s", "over_bound", *POLICY_BASELINES])
        return Evaluation(failure, 0, took, math.nan, settings, baselines)
    frame = frame.assign(log=np.log(frame["value"]))
    logs = frame.pivot_table(index=["setup", "seed"], columns="scheduler", values="log", sort=False)
    by_setting = logs.groupby("setup", sort=False).mean()
    settings = pd.DataFrame(
        {"setting": by_setting.index, "mean_jct_s": np.exp(by_setting[_POLICY].to_numpy())}
        | {"over_bound": np.exp((by_setting[_POLICY] - by_setting[_BOUND]).to_numpy())}
        | {name: np.exp((by_setting[_POLICY] - by_setting[name]).to_numpy()) for name in POLICY_BASELINES}
    )
    compared = compare_schedulers(frame, MEAN_JCT, by=("experiment",), strata=True)
    mine = compared[(compared["scheduler"] == _POLICY) & compared["rival"].isin(POLICY_BASELINES)]
    baselines = mine.rename(columns={"rival": "baseline"})[list(baselines.columns)].reset_index(drop=True)
    if seeds == 1:  # windows of different settings are no sample of anything
        baselines = baselines.assign(low=math.nan, high=math.nan, distinguishable=False)
    score = float(np.exp((by_setting[_BOUND] - by_setting[_POLICY]).mean()))
    return Evaluation(failure, seeds, took, score, settings, baselines)
