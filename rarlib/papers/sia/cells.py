"""Sia's evaluation (SOSP 2023, section 5): every run behind its tables and figures.

A cell is one policy in one table, over the available workload files; `seed` is the number of the file (of the paper's
ten files of each kind, four or five are available). Rows over all files together have seed 0.

| table | setup | x_name | x | reading | rows |
|---|---|---|---|---|---|
| table3 | philly, helios, newtrace | | | headline | metrics of Table 3, heterogeneous cluster |
| table4 | philly | | | headline | the same, homogeneous cluster |
| fig1 | philly | | | rigid | the same, heterogeneous cluster, all jobs rigid |
| rates | helios | rate | 10 to 50 jobs per hour | headline | metrics |
| p-sweep | helios | p | -1 to 1 | headline | metrics, and relative to the best p (seed 0) |
| rounds | helios | round_s | 30 to 300 s | headline | metrics |
| strong-scaling, rigid | philly | share | 0 to 100 % | headline | metrics, and relative to share 0 of the same file |
| bootstrap | helios | | | oracle, none, bootstrap, projection-paper | metrics |
| testbed | testbed | | | headline | metrics, 44 GPUs |
| fairness | helios | | | headline | metrics |
| fairness | helios | | | coded, paper | worst_rho, unfair_share (%), all files together |
| fairness | helios | job | job_id | coded, paper | rho of every job |
| hybrid | a100, rtx | gpus | up to 120 | headline | throughput (samples/s) and efficiency of a 2.8B GPT |
| hybrid | all | gpus | 120 | headline | linear: whether throughput grows linearly on both types |
| hybrid | over-time | time_h | hours | headline | gpus_a100, gpus_rtx: GPUs of the GPT from then on, among other jobs |

Metrics: avg_jct, median_jct, p99_jct, makespan (h), gpu_hours (GPU h per job), restarts (per job), contention_mean,
contention_max (jobs); over all files together p99_jct_pooled, contention_max_pooled; ratios end in _relative.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from rarlib.model.errors import InputError
from rarlib.papers.sia.fairness import fairness_rows
from rarlib.papers.sia.hybrid import hybrid_rows
from rarlib.papers.sia.inputs import Inputs
from rarlib.papers.sia.mixes import mixed
from rarlib.papers.sia.runs import ROUND_S, Case, measure, pooled, simulate_case
from rarlib.records.tidy import Row, tidy

RATES = (10, 20, 30, 40, 50)
POWERS = (-1.0, -0.5, 0.2, 0.5, 0.8, 1.0)
ROUNDS = (30, 60, 120, 180, 240, 300)
SHARES = {"strong-scaling": (0, 10, 20, 30, 50, 75, 100), "rigid": (0, 10, 25, 50, 75, 100)}
BOOTSTRAPS: dict[str, dict[str, Any]] = {
    "bootstrap": {"bootstrap": "bootstrap"},
    "projection-paper": {"bootstrap": "bootstrap", "projection": "paper"},
    "none": {"bootstrap": "none"},
    "oracle": {"bootstrap": "oracle"},
}
_FAMILIES = {"table3": ("philly", "helios", "newtrace"), "table4": ("philly",), "testbed": ("testbed",)}
SWEEPS = ("p-sweep", "rounds", *SHARES, "bootstrap", "fairness")
TABLES = (
    "table3",
    "table4",
    "fig1",
    "rates",
    "p-sweep",
    "rounds",
    *SHARES,
    "bootstrap",
    "testbed",
    "fairness",
    "hybrid",
)


class _Point(NamedTuple):
    """Runs that differ in the workload file only.

    Attributes:
        setup: family of workloads, as the paper calls it.
        family: family of the files, such as `helios` or `rate-30`.
        mix: kind of jobs that are not adaptive, and their share in percent.
    """

    setup: str
    family: str
    cluster: str = "heterogeneous"
    reading: str = "headline"
    x_name: str = ""
    x: str = ""
    params: Mapping[str, Any] = {}
    round_s: float | None = None
    mix: tuple[str, int] = ("adaptive", 0)


def points(part: str) -> Iterator[_Point]:
    """All points of a table.

    Raises:
        InputError: for an unknown table.
    """
    if part in _FAMILIES:
        cluster = {"table3": "heterogeneous", "table4": "homogeneous", "testbed": "testbed"}[part]
        yield from (_Point(family, family, cluster) for family in _FAMILIES[part])
    elif part == "fig1":
        yield _Point("philly", "philly", reading="rigid", mix=("rigid", 100))
    elif part == "rates":
        yield from (_Point("helios", f"rate-{rate}", x_name="rate", x=str(rate)) for rate in RATES)
    elif part == "p-sweep":
        yield from (_Point("helios", "helios", x_name="p", x=f"{p:g}", params={"p": p}) for p in POWERS)
    elif part == "rounds":
        yield from (_Point("helios", "helios", x_name="round_s", x=str(s), round_s=float(s)) for s in ROUNDS)
    elif part in SHARES:
        kind = "scale-gpus" if part == "strong-scaling" else "rigid"
        yield from (_Point("philly", "philly", x_name="share", x=str(s), mix=(kind, s)) for s in SHARES[part])
    elif part == "bootstrap":
        yield from (_Point("helios", "helios", reading=name, params=params) for name, params in BOOTSTRAPS.items())
    elif part == "fairness":
        yield _Point("helios", "helios")
    elif part != "hybrid":
        raise InputError(f"unknown table {part!r}; known: {', '.join(TABLES)}", field="cells")


def run_cell(part: str, member: str, settings: Mapping[str, Any], data: Path | None = None) -> pd.DataFrame:
    """Run one policy in one table.

    Args:
        part: the table.
        member: the policy.
        settings: `files` (family -> numbers of workload files; `rate` for all arrival rates), `sweeps` (the files
            among them that sweeps of one parameter use), `few` (policy -> family -> the only files it runs, for
            policies that take minutes), `jobs` (first jobs of each file; None: all).
        data: profiles and workloads (`rarlib.papers.sia.inputs`).

    Returns:
        Tidy rows, as in the table above.

    Raises:
        InputError: an unknown table, no data, a missing workload.
    """
    if data is None:
        raise InputError("needs profiles and workloads", field="reads")
    inputs = Inputs.read(data)
    rows: list[Row] = []
    if part == "hybrid":
        rows += hybrid_rows(inputs.jobs("philly", settings["files"]["philly"][0], settings["jobs"]), inputs.profiles)
    for point in points(part):
        files = chosen_files(part, member, point.family, settings)
        rows += _measured(point, member, files, inputs, settings["jobs"], fair=part == "fairness")
    if part == "p-sweep":
        rows += relative_to_best(rows)
    elif part in SHARES:
        rows += relative_to_none(rows)
    return tidy(rows, f"sia-{part}", member)


def chosen_files(part: str, member: str, family: str, settings: Mapping[str, Any]) -> list[int]:
    """Workload files of a family that a policy runs in a table."""
    family = family.partition("-")[0]
    files = settings["files"][family]
    if part in SWEEPS:
        files = [file for file in files if file in settings["sweeps"]]
    few = settings["few"].get(member)
    return [file for file in files if few is None or file in few.get(family, ())]


def _measured(
    point: _Point, member: str, files: Sequence[int], inputs: Inputs, limit: int | None, *, fair: bool
) -> Iterator[Row]:
    round_s = point.round_s or ROUND_S.get(member, 60.0)
    runs = []
    for file in files:
        jobs = mixed(inputs.jobs(point.family, file, limit), *point.mix, file)
        case = Case(jobs, point.cluster, member, point.params, round_s)
        runs.append((simulate_case(case, inputs.profiles), round_s))
        head = (point.setup, point.reading, point.x_name, point.x, file)
        for metric in measure(*runs[-1]):
            yield (*head, *metric)
    for metric in pooled(runs) if runs else ():
        yield (point.setup, point.reading, point.x_name, point.x, 0, *metric)
    if fair and runs:
        for row in fairness_rows(runs, files, point.cluster, member, inputs.profiles):
            yield (point.setup, *row)


def relative_to_best(rows: Sequence[Row]) -> Iterator[Row]:
    """Mean over files at each x (p99: over all files together), relative to the smallest of these means."""
    chosen = {"avg_jct": "avg_jct", "p99_jct_pooled": "p99_jct", "makespan": "makespan"}
    kept = sorted((row for row in rows if row[5] in chosen), key=lambda row: (row[5], float(row[3])))
    for metric, of_metric in groupby(kept, key=lambda row: row[5]):
        means = {x: np.mean([row[6] for row in at_x]) for x, at_x in groupby(of_metric, key=lambda row: row[3])}
        best = min(means.values())
        for x, mean in means.items():
            yield ("helios", "headline", "p", x, 0, f"{chosen[metric]}_relative", float(mean / best), "1")


def relative_to_none(rows: Sequence[Row]) -> Iterator[Row]:
    """Average JCT and makespan, relative to those of the same file when all jobs are adaptive."""
    base: dict[tuple[str, int], float] = {(row[5], row[4]): row[6] for row in rows if row[3] == "0"}
    for setup, reading, x_name, x, seed, metric, value, _ in rows:
        if metric in ("avg_jct", "makespan"):
            yield (setup, reading, x_name, x, seed, f"{metric}_relative", value / base[metric, seed], "1")
