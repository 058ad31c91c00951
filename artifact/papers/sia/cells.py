"""Sia's evaluation (SOSP 2023, section 5): every run behind its tables and figures.

A cell is one policy in one table, over the available workload files; `seed` is the number of the file (of the paper's
ten files of each kind, four or five are available). Rows over all files together have seed 0. A policy that searches at
random (Pollux) may run a file several times: run r, from 0 on, has 100 r added to the number of the file, and -r for
all files together.

| table | setup | x_name | x | reading | rows |
|---|---|---|---|---|---|
| table3 | philly, helios, newtrace | | | headline | metrics of Table 3, heterogeneous cluster |
| table3 | helios | | | coded, paper | worst_rho, unfair_share (%); of all files together: _pooled |
| table3 | helios | job | job_id | coded, paper | rho of every job |
| table4 | philly | | | headline | the same, homogeneous cluster |
| fig1 | philly | | | rigid | the same, heterogeneous cluster, all jobs rigid |
| rates | helios | rate | 10 to 50 jobs per hour | headline | metrics |
| p-sweep | helios | p | -1 to 1 | headline | metrics, and relative to the best p (seed 0) |
| rounds | helios | round_s | 30 to 300 s | headline | metrics |
| strong-scaling, rigid | philly | share | 0 to 100 % | headline | metrics, and relative to share 0 of the same file |
| bootstrap | helios | | | oracle, none, bootstrap, projection-paper | metrics |
| testbed | testbed | | | headline | metrics, 44 GPUs |
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

from artifact.papers.sia.fairness import fairness_rows
from artifact.papers.sia.hybrid import hybrid_rows
from artifact.papers.sia.inputs import Inputs, mixed
from rarlib.model.errors import InputError
from rarlib.presets.sia import ROUND_S, Case, measure, pooled, simulate_case
from rarlib.records.tidy import Row, tidy

KINDS = {"strong-scaling": "scale-gpus", "rigid": "rigid"}
"""Kind of the jobs that are not adaptive, in the tables over their share."""

BOOTSTRAPS: dict[str, dict[str, Any]] = {
    "bootstrap": {"bootstrap": "bootstrap"},
    "projection-paper": {"bootstrap": "bootstrap", "projection": "paper"},
    "none": {"bootstrap": "none"},
    "oracle": {"bootstrap": "oracle"},
}
_FAMILIES = {"table3": ("philly", "helios", "newtrace"), "table4": ("philly",), "testbed": ("testbed",)}
FAIR = ("table3", "helios")
"""Table and setup of which finish-time fairness is published."""
SWEEPS = ("p-sweep", "rounds", *KINDS, "bootstrap")


class _Point(NamedTuple):
    """Runs that differ in the workload file only.

    Attributes:
        setup: family of workloads, as the paper calls it.
        family: family of the files, such as `helios` or `rate-30`.
        mix: kind of jobs that are not adaptive, and their share in percent.
    """

    setup: str
    family: str
    cluster: str
    round_s: float
    params: Mapping[str, Any]
    reading: str = "headline"
    x_name: str = ""
    x: str = ""
    mix: tuple[str, int] = ("adaptive", 0)


def points(part: str, member: str, settings: Mapping[str, Any]) -> Iterator[_Point]:
    """All points of a table that a policy runs.

    Raises:
        InputError: for an unknown table.
    """
    length = settings["rigid_round_s" if member in ROUND_S else "round_s"]
    base = _Point("", "", settings["cluster"], float(length), own_params(member, settings))
    if part in _FAMILIES:
        yield from (base._replace(setup=family, family=family) for family in _FAMILIES[part])
    elif part == "fig1":
        yield base._replace(setup="philly", family="philly", reading="rigid", mix=("rigid", settings["share"]))
    elif part in SWEEPS or part == "rates":
        yield from _axis(part, base, settings)
    elif part != "hybrid":
        raise InputError(f"unknown table {part!r}; config/config.yaml lists them", field="cells")


def own_params(member: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters that the settings give a policy: only Sia has any."""
    if member != "sia":
        return {}
    given = {"p": settings["p"], "lam": settings["lambda"], "bootstrap": settings["bootstrap"]}
    return given | ({"batch_limit": settings["batch_limit"]} if settings["batch_limit"] else {})


def _axis(part: str, base: _Point, settings: Mapping[str, Any]) -> Iterator[_Point]:
    """Points of a table over one parameter."""
    helios, philly = (base._replace(setup=name, family=name) for name in ("helios", "philly"))
    if part == "rates":
        yield from (helios._replace(family=f"rate-{rate}", x_name="rate", x=str(rate)) for rate in settings["rates"])
    elif part == "p-sweep":
        for p in settings["powers"]:
            yield helios._replace(x_name="p", x=f"{p:g}", params={**base.params, "p": float(p)})
    elif part == "rounds":
        yield from (helios._replace(x_name="round_s", x=f"{s:g}", round_s=float(s)) for s in settings["rounds"])
    elif part == "bootstrap":
        for name in settings["bootstraps"]:
            yield helios._replace(reading=name, params={**base.params, **BOOTSTRAPS[name]})
    else:
        if 0 not in settings["shares"]:
            raise InputError("must contain 0: other shares are shown relative to it", field="shares")
        yield from (philly._replace(x_name="share", x=str(s), mix=(KINDS[part], s)) for s in settings["shares"])


def run_cell(part: str, member: str, settings: Mapping[str, Any], data: Path | None = None) -> pd.DataFrame:
    """Run one policy in one table.

    Args:
        part: the table.
        member: the policy.
        settings: `files` (family -> numbers of workload files; `rate` for all arrival rates), `sweeps` (the files
            among them that sweeps of one parameter use), `few` (policy -> family -> the only files it runs, for
            policies that take long), `runs` (policy -> family -> runs of each file, for policies that draw at random;
            1 where nothing is said), `jobs` (first jobs of each file; None: all), `cluster` (name in `runs.CLUSTERS` or
            a specification), `round_s` (of Sia and Pollux, s), `rigid_round_s` (of policies for rigid jobs, s), Sia's
            `p`, `lambda`, `bootstrap` and `batch_limit` (None: as in the authors' code), and the axis of a table:
            `rates`, `powers`, `rounds`, `shares`, `bootstraps`; fig1: `share`; hybrid: see `hybrid_rows`.
        data: profiles and workloads (`artifact.papers.sia.inputs`).

    Returns:
        Tidy rows, as in the table above.

    Raises:
        InputError: an unknown table, no data, a missing workload, settings that leave nothing to run.
    """
    if data is None:
        raise InputError("needs profiles and workloads", field="reads")
    inputs = Inputs.read(data)
    rows: list[Row] = []
    if part == "hybrid":
        for file in settings["files"]["philly"][:1]:
            jobs, sia = inputs.jobs("philly", file, settings["jobs"]), own_params("sia", settings)
            rows += hybrid_rows(jobs, inputs.profiles, settings, sia)
    for point in points(part, member, settings):
        files = chosen_files(part, member, point.family, settings)
        again = settings["runs"].get(member, {}).get(point.family.partition("-")[0], 1)
        for run in range(again):
            rows += _measured(point, member, files, run, inputs, settings["jobs"], fair=(part, point.setup) == FAIR)
    if not rows and member not in settings["few"]:
        raise InputError("no workload file is left to run", field="files")
    if part == "p-sweep":
        rows += relative_to_best(rows)
    elif part in KINDS:
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
    point: _Point, member: str, files: Sequence[int], run: int, inputs: Inputs, limit: int | None, *, fair: bool
) -> Iterator[Row]:
    done = []
    for file in files:
        jobs = mixed(inputs.jobs(point.family, file, limit), *point.mix, file)
        case = Case(jobs, point.cluster, member, point.params, point.round_s, run)
        done.append((simulate_case(case, inputs.profiles), point.round_s))
        head = (point.setup, point.reading, point.x_name, point.x, file + 100 * run)
        for metric in measure(*done[-1]):
            yield (*head, *metric)
    for metric in pooled(done) if done else ():
        yield (point.setup, point.reading, point.x_name, point.x, -run, *metric)
    if fair and done:
        for row in fairness_rows(done, files, point.cluster, member, inputs.profiles, point.params):
            yield (point.setup, *row[:3], row[3] + 100 * run if row[3] else -run, *row[4:])


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
