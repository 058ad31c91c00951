"""Predicted time of each job of a run, for the display of progress."""

from pathlib import Path
from typing import Any

import pandas as pd

from artifact.run.costs import COMMANDS, job_of, measured_costs
from artifact.run.progress import Planned
from rarlib.model.project import ROOT

UNKNOWN_S = 5.0
"""Seconds of a job if nothing is recorded of the job or its rule."""


def plan(workflow: Any, results: Path) -> dict[str, Any]:
    """Facts for the display of a Snakemake run.

    Returns:
        `plan`, the jobs that will be executed; `cores`; and `renewed`, which gives the jobs that are still to be
        executed after a checkpoint has changed them.
    """
    known = known_seconds(results)
    medians = known.groupby(level=0).median()

    def jobs() -> list[Planned]:
        found = []
        for job in workflow.dag.needrun_jobs():
            name, rule = "/".join(job.wildcards_dict.values()), job.rule.name
            usual = float(medians.get(rule, UNKNOWN_S))
            # Without a log the job's time is negligible.
            seconds = known.get(job_of(Path(job.log[0]).relative_to(results / "logs")), usual) if job.log else 0.0
            found.append(Planned(workflow.dag.jobid(job), rule, name, float(seconds)))
        return found

    return {"plan": jobs(), "cores": workflow.cores, "renewed": jobs}


def known_seconds(results: Path) -> "pd.Series[float]":
    """Seconds by rule and job: as in the last run of this folder, else as recorded."""
    listed = [measured_costs(results).rename(columns={"s": "value"})]
    path = ROOT / "benchmarks/costs.csv"
    if path.is_file():
        records = pd.read_csv(path, keep_default_na=False)
        listed += [records[(records["command"] == name) & (records["unit"] == "s")] for name in _near(results)]
    table = pd.concat(listed)[["rule", "job", "value"]].drop_duplicates(["rule", "job"])
    return table.set_index(["rule", "job"])["value"].astype(float)


def _near(results: Path) -> list[str]:
    """The recorded command that makes this folder; else the smaller one, whose jobs tell at least of their rules."""
    return [name for name, folder in COMMANDS.items() if results == Path(folder)] or ["smoke"]
