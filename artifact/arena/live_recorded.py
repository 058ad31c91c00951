"""The first jobs of a stand-in of the Philly trace on a small cluster, replayed while a reader watches."""

from collections.abc import Sequence
from functools import lru_cache

import pandas as pd
from matplotlib.figure import Figure

from artifact.arena.figures.recorded import jct_and_queueing
from artifact.arena.recorded import replay
from rarlib.model.jobs import Jobs
from rarlib.plot.style import mark
from rarlib.traces.standin import draw

JOBS, NODE_GPUS = 1000, 8


def replayed(schedulers: Sequence[str], nodes: int, restart_min: float, seed: int) -> Figure:
    """The notebook's figure for the first 1,000 jobs of a stand-in; jobs larger than the cluster are left out."""
    figure = jct_and_queueing(pd.concat([rows(name, nodes, restart_min, seed) for name in schedulers]))
    mark(figure, [f"STAND-IN DATA: {JOBS} jobs drawn from statistics, {nodes} nodes of {NODE_GPUS} GPUs"])
    return figure


@lru_cache(256)
def rows(scheduler: str, nodes: int, restart_min: float, seed: int) -> pd.DataFrame:
    """Tidy rows of one scheduler, see `artifact.arena.recorded.replay`; arguments as for `replayed`."""
    jobs = _jobs(seed)
    settings = {"cluster": f"{nodes}x{NODE_GPUS}", "seed": 0, "restart_s": 60.0 * restart_min}
    return replay(scheduler, jobs.take(jobs.gpus <= nodes * NODE_GPUS), settings)


@lru_cache(16)
def _jobs(seed: int) -> Jobs:
    return draw("philly-pollux", seed=seed)[0].jobs.take(slice(0, JOBS))
