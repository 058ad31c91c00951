"""What a job gains by sending first: Crux's intensity and correction factor."""

from functools import lru_cache

import numpy as np

from rarlib.fabric.arrangement import FabricView, SharingJob, link_seconds
from rarlib.fabric.case import BYTES_PER_GBIT, SendingJob, SharedCase, flow_table, phase_table
from rarlib.fabric.phases import run_phases
from rarlib.fabric.rings import Flow
from rarlib.model import limits

_ROUNDS, _MOST_ITERATIONS, _FEWEST = 400.0, 20_000.0, 20.0
_LEAST = 1e-3
"""Gains below this share of time are within the error of the pair's run and count as this much."""


def busiest_s(view: FabricView, job: SharingJob, paths: tuple[int, ...] | None = None) -> float:
    """Longest time of a job's traffic on any link, s: its t; 0 if it sends nothing."""
    return max(link_seconds(view, job, paths).values(), default=0.0)


def intensity(job: SharingJob, send_s: float) -> float:
    """GPU-seconds of computing per second of sending, I = W / t; infinite if the job sends nothing."""
    return job.gpus * job.compute_s / send_s if send_s > 0.0 else np.inf


@lru_cache(maxsize=65_536)
def correction(compute_s: float, send_s: float, reference_compute_s: float, reference_send_s: float) -> float:
    """Correction factor k of a job beside the reference job: who gains more sending time by going first.

    Both run on one link in the exact mode, once with the job first, once with the reference first. k is the share of
    time that the job sends, first minus second, over the same difference of the reference.
    """
    job, reference = (compute_s, send_s), (reference_compute_s, reference_send_s)
    job_first = sending_shares(job, reference)
    reference_first = sending_shares(reference, job)
    gain = max(job_first[0] - reference_first[1], _LEAST)
    return gain / max(reference_first[0] - job_first[1], _LEAST)


def sending_shares(first: tuple[float, float], second: tuple[float, float]) -> tuple[float, float]:
    """Share of time that each of two jobs on one link sends, as bytes over capacity, if the first has priority.

    Args:
        first: seconds of computing and of sending of the job that goes first.
        second: those of the other one.
    """
    periods = [sum(first), sum(second)]
    span = max(_FEWEST * max(periods), min(_ROUNDS * max(periods), _MOST_ITERATIONS * min(periods)))
    jobs = [
        SendingJob(name, compute_s, 0.0, int(np.ceil(span / (compute_s + send_s))), (Flow(send_s, {"x": 1}),), level)
        for name, level, (compute_s, send_s) in (("first", 1, first), ("second", 0, second))
    ]
    case = SharedCase("pair", {"x": 1.0 / BYTES_PER_GBIT}, jobs, leave=True)
    run = run_phases(flow_table(case), phase_table(case), limits.PHASE_EVENTS.most)
    middle = jobs[0].iterations
    every = (run.ends[:middle], run.ends[middle:])
    return tuple(  # type: ignore[return-value]
        send_s * _iterations(ends, span) / (0.75 * span)
        for ends, (_, send_s) in zip(every, (first, second), strict=True)
    )


def _iterations(ends: np.ndarray, span: float) -> float:
    """Iterations, with fractions, from a quarter of the span to its end."""
    count = np.arange(len(ends) + 1.0)
    times = np.concatenate([[0.0], ends])
    return float(np.interp(span, times, count) - np.interp(0.25 * span, times, count))
