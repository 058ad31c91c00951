"""The accepted comparison with a real Slurm as the report shows it."""

from pathlib import Path
from typing import Any

import pandas as pd

from artifact.report.figures import embedded

FILES = ("results/expected/slurm.csv", "results/expected/slurm-starts.csv", "docs/slurm.svg")
"""Schedules, starts and the picture of both, as `python -m tools.slurm_judge --accept` leaves them."""


def slurm_content(root: Path) -> dict[str, Any]:
    """Schedules and decisions, regime by regime, for the template.

    `root`: the project's folder, which has `FILES`.
    """
    summary, starts = (pd.read_csv(root / name) for name in FILES[:2])
    agreed = starts.groupby("regime", sort=False).agg(
        starts=("agrees", "size"), agrees=("agrees", "mean"), same_gpus=("same_gpus", "mean")
    )
    return {
        "version": ", ".join(summary["slurm"].drop_duplicates()).capitalize(),
        "jobs": int(summary["jobs"].max()),
        "schedules": [_schedule(row) for row in summary.to_dict("records")],
        "decisions": [
            {"regime": regime, "numbers": [str(row["starts"]), _percent(row["agrees"]), _percent(row["same_gpus"])]}
            for regime, row in agreed.to_dict("index").items()
        ],
        "image": embedded((root / FILES[2]).read_bytes()),
    }


def _schedule(row: dict[Any, Any]) -> dict[str, Any]:
    longer = row["makespan_s"] / row["slurm_makespan_s"] - 1.0
    seconds = [f"{row[name]:.1f}" for name in ("makespan_s", "slurm_makespan_s")]
    waits = [f"{row[name]:.1f}" for name in ("mean_wait_s", "slurm_mean_wait_s")]
    middle = f"{row['median_difference_s']:.1f}"
    numbers = [*seconds, f"{100 * longer:+.1f}", *waits, _percent(row["same_order"]), middle]
    return {name: row[name] for name in ("regime", "reading", "scheduler", "lengths")} | {"numbers": numbers}


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"
