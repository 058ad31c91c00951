"""Workloads in which some jobs are not adaptive."""

from dataclasses import replace

import numpy as np

from rarlib.model.jobs import Jobs
from rarlib.model.seeds import stream


def mixed(jobs: Jobs, kind: str, share: int, file: int) -> Jobs:
    """The jobs, `share` percent of them of a kind (`scale-gpus`, `rigid`), the rest adaptive.

    Each job is drawn on its own, as in the authors' script; the jobs of a smaller share are among those of a larger.

    Args:
        jobs: of a workload file.
        kind: what the drawn jobs are.
        share: percent.
        file: number of the workload file, which seeds the draw.
    """
    drawn = stream(file, "sia", "mixes").uniform(0.0, 100.0, len(jobs)) < share
    return replace(jobs, adaptivity=np.where(drawn, kind, "adaptive").astype(object))
