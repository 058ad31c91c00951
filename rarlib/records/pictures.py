"""Figures of recorded runs: extracts from records what `rarlib.plot` draws."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from rarlib.model.errors import InputError
from rarlib.plot import run_folder, waiting
from rarlib.plot.style import INK
from rarlib.records.job_history import blockers, job_history, waiting_at
from rarlib.records.link_use import link_load
from rarlib.records.over_time import over_time, spanning_jobs
from rarlib.records.read import Record
from rarlib.records.waiting import TURNAROUND_PARTS, WAITS, decompose

_BINS, _LOAD_INCHES = 80, 1.8


def schedule(
    record: Record,
    start_s: float = 0.0,
    end_s: float | None = None,
    servers: tuple[int, int] = (0, 64),
    links: int = 4,
) -> Figure:
    """Gantt chart of an interval of time (None: to the end of the run), for a half-open range of servers.

    On a fabric, a panel below it shows the load of so many of the busiest links, those that differ; 0: no panel.
    """
    sizes = record.gpus[slice(*servers)].tolist()
    load, height = link_load(record) if links else None, float(np.clip(0.22 * sum(sizes), 2.5, 9.0))
    end = float(record.jobs["finish_s"].max()) if end_s is None else end_s
    if load is None or len(load.columns) == 1:
        figure, ax = plt.subplots(figsize=(11, height))
    else:
        figure, (ax, below) = plt.subplots(
            2, 1, figsize=(11, height + _LOAD_INCHES), height_ratios=[height, _LOAD_INCHES], sharex=True,
            layout="constrained",
        )  # fmt: skip
        distinct = load.loc[:, ~load.T.duplicated()]  # a ring often loads a link up and a link down alike
        run_folder.load_of_links(below, distinct.iloc[:, : 1 + links], start_s, end)
    run_folder.window(ax, _gangs(record), sizes, start_s, end, servers[0])
    if len(figure.axes) > 1:
        ax.set(xlabel="")
    return figure


def moment(record: Record, time_s: float) -> Figure:
    """The schedule up to a moment, and the queue at that moment with what each job waits for."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(12, 4.2), width_ratios=[2.6, 1])
    rows, end = _gangs(record), float(record.jobs["finish_s"].max())
    rows = rows[rows["start_s"] <= time_s].assign(end_s=lambda so_far: so_far["end_s"].clip(upper=time_s))
    run_folder.window(left, rows[rows["end_s"] > rows["start_s"]], record.gpus.tolist(), 0.0, end)
    unit, seconds = run_folder.time_unit(end)
    left.axvline(time_s / seconds, color=INK, lw=1.4)
    left.set(title=f"after {time_s / seconds:.1f} {unit}")
    waiting.queue(right, waiting_at(record, time_s), {part: TURNAROUND_PARTS[part] for part in WAITS})
    right.set_xlim(0, int(record.jobs["gpus"].max()) + 0.5)
    return figure


def _gangs(record: Record) -> pd.DataFrame:
    """Allocation rows with the number of servers of their gang."""
    rows = record.allocations.assign(job=record.alloc_job)
    return rows.merge(record.holds[["job", "start_s", "end_s", "servers"]], on=["job", "start_s", "end_s"])


def load(record: Record) -> Figure:
    """Queue and busy GPUs over time."""
    figure, axes = plt.subplots(2, 1, figsize=(11, 3.8), sharex=True)
    run_folder.cluster_load(axes, over_time(record), record.total_gpus)
    return figure


def contention(record: Record) -> Figure:
    """Number of gangs that share each server's link over time."""
    edges = np.linspace(0.0, float(record.jobs["finish_s"].max()), _BINS + 1)
    figure, ax = plt.subplots(figsize=(11, float(np.clip(0.25 * len(record.gpus), 2.2, 6.0))))
    run_folder.link_sharing(ax, spanning_jobs(record, edges), edges)
    return figure


def job_card(record: Record, job_id: str) -> Figure:
    """History of one job, and the jobs that held the GPUs while it waited.

    Raises:
        InputError: when there is no such job, or when it took no time.
    """
    job, levels = record.position(job_id), over_time(record)
    history = job_history(record, job)
    if history.empty:
        raise InputError(f"job {job_id} took no time: there is nothing to draw", file="--job")
    levels["free_gpus"] = record.total_gpus - levels["busy_gpus"]
    gang = int(record.gangs[job])
    return waiting.job_card(job_id, gang, history, levels, blockers(record, job), TURNAROUND_PARTS)


def where_time_went(record: Record) -> Figure:
    """Mean turnaround by gang size, split into its parts."""
    table = decompose(record)
    groups: dict[str, pd.DataFrame] = {"all jobs": table}
    for gang, mine in table.groupby("gpus"):
        groups[f"gang of {gang} ({len(mine):,} jobs)"] = mine
    figure, ax = plt.subplots(figsize=(9, 1.6 + 0.35 * len(groups)))
    waiting.breakdown(ax, groups, TURNAROUND_PARTS)
    return figure


def compare(records: Mapping[str, Record]) -> Figure:
    """Completion times of several runs, and the parts of their jobs' turnaround."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(12, 3.6), width_ratios=[1, 1.25])
    tables = {name: decompose(record) for name, record in records.items()}
    schedulers = {name: str(record.facts.get("scheduler", name)) for name, record in records.items()}
    run_folder.jct_curves(left, {n: t["turnaround_s"].to_numpy() for n, t in tables.items()}, schedulers)
    waiting.breakdown(right, tables, TURNAROUND_PARTS)
    return figure
