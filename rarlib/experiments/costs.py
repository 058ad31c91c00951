"""What a reproduction costs: measured per job by the pipeline, recorded, and scaled to another machine.

`python -m rarlib.experiments.costs results benchmarks/reproduce.csv` records the last run.
"""

import sys
import time
from pathlib import Path

import pandas as pd

from rarlib.experiments.tidy import write_text
from rarlib.model.errors import InputError

PROBE = "probe"
"""The row that holds the time of a fixed computation, by which machines are compared."""


def probe_s() -> float:
    """Seconds this machine takes for a fixed piece of Python, best of three."""
    best = float("inf")
    for _ in range(3):
        start = time.perf_counter()
        sum(i * i % 7 for i in range(400_000))
        best = min(best, time.perf_counter() - start)
    return best


def collect(results: Path) -> pd.DataFrame:
    """Seconds of every job of the last run: columns rule, job, seconds, the longest first; the probe last.

    Raises:
        InputError: when the folder holds no benchmark records.
    """
    rows: list[tuple[str, str, float]] = []
    for path in sorted((results / "benchmarks").rglob("*.tsv")):
        parts = path.relative_to(results / "benchmarks").with_suffix("").parts
        rows.append((parts[0], "/".join(parts[1:]), float(pd.read_csv(path, sep="\t")["s"].iloc[-1])))
    if not rows:
        raise InputError("no benchmark records here; make them with `make reproduce`", file=results)
    rows.sort(key=lambda row: -row[2])
    return pd.DataFrame([*rows, (PROBE, "", probe_s())], columns=["rule", "job", "seconds"])


def predict_s(records: pd.DataFrame, cores: int, probe: float) -> float:
    """Predicted wall time of a full run, seconds: a lower bound of any schedule of these jobs on that many cores.

    Args:
        records: as `collect` gives them.
        cores: cores to use.
        probe: `probe_s()` of the machine.
    """
    jobs = records[records["rule"] != PROBE]["seconds"]
    recorded = float(records[records["rule"] == PROBE]["seconds"].iloc[0])
    return float(max(jobs.sum() / cores, jobs.max())) * probe / recorded


def main() -> None:
    """Record the last run."""
    results, target = map(Path, sys.argv[1:])
    write_text(target, collect(results).to_csv(index=False, lineterminator="\n", float_format="%.3f"))


if __name__ == "__main__":
    main()
