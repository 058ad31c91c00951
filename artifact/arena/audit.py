"""The audit of a trace that becomes a workload: jobs read, dropped and cut, span, offered load, mix."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from artifact.arena.load import offered
from artifact.arena.windows import LARGEST_GPU_H, LONGEST_S, REASONS, SHORTEST_S
from artifact.arena.workload import Fitted
from rarlib.cost.goodput.applications import APPLICATIONS

_NAMES = [name for name, each in APPLICATIONS.items() if not each.stages]


class Quantity(NamedTuple):
    """One quantity of the audit."""

    name: str
    unit: str
    meaning: str


QUANTITIES = (
    Quantity("standin", "1", "1: drawn from statistics, not recorded"),
    Quantity("read", "jobs", "of the trace; read = no_gpu + short + huge + long + kept"),
    Quantity("no_gpu", "jobs", "dropped from the trace: on CPUs only"),
    Quantity("short", "jobs", f"dropped: recorded for less than {SHORTEST_S:g} s"),
    Quantity("huge", "jobs", f"dropped: {LARGEST_GPU_H:,.0f} GPU h or more"),
    Quantity("long", "jobs", f"dropped: recorded for more than {LONGEST_S / 3600:g} h"),
    Quantity("kept", "jobs", "what windows are taken from"),
    Quantity("first", "jobs", "before the window, of those kept (AITurbo's study: of the trace that lends arrivals)"),
    Quantity("window", "jobs", "in the window; window = gang + jobs"),
    Quantity("gang", "jobs", "dropped from the window: ask for more GPUs than the cluster has"),
    Quantity("jobs", "jobs", "that are run"),
    Quantity("cut", "jobs", "of these: gang cut to what the application can use on the cluster's first GPU type"),
    Quantity("retuned", "jobs", "of these: batch not measured on the gang, the fastest takes its place"),
    Quantity("unpredictable", "jobs", "of these: predictions of their duration are not to be trusted"),
    Quantity("gpu_hours", "GPU h", "asked for by all jobs, on the cluster's first GPU type"),
    Quantity("largest_share", "1", "share of the largest job in gpu_hours"),
    Quantity("longest", "h", "duration of the longest job, alone, as requested"),
    Quantity("reference_gpus", "GPU", "what the cluster is worth in GPUs of its first type, to these jobs"),
    Quantity("span_recorded", "h", "from the first to the last submission, as recorded"),
    Quantity("load_recorded", "1", "gpu_hours / (reference_gpus x span_recorded)"),
    Quantity("span", "h", "from the first to the last submission, as run"),
    Quantity("load", "1", "offered load: gpu_hours / (reference_gpus x span)"),
    *(Quantity(f"share_{name}", "1", f"share of the jobs that train {name}") for name in _NAMES),
)
"""The quantities of the audit for every trace, window and cluster, in this order."""

UNITS = {each.name: each.unit for each in QUANTITIES}
"""Unit of each quantity, by name."""


def audit_row(window: Mapping[str, Any], fitted: Fitted, load: float) -> dict[str, float]:
    """The `QUANTITIES` of one window on one cluster at an offered load, except `standin`."""
    columns, gpu_s = fitted.columns, fitted.gpu_s
    dropped = {reason: window["dropped"][reason] for reason in REASONS}
    total, n = float(gpu_s.sum()), len(gpu_s)
    retuned = (fitted.batch_asked > 0) & (fitted.batch_asked != columns["batch_size"])
    span_s = total / (fitted.reference_gpus * load)
    row = {
        "read": window["read"],
        **dropped,
        "kept": window["read"] - sum(dropped.values()),
        "first": window["first"],
        "window": n + fitted.dropped,
        "gang": fitted.dropped,
        "jobs": n,
        "cut": int((fitted.gpus_asked != columns["gpus"]).sum()),
        "retuned": int(retuned.sum()),
        "unpredictable": int((~columns["predictable"]).sum()),
        "gpu_hours": total / 3600,
        "largest_share": float(gpu_s.max()) / total,
        "longest": float(columns["duration_s"].max()) / 3600,
        "reference_gpus": fitted.reference_gpus,
        "span_recorded": fitted.span_s / 3600,
        "load_recorded": offered(total, fitted.reference_gpus, fitted.span_s),
        "span": span_s / 3600,
        "load": offered(total, fitted.reference_gpus, span_s),
    }
    return row | {f"share_{name}": float(np.mean(columns["application"] == name)) for name in _NAMES}
