"""Workloads in which some jobs are not adaptive."""

from dataclasses import replace

import numpy as np

from rarlib.model.jobs import Jobs
from rarlib.model.seeds import stream


def mixed(jobs: Jobs, kind: str, share: int, file: int) -> Jobs:
    """The jobs, about `share` percent of them of a kind (`scale-gpus`, `rigid`), the rest adaptive.

    Each job is drawn independently, as in the authors' script; jobs drawn at a smaller share are drawn at a larger one.

    `file`: number of the workload file, which seeds the draw.
    """
    drawn = stream(file, "sia", "mixes").uniform(0.0, 100.0, len(jobs)) < share
    return replace(jobs, adaptivity=np.where(drawn, kind, "adaptive").astype(object))
