"""Predicted time of each job of a run, for the display of progress."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from artifact.run import cell_times, costs
from artifact.run.progress import Planned
from artifact.run.settings import merged
from rarlib.model.project import ROOT, STUDY

RECORDS, DEFAULT = Path("benchmarks/costs.csv"), Path("config/config.yaml")
UNKNOWN_S = 5.0
"""Seconds of a job if nothing is recorded of the job or its rule."""

Key = tuple[str, str]
"""Rule and job within the rule, as in the records."""


def predict_seconds(config: Mapping[str, Any], records: pd.DataFrame, default: Mapping[str, Any]) -> dict[Key, float]:
    """Predicted seconds of jobs on the machine that was measured.

    Args:
        config: configuration of the run.
        records: as in `benchmarks/costs.csv`.
        default: the configuration of `make reproduce`.
    """
    smoke = config["results"] == costs.COMMANDS["smoke"]
    mine = records[(records["command"] == ("smoke" if smoke else "reproduce")) & (records["unit"] == "s")]
    found = dict(zip(zip(mine["rule"].astype(str), mine["job"].astype(str), strict=True), mine["value"], strict=True))
    if not smoke:
        found |= {("cell", str(job)): s for job, s in cell_times.cell_seconds(records, default, config).items()}
    return found


def planned(jobs: Iterable[tuple[int, str, str, str | None]], known: Mapping[Key, float]) -> list[Planned]:
    """Jobs with their predicted seconds: the known ones, else the median of their rule.

    Args:
        jobs: number, rule, name and benchmark file (none: the job's time is negligible).
        known: predicted seconds by rule and job.
    """
    by_rule = pd.Series(known, dtype=float)
    medians = by_rule.groupby(level=0).median() if len(by_rule) else by_rule
    return [
        Planned(number, rule, name, known.get(_key(path), float(medians.get(rule, UNKNOWN_S))) if path else 0.0)
        for number, rule, name, path in jobs
    ]


def _key(benchmark: str) -> Key:
    rule, *job = Path(benchmark.rpartition("benchmarks/")[2]).with_suffix("").parts
    return rule, "/".join(job)


def plan(workflow: Any, config: Mapping[str, Any]) -> dict[str, Any]:
    """Facts for the display of a Snakemake run.

    Args:
        workflow: Snakemake's workflow with a complete graph of jobs.
        config: configuration of the run.

    Returns:
        `plan`, the jobs that will be executed; `cores`; and `renewed`, which gives the jobs that are still to be
        executed after a checkpoint has changed them.
    """
    known = _study_seconds(Path(config["results"])) if STUDY in os.environ else _known_seconds(config)

    def jobs() -> list[Planned]:
        found = (
            (
                workflow.dag.jobid(job),
                job.rule.name,
                "/".join(job.wildcards_dict.values()),
                str(job.benchmark) if job.benchmark else None,
            )
            for job in workflow.dag.needrun_jobs()
        )
        return planned(found, known)

    return {"plan": jobs(), "cores": workflow.cores, "renewed": jobs}


def _known_seconds(config: Mapping[str, Any]) -> dict[Key, float]:
    """Predicted seconds of the project's jobs on this machine; empty if nothing is recorded."""
    if not RECORDS.is_file():
        return {}
    records = pd.read_csv(RECORDS, keep_default_na=False)
    scale = costs.scale(records, costs.probe_s())
    return {key: s * scale for key, s in predict_seconds(config, records, merged(DEFAULT)).items()}


def _study_seconds(results: Path) -> dict[Key, float]:
    """Predicted seconds of the jobs of a study: as its last run took; before the first one, as a smoke run."""
    records = pd.read_csv(ROOT / RECORDS, keep_default_na=False)
    scale = costs.scale(records, costs.probe_s())
    smoke = predict_seconds({"results": costs.COMMANDS["smoke"]}, records, {})
    own = costs.measured_costs(results)
    measured = dict(zip(zip(own["rule"], own["job"], strict=True), own["s"], strict=True))
    return {key: s * scale for key, s in smoke.items()} | measured
