"""The cells of a study: one scheduler on one trace or workload, in all settings, for the seeds between two looks.

| table | member | setup | reading | x_name | x | rows |
|---|---|---|---|---|---|---|
| runs | scheduler | trace or workload | `StudySetting.reading` | load | offered | `artifact.arena.metrics.METRICS` |
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from artifact.arena.metrics import measure
from artifact.study.entrants import Entrant, made_entrant
from artifact.study.jobs import at_offered_load, draw_of, predictions, window_of
from artifact.study.sweeps import StudySetting
from rarlib.cost.goodput.assigned import assign_applications
from rarlib.cost.named import make_cost_model
from rarlib.discovery import settings_with_defaults
from rarlib.model.cluster import Cluster
from rarlib.model.jobs import Jobs
from rarlib.records.tidy import Row, tidy
from rarlib.simulator.engine import simulate

RECORDED_LOAD = "as recorded"


def run_cell(part: str, member: str, settings: Mapping[str, Any], data: Path | None = None) -> pd.DataFrame:
    """Run one scheduler on the seeds of one batch.

    `part` is for messages only; `settings`: as `artifact.study.plan.cell_settings` gives them; `data`: the clean table
    of a trace; None for a workload.

    Returns:
        Tidy rows, as in the table above.

    Raises:
        InputError: a trace that is too short, or a setting that cannot be run.
    """
    return tidy(_rows(settings, data), f"{settings['study']}-runs", member)


def _rows(settings: Mapping[str, Any], data: Path | None) -> Iterator[Row]:
    entrant = Entrant(**settings["entrant"])
    source = settings["source"]
    clusters = {name: Cluster.parse(spec) for name, spec in settings["clusters"].items()}
    least = min(cluster.total_gpus for cluster in clusters.values())
    costs = {name: make_cost_model(given["model"], given["contention"]) for name, given in settings["costs"].items()}
    for seed in settings["seeds"]:
        jobs = _jobs(source, data, seed, least)
        for setting in (StudySetting(*each) for each in settings["settings"]):
            cluster = clusters[setting.cluster]
            scheduler = made_entrant(entrant, Path())
            given = at_offered_load(jobs, setting.load, cluster, overload=settings["overload"])
            cost = costs[setting.cost]
            if settings["costs"][setting.cost].get("applications"):
                given, cost, _ = assign_applications(given, cluster, cost, seed)
            run = simulate(
                given,
                cluster,
                scheduler,
                cost,
                quantum=settings["quantum_s"],
                restart_s=float(setting.restart) if setting.restart else None,
                forecast=predictions(jobs, setting.error, source["name"], seed),
                seed=seed,
            )
            facts = {"quantum_s": settings["quantum_s"], "parameters": settings_with_defaults(scheduler)}
            head = (source["name"], setting.reading, "load", setting.load or RECORDED_LOAD, seed)
            yield from ((*head, *found) for found in measure(run, facts))


def _jobs(source: Mapping[str, Any], data: Path | None, seed: int, most_gpus: int) -> Jobs:
    if data is None:
        return draw_of(Path(source["file"]), source["jobs"], seed, most_gpus)
    return window_of(data, source["name"], source["jobs"], seed, most_gpus)
