"""How much of a run is done: the share of all work, not of all jobs, since the last jobs are often the longest."""

import time
from collections.abc import Callable

import numpy as np

from rarlib.simulator.state import RUNNING, State

_PAUSE_S = 0.2


def done_share(state: State) -> float:
    """Share of the work of all jobs that is done now, in [0, 1]; work counts in GPU-seconds on the requested gang."""
    job, now = np.asarray(state.job), float(np.asarray(state.run)["now"][0])
    ran_s = np.maximum(now - np.maximum(job["settled"], job["ready"]), 0.0)
    done = job["done"] + np.where(job["phase"] == RUNNING, ran_s * job["rate"], 0.0)
    weight = np.maximum(job["gpus"], 1) / job["alone_rate"]
    total = float((weight * job["work"]).sum())
    return float((weight * np.minimum(done, job["work"])).sum()) / total if total > 0.0 else 1.0


def reporter(progress: Callable[[float], None], share: Callable[[], float], jobs: int) -> Callable[[int], None]:
    """What to call with the number of finished jobs, so that `progress` gets the share done now and then, and last."""
    last = -np.inf

    def report(finished: int) -> None:
        nonlocal last
        now = time.monotonic()
        if finished == jobs:
            progress(1.0)
        elif now - last > _PAUSE_S:
            last = now
            progress(share())

    return report
