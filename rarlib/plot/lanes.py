"""Lanes of a Gantt chart: counts on a server name no GPUs, so every interval gets some."""

from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd


def lanes(intervals: pd.DataFrame, sizes: Sequence[int]) -> Iterator[tuple[Any, int, int, float, float]]:
    """GPUs for every interval: counts on a server name no GPUs, so the lowest free ones are taken, by start.

    Args:
        intervals: columns job_id, start_s, end_s, node, gpus.
        sizes: GPUs of each server.

    Yields:
        Job, server, GPU of that server, start, end.
    """
    free_at = [[float("-inf")] * size for size in sizes]
    ordered = intervals.sort_values(["start_s", "job_id", "node"], kind="stable")
    columns = (ordered[name].tolist() for name in ("job_id", "start_s", "end_s", "node", "gpus"))
    for job, start, end, node, gpus in zip(*columns, strict=True):
        server = free_at[node]
        idle = [gpu for gpu, time in enumerate(server) if time <= start][:gpus]
        if len(idle) < gpus:
            raise ValueError(f"server {node} has too few free GPUs at {start}")
        for gpu in idle:
            server[gpu] = end
            yield job, node, gpu, start, end
