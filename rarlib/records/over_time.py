"""A run over time: queue, busy GPUs, and how many jobs share each server's link."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rarlib.records.read import Record


def over_time(record: Record) -> pd.DataFrame:
    """Columns time_s, waiting (jobs without GPUs), running (jobs with), busy_gpus; a row is valid until the next."""
    jobs, rows, holds = record.jobs, record.allocations, record.holds
    gpus = rows["gpus"].to_numpy() * record.is_gpu[rows["node"].to_numpy()]
    steps = [
        pd.DataFrame({"time_s": jobs["submit_s"], "system": 1}),
        pd.DataFrame({"time_s": jobs["finish_s"], "system": -1}),
        pd.DataFrame({"time_s": holds["start_s"], "running": 1}),
        pd.DataFrame({"time_s": holds["end_s"], "running": -1}),
        pd.DataFrame({"time_s": rows["start_s"], "busy_gpus": gpus}),
        pd.DataFrame({"time_s": rows["end_s"], "busy_gpus": -gpus}),
    ]
    levels = pd.concat(steps).groupby("time_s").sum().cumsum().astype(np.int64).reset_index()
    levels["waiting"] = levels["system"] - levels["running"]
    return levels[["time_s", "waiting", "running", "busy_gpus"]]


def spanning_jobs(record: Record, edges: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean number of spanning jobs on each server, which share its link, in each time bin.

    Args:
        record: the run.
        edges: boundaries of the bins in seconds, ascending, shape (bins + 1,).

    Returns:
        Shape (nodes, bins).
    """
    rows = record.allocations.assign(job=record.alloc_job).merge(record.holds, on=["job", "start_s", "end_s"])
    rows = rows[rows["servers"] > 1]
    start, end, node = (rows[name].to_numpy() for name in ("start_s", "end_s", "node"))
    until = np.array(
        [
            np.bincount(node, np.clip(np.minimum(end, edge) - start, 0.0, None), minlength=len(record.gpus))
            for edge in edges
        ]
    )
    return (until[1:] - until[:-1]).T / np.diff(edges)
