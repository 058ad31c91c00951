"""A busy hour: a small synthetic workload for trying out runs without a trace."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from rarlib.cost.ring import RingCost
from rarlib.discovery import make_scheduler, settings_with_defaults
from rarlib.model.cluster import Cluster
from rarlib.model.jobs import Jobs
from rarlib.model.seeds import stream
from rarlib.records.outputs import check_outputs
from rarlib.records.read import node_groups
from rarlib.records.write import write_run
from rarlib.simulator.engine import simulate

GANGS = (1, 1, 2, 2, 3, 4, 6, 8)
"""Gang sizes to draw from: small ones are common, some exceed a server with four GPUs."""


def busy_hour(jobs: int = 30, seed: int = 0) -> Jobs:
    """Jobs submitted within an hour; gangs from `GANGS`, minutes to hours long (log-normal, median 8 minutes)."""
    rng = stream(seed, "busy-hour")
    submit = np.sort(np.round(rng.uniform(0.0, 3600.0, jobs)))
    minutes = np.exp(rng.normal(np.log(8.0), 0.8, jobs))
    return Jobs.build(
        job_id=[f"{i + 1}" for i in range(jobs)],
        submit_s=submit - submit[0],
        gpus=rng.choice(GANGS, jobs),
        duration_s=np.round(60.0 * minutes),
    )


def sample_run(
    folder: Path,
    scheduler: str,
    params: Mapping[str, Any] | None = None,
    jobs: Jobs | None = None,
    cluster: str = "4x4",
    restart_s: float = 30.0,
) -> Path:
    """Simulate jobs that share links (default: a busy hour), write the run folder and return its path.

    Raises:
        InputError: `folder` holds files that are not of a run.
    """
    check_outputs([], runs=[folder])
    machines, policy, cost = Cluster.parse(cluster), make_scheduler(scheduler, params or {}), RingCost()
    run = simulate(busy_hour() if jobs is None else jobs, machines, policy, cost, restart_s=restart_s)
    facts = {
        "scheduler": scheduler,
        "parameters": settings_with_defaults(policy),
        "cluster": cluster,
        "node_groups": node_groups(machines),
        "cost": {"name": cost.name},
        "restart_s": restart_s,
    }
    write_run(run, folder, facts)
    return folder
