"""A run as a Chrome trace, for ui.perfetto.dev or chrome://tracing.

Format: "Trace Event Format" (JSON object form). A server is a process, a GPU is a thread, and an interval in which a
job holds the GPU is a complete event (`ph` X). Waiting jobs and busy GPUs are counters (C). Times are in microseconds.
"""

import json
from collections.abc import Iterator
from typing import Any

from rarlib.plot.lanes import gpu_lanes
from rarlib.records.over_time import over_time
from rarlib.records.read import Record

_CLUSTER = 1
"""Process number of the counters; those of the servers follow."""


def to_perfetto(record: Record) -> str:
    """The run as JSON, events ordered by time."""
    events = sorted((*_holds(record), *_counters(record)), key=lambda event: event["ts"])
    named = [*_names(record), *events]
    lines = ",\n".join(json.dumps(event, separators=(",", ":")) for event in named)
    facts = {key: record.facts[key] for key in ("scheduler", "parameters", "cluster", "seed") if key in record.facts}
    return f'{{"displayTimeUnit":"ms","otherData":{json.dumps(facts)},"traceEvents":[\n{lines}\n]}}\n'


def _holds(record: Record) -> Iterator[dict[str, Any]]:
    for job, node, gpu, start, end in gpu_lanes(record.allocations, record.gpus.tolist()):
        begin, until = _microseconds(start), _microseconds(end)
        yield {
            "name": f"job {job}", "cat": "job", "ph": "X", "ts": begin, "dur": until - begin,
            "pid": _CLUSTER + 1 + node, "tid": gpu + 1,
        }  # fmt: skip


def _counters(record: Record) -> Iterator[dict[str, Any]]:
    levels = over_time(record)
    for time, waiting, _, busy in levels.itertuples(index=False):
        for name, value in (("jobs waiting", waiting), ("GPUs busy", busy)):
            yield {"name": name, "ph": "C", "ts": _microseconds(time), "pid": _CLUSTER, "args": {name: value}}


def _names(record: Record) -> Iterator[dict[str, Any]]:
    yield {"name": "process_name", "ph": "M", "pid": _CLUSTER, "args": {"name": "cluster"}}
    for node, (gpus, is_gpu) in enumerate(zip(record.gpus.tolist(), record.is_gpu.tolist(), strict=True)):
        pid = _CLUSTER + 1 + node
        yield {"name": "process_name", "ph": "M", "pid": pid, "args": {"name": f"server {node}"}}
        yield {"name": "process_sort_index", "ph": "M", "pid": pid, "args": {"sort_index": pid}}
        for gpu in range(gpus):
            label = f"{'GPU' if is_gpu else 'CPU slot'} {gpu}"
            yield {"name": "thread_name", "ph": "M", "pid": pid, "tid": gpu + 1, "args": {"name": label}}


def _microseconds(seconds: float) -> int:
    return round(seconds * 1e6)
