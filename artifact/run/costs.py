"""Costs of the commands: measured by the pipeline job by job, and scaled from the measured machine to another one.

`tools/costs.py` writes the records, benchmarks/costs.csv.
"""

import re
import time
from math import ceil
from pathlib import Path

import numpy as np
import pandas as pd

from artifact.run.jobs import ENDED

COST_COLUMNS = ["command", "rule", "job", "value", "unit"]
COMMANDS = {"reproduce": "results", "smoke": "results/smoke"}
"""The commands that are measured, and their results folders."""
_ENDED = re.compile(rf"^{ENDED}: (\S+) s, ", re.MULTILINE)
_COSTS = re.compile(r"(\S+) CPU s, (\S+) MB$", re.MULTILINE)
PROBE = "probe"
"""The row with the time of a fixed computation, by which machines are compared."""


def probe_s() -> float:
    """Seconds this machine takes for a fixed piece of Python, best of three."""
    best = float("inf")
    for _ in range(3):
        start = time.perf_counter()
        sum(i * i % 7 for i in range(400_000))
        best = min(best, time.perf_counter() - start)
    return best


def read_costs(path: Path) -> pd.DataFrame:
    """The records that `tools/costs.py` wrote."""
    return pd.read_csv(path, keep_default_na=False)


def measured_costs(results: Path) -> pd.DataFrame:
    """Seconds (`s`, `cpu_s`) and peak memory (`MB`) of every job of the last run in a folder, by `rule` and `job`."""
    rows = []
    for path in sorted((results / "logs").rglob("*.log")):
        text = path.read_text(encoding="utf-8", errors="replace")
        if wall := _ENDED.search(text):
            cpu_s, mb = np.array(_COSTS.findall(text), float).T
            rows.append((*job_of(path.relative_to(results / "logs")), float(wall[1]), mb.max(), cpu_s.sum()))
    return pd.DataFrame(rows, columns=["rule", "job", "s", "MB", "cpu_s"])


def job_of(log: Path) -> tuple[str, str]:
    """Rule of a job and its name within the rule, by the path of its log in the folder of logs."""
    rule, *job = log.with_suffix("").parts
    return rule, "/".join(job)


def predicted_wall_s(records: pd.DataFrame, command: str, cores: int, probe: float) -> float:
    """Predicted wall time of a full run in seconds: a lower bound for any order of its jobs on the given cores."""
    jobs = records[(records["command"] == command) & (records["unit"] == "s")]["value"]
    return float(max(jobs.sum() / cores, jobs.max())) * probe / recorded_probe_s(records)


def minutes(records: pd.DataFrame, command: str, cores: int = 2, probe: float | None = None) -> int:
    """Predicted wall time in whole minutes: the one estimate that README, Makefile and `rarlib doctor` give."""
    known = recorded_probe_s(records) if probe is None else probe
    return ceil(predicted_wall_s(records, command, cores, known) / 60)


def recorded_probe_s(records: pd.DataFrame) -> float:
    """`probe_s()` of the machine that was measured."""
    return float(records[(records["rule"] == PROBE) & (records["unit"] == "s")]["value"].iloc[0])
