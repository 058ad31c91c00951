"""Costs of the commands: measured by the pipeline job by job, and scaled from the measured machine to another one.

`tools/costs.py` writes the records, benchmarks/costs.csv.
"""

import time
from pathlib import Path

import pandas as pd

COST_COLUMNS = ["command", "rule", "job", "value", "unit"]
COMMANDS = {"reproduce": "results", "smoke": "results/smoke"}
"""The commands that are measured, and their results folders."""
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


def measured(results: Path) -> pd.DataFrame:
    """Seconds (`s`) and peak memory (`MB`) of every job of the last run in a results folder, by `rule` and `job`."""
    rows = []
    for path in sorted((results / "benchmarks").rglob("*.tsv")):
        rule, *job = path.relative_to(results / "benchmarks").with_suffix("").parts
        last = pd.read_csv(path, sep="\t", na_values=["-"]).iloc[-1]
        rows.append((rule, "/".join(job), float(last["s"]), float(last["max_rss"])))
    return pd.DataFrame(rows, columns=["rule", "job", "s", "MB"])


def predicted_wall_s(records: pd.DataFrame, command: str, cores: int, probe: float) -> float:
    """Predicted wall time of a full run in seconds: a lower bound for any order of its jobs on the given cores.

    Args:
        records: as in `benchmarks/costs.csv`.
        command: `reproduce` or `smoke`.
        cores: number of cores.
        probe: `probe_s()` of the machine.
    """
    jobs = records[(records["command"] == command) & (records["unit"] == "s")]["value"]
    return float(max(jobs.sum() / cores, jobs.max())) * scale(records, probe)


def scale(records: pd.DataFrame, probe: float) -> float:
    """Seconds that a machine with the given `probe_s()` takes for one second of the machine that was measured."""
    return probe / float(records[records["rule"] == PROBE]["value"].iloc[0])
