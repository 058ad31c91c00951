"""Sia's and Pollux's experiment inputs (SOSP'23, OSDI'21): name, time, application, num_replicas, batch_size.

Where jobs differ in what may be changed, a column `category` says so: adaptive, scale-gpus or rigid.

The files hold no running time: in those papers it follows from the application's profile and the policy. To replay
them as rigid jobs, this reader makes one up by a fixed rule, which is **our choice**: the authors drew the application
from the class of GPU time of a production job (below 1, 10, 100 GPU hours, the rest below 1,000; jobs under 60 s were
left out), so a job gets the geometric middle of its class, divided by the GPUs it asks for. The trace's provenance
says so. Experiments on profiles use application and GPU count and ignore the duration.
"""

import numpy as np

from rarlib.traces.table import ParsedTrace, RawTable

FORMAT = "sia"
HEADER = frozenset({"name", "time", "application", "num_replicas", "batch_size"})
GPU_HOURS = {
    "cifar10": (1 / 60, 1.0),
    "ncf": (1 / 60, 1.0),
    "deepspeech2": (1.0, 10.0),
    "bert": (1.0, 10.0),
    "yolov3": (10.0, 100.0),
    "imagenet": (100.0, 1000.0),
}
"""Application -> GPU hours (from, to) of the production jobs it stands for."""

NOTE = "no running times in this format: duration_s is the geometric middle of the application's GPU-time class / gpus"


def drawn_duration_s(application: str, gpus: float) -> float:
    """Made-up running time of a job on the GPUs it asks for, whole seconds."""
    low, high = GPU_HOURS[application]
    return float(np.round(np.sqrt(low * high) * 3600 / gpus))


def read(data: bytes, file: str) -> ParsedTrace:
    """Read a workload file; nothing is dropped."""
    table = RawTable.parse(data, file, text=("name", "application", "category")).require(*sorted(HEADER))
    gpus, application = table.numbers("num_replicas"), table.text("application")
    table.fail(~(gpus >= 1), "num_replicas", "must be at least 1")
    unknown = np.array([name not in GPU_HOURS for name in application], dtype=bool)
    table.fail(unknown, "application", f"must be one of {', '.join(GPU_HOURS)}")
    jobs = table.jobs(
        job_id=("name", table.text("name")),
        submit_s=("time", table.numbers("time")),
        gpus=("num_replicas", gpus),
        duration_s=(
            "application",
            [drawn_duration_s(name, count) for name, count in zip(application, gpus, strict=True)],
        ),
        application=("application", application),
        batch_size=("batch_size", table.numbers("batch_size")),
        adaptivity=("category", table.text("category")),
    )
    return ParsedTrace(jobs, len(table), {}, note=NOTE)
