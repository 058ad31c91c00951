"""Lanes and boxes of Gantt charts: an allocation only counts the GPUs on a server; here each gets particular ones."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import pandas as pd

_NEAR = 0.01
"""Boxes of a lane look as if they touched if the gap is less than this share of the chart's width."""


def gpu_lanes(intervals: pd.DataFrame, sizes: Sequence[int]) -> Iterator[tuple[Any, int, int, float, float]]:
    """GPUs for every interval: intervals take the lowest free GPUs of their server, in order of start.

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


class Box(NamedTuple):
    """Neighbouring GPUs that a job holds for an interval: a rectangle of a Gantt chart."""

    job: Any
    left: float
    top: float
    width: float
    height: float


def boxes(intervals: pd.DataFrame, sizes: Sequence[int], tops: Sequence[float]) -> list[Box]:
    """Boxes of a Gantt chart; neighbouring lanes of a gang form one box.

    Args:
        intervals: as for `gpu_lanes`.
        sizes: GPUs of each server.
        tops: position of the first lane of each server; servers must not touch.
    """
    found: list[Box] = []
    for job, node, gpu, start, end in gpu_lanes(intervals, sizes):
        top, last = float(tops[node] + gpu), found[-1] if found else None
        if last and last[:2] == (job, start) and last.top + last.height == top and last.width == end - start:
            found[-1] = last._replace(height=last.height + 1.0)
        else:
            found.append(Box(job, start, top, end - start, 1.0))
    return found


def side_by_side(intervals: pd.DataFrame, sizes: Sequence[int]) -> set[tuple[Any, Any]]:
    """Pairs of jobs, both ways round, that are neighbours in a Gantt chart: on a GPU, or on two next to each other.

    Args:
        intervals: as for `gpu_lanes`.
        sizes: GPUs of each server.
    """
    lanes: defaultdict[tuple[int, int], list[tuple[Any, float, float]]] = defaultdict(list)
    for job, node, gpu, start, end in gpu_lanes(intervals, sizes):
        lanes[node, gpu].append((job, start, end))
    near = _NEAR * float(intervals["end_s"].max() - intervals["start_s"].min()) if len(intervals) else 0.0
    found = set()
    for (node, gpu), lane in lanes.items():
        found |= {(one, other) for (one, _, end), (other, start, _) in pairwise(lane) if start - end <= near}
        found |= set(_overlaps(lane, lanes.get((node, gpu + 1), [])))
    return {pair for one, other in found if one != other for pair in ((one, other), (other, one))}


def _overlaps(
    lane: Sequence[tuple[Any, float, float]], below: Sequence[tuple[Any, float, float]]
) -> Iterator[tuple[Any, Any]]:
    """Jobs of two lanes, each in order of time, that hold their GPUs at the same time."""
    one = other = 0
    while one < len(lane) and other < len(below):
        (job, start, end), (second, begin, stop) = lane[one], below[other]
        if max(start, begin) < min(end, stop):
            yield job, second
        if end <= stop:
            one += 1
        else:
            other += 1
