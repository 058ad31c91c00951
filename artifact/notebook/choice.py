"""A choice of the arena's settings: its tables, an own scheduler beside them, and a configuration file of it."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from artifact.arena.cells import inputs
from artifact.arena.match import forecast_of, play_match, prices_of, workload_of
from artifact.arena.metrics import measure
from artifact.arena.settings import clusters_of, settings_of_choice
from artifact.notebook.at_hand import data_at_hand
from artifact.notebook.parameters import with_parameters
from artifact.notebook.tables import read_tables, results_folder, simulate_tables
from artifact.run.config import check_config
from artifact.run.members import members
from artifact.run.settings import configuration, overlaid
from rarlib.discovery import scheduler_labels
from rarlib.model.errors import InputError
from rarlib.model.files import write_text
from rarlib.model.scheduler import Scheduler
from rarlib.plot.style import introduce
from rarlib.records.outputs import check_outputs
from rarlib.records.tidy import tidy

ARENA_TABLES = ["arena-runs", "arena-audit"]
CHOSEN = (
    "traces",
    "windows",
    "cluster",
    "load",
    "contention",
    "restart",
    "error",
    "knowledge",
    "jobs",
    "schedulers",
    "grid",
)
"""Keys of the arena's section that a choice states."""


def chosen_arena(
    traces: Sequence[str],
    clusters: Sequence[str],
    contentions: Sequence[str],
    loads: Sequence[float],
    schedulers: Sequence[str],
    **more: Any,
) -> dict[str, Any]:
    """The arena's section of the configuration for a choice; the settings are the product of the lists.

    Args:
        traces: families of windows.
        clusters: their names; the first is the base's.
        contentions: laws of contention; the first is the base's.
        loads: offered loads; the first is the base's.
        schedulers: their names.
        more: `windows`, `jobs`, `restart`, `error`.

    Raises:
        InputError: an impossible value; the field is its name.
    """
    introduce(scheduler_labels())
    knobs: dict[str, Any] = {"traces": list(traces), "schedulers": list(schedulers), **more}
    first = {"clusters": clusters, "contentions": contentions, "loads": loads}
    for name, values in first.items():
        if not len(values):
            raise InputError("needs at least one value", field=name)
        knobs[name.removesuffix("s")] = values[0]
    axes = {"trace": list(traces), **{name.removesuffix("s"): list(values) for name, values in first.items()}}
    section = dict(with_parameters(configuration(), ARENA_TABLES, {**knobs, "grid": [axes]})["experiments"]["arena"])
    for name in clusters:
        if name not in section["clusters"]:
            raise InputError(f"unknown cluster {name!r}; known: {', '.join(section['clusters'])}", field="clusters")
    return section


def arena_tables_of(section: Mapping[str, Any]) -> tuple[pd.DataFrame, pd.DataFrame, str]:
    """Rows of runs and audit for a choice, and where they come from: the pipeline's tables, or simulated here."""
    wanted = {(s.trace, s.reading, s.load) for s in settings_of_choice(section)}
    found = read_tables(ARENA_TABLES, results_folder())
    if found is not None and section["jobs"] is None:
        runs, audit = (found.frames[name] for name in ARENA_TABLES)
        mine = pd.Series(list(zip(runs["setup"], runs["reading"], runs["x"], strict=True)), index=runs.index)
        rows = runs[mine.isin(wanted) & runs["seed"].isin(section["windows"])]
        rows = rows[rows["scheduler"].isin(members(section, "runs"))]
        made = rows[rows["metric"] == "mean_jct"].groupby("scheduler").size()
        if set(section["schedulers"]) <= set(made.index) and (made == len(wanted) * len(section["windows"])).all():
            return rows, audit, "the pipeline's tables"
    config = overlaid(configuration(), {"experiments": {"arena": dict(section)}})
    frames = simulate_tables(ARENA_TABLES, config, results_folder()).frames
    return frames[ARENA_TABLES[0]], frames[ARENA_TABLES[1]], "simulated here"


def rows_of_own(scheduler: Scheduler, section: Mapping[str, Any]) -> pd.DataFrame:
    """Tidy rows of a scheduler object on the first window of the base setting, as the arena's table has them.

    Args:
        scheduler: the object, with `name` and `decide`; it plays once.
        section: see `chosen_arena`.
    """
    introduce({scheduler.name: getattr(scheduler, "label", "") or scheduler.name})
    arena, setting, window = (
        inputs(data_at_hand("arena"), section["jobs"]),
        settings_of_choice(section)[0],
        section["windows"][0],
    )
    cluster = clusters_of(section["clusters"])[setting.cluster]
    workload = workload_of(arena, setting, window, cluster, overload=section["overload"])
    cost = prices_of(setting, arena.profiles)
    run, facts = play_match(scheduler, workload, forecast_of(workload, setting, window), cost, cluster, setting)
    head = (setting.trace, setting.reading, "load", setting.load, window)
    rows = [(*head, *found) for found in measure(run, facts)]
    return tidy(rows, ARENA_TABLES[0], scheduler.name)


def one_window(runs: pd.DataFrame, section: Mapping[str, Any]) -> pd.DataFrame:
    """Rows of the first window of the base setting."""
    setting, window = settings_of_choice(section)[0], section["windows"][0]
    here = (runs["setup"] == setting.trace) & (runs["reading"] == setting.reading) & (runs["x"] == setting.load)
    return runs[here & (runs["seed"] == window)]


def export_configuration(section: Mapping[str, Any], path: str | Path) -> str:
    """Write a choice as a configuration file for the pipeline, with a results folder of its own.

    Returns:
        The command that runs it.

    Raises:
        InputError: the file exists or cannot be written, or the pipeline would refuse the configuration.
    """
    path = Path(path)
    check_outputs([path])
    windows = max(configuration()["profiles"]["arena"]["seeds"], *section["windows"])
    over = {
        "results": f"results/{path.stem}",
        "only": ["arena"],
        "profiles": {"arena": {"seeds": windows}},
        "experiments": {"arena": {key: section[key] for key in CHOSEN}},
    }
    check_config(overlaid(configuration(), over))
    text = "# A choice of the arena's settings. Only differences from config.yaml are listed.\n"
    write_text(path, text + yaml.safe_dump(over, sort_keys=False))
    return f"snakemake --cores all --configfile config/config.yaml {path}"
