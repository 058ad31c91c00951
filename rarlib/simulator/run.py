"""The record of a run, from which every figure can be recomputed and every identity checked."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rarlib.model.cluster import Cluster
from rarlib.model.jobs import Jobs
from rarlib.model.prices import Prices
from rarlib.simulator.state import FINISHED, Ended, State

JOB_RECORD = (
    "start_s", "finish_s", "gpu_seconds", "restarts", "moves", "queue_s", "useful_s", "contention_s", "overhead_s",
    "restart_s",
)  # fmt: skip
"""Columns of a run's state that its record keeps as they are."""


class LinkFrames(NamedTuple):
    """What links carried: the attributes of `Run` of these names."""

    links: pd.DataFrame | None
    link_load: pd.DataFrame | None


NO_LINKS = LinkFrames(None, None)


@dataclass(frozen=True)
class Run:
    """The record of a run. Job arrays have shape (jobs,), allocation arrays (allocation rows,); times in seconds.

    Attributes:
        jobs: the job table.
        cluster: the cluster.
        prices: the price table that the run faced.
        finished: whether a job reached its end.
        start_s: first start; NaN for a job that never started.
        finish_s: finish; NaN for a job that is left when the run ends.
        gpu_seconds: GPU-seconds held.
        restarts: starts after the first one.
        moves: starts in another place than the one before.
        queue_s: time in the system without GPUs.
        useful_s: time the job would have run in the same placements without other jobs, without per-server overhead
            and without restarts. Turnaround = queue_s + useful_s + contention_s + overhead_s.
        contention_s: time lost to sharing links.
        overhead_s: time lost to servers spanned and to restarts.
        restart_s: the part of overhead_s that restarts cost.
        work_done: iterations done, in the unit of `prices.work`.
        alloc_job: row of the job that holds GPUs in an interval.
        alloc_start: when the interval begins.
        alloc_end: when it ends.
        alloc_node: the node.
        alloc_gpus: GPUs held there.
        counters: jobs, events, passes, end of the run, and areas under the curves of jobs and busy GPUs over time;
            `unmeasured_s`, if above 0: seconds of progress of all jobs together that rest on the nearest measurements.
        links: on a fabric, a row for each link that carried anything: link, carried_s (seconds that it took for what it
            carried, at its whole capacity) and contention_s (of the jobs that waited for it more than for other links).
        link_load: on a fabric, a row for each bin of time: start_s, and a column for each of the busiest links, named
            like it, with the share of its capacity that was in use, on average.
    """

    jobs: Jobs
    cluster: Cluster
    prices: Prices
    finished: NDArray[np.bool_]
    start_s: NDArray[np.float64]
    finish_s: NDArray[np.float64]
    gpu_seconds: NDArray[np.float64]
    restarts: NDArray[np.int64]
    moves: NDArray[np.int64]
    queue_s: NDArray[np.float64]
    useful_s: NDArray[np.float64]
    contention_s: NDArray[np.float64]
    overhead_s: NDArray[np.float64]
    restart_s: NDArray[np.float64]
    work_done: NDArray[np.float64]
    alloc_job: NDArray[np.int64]
    alloc_start: NDArray[np.float64]
    alloc_end: NDArray[np.float64]
    alloc_node: NDArray[np.int64]
    alloc_gpus: NDArray[np.int64]
    counters: dict[str, Any]
    links: pd.DataFrame | None = None
    link_load: pd.DataFrame | None = None

    @classmethod
    def of(
        cls, state: State | Ended, jobs: Jobs, cluster: Cluster, prices: Prices, links: LinkFrames = NO_LINKS
    ) -> "Run":
        """Build the record from the final state; `links`: what a fabric's links carried."""
        clock, job = state.run[0], state.job
        rows: Any = state.rows[: int(clock.rows)]
        some = rows["end_s"] != rows["start_s"]  # a job of zero length holds nothing
        kept = slice(None) if some.all() else some
        unmeasured_s = float(job["unmeasured_s"].sum()) if isinstance(state, State) else 0.0
        return cls(
            jobs=jobs,
            cluster=cluster,
            prices=prices,
            finished=job["phase"] == FINISHED,
            work_done=np.ascontiguousarray(job["done"]),
            links=links.links,
            link_load=links.link_load,
            **{name: np.ascontiguousarray(job[name]) for name in JOB_RECORD},
            **{f"alloc_{name.removesuffix('_s')}": np.ascontiguousarray(rows[name][kept]) for name in rows.dtype.names},
            counters={
                "jobs": len(jobs),
                "events": int(clock.events),
                "passes": int(clock.passes),
                "end_s": float(clock.now),
                "area_system": float(clock.area_system),
                "area_waiting": float(clock.area_waiting),
                "area_busy_gpus": float(clock.area_busy),
            }
            | ({"unmeasured_s": unmeasured_s} if unmeasured_s else {}),
        )

    @property
    def makespan_s(self) -> float:
        """Latest finish, counted from the first submission."""
        return float(self.finish_s.max())

    @property
    def turnaround_s(self) -> NDArray[np.float64]:
        """Finish minus submission (job completion time, JCT), shape (jobs,)."""
        return self.finish_s - self.jobs.submit_s

    def jobs_frame(self, rows: slice = slice(None)) -> pd.DataFrame:
        """One row per job, columns and order as in `jobs.csv`; `rows`: a part of it."""
        return pd.DataFrame(
            {
                "job_id": self.jobs.job_id[rows],
                "submit_s": self.jobs.submit_s[rows],
                "start_s": self.start_s[rows],
                "finish_s": self.finish_s[rows],
                "gpus": self.jobs.gpus[rows],
                "gpu_seconds": self.gpu_seconds[rows],
                "restarts": self.restarts[rows],
                "queue_s": self.queue_s[rows],
                "contention_s": self.contention_s[rows],
                "overhead_s": self.overhead_s[rows],
                "status": np.where(self.finished[rows], "finished", "unfinished"),
            }
        )

    def details_frame(self, rows: slice = slice(None)) -> pd.DataFrame:
        """One row per job, columns and order as in `details.csv`; `rows`: a part of it."""
        return pd.DataFrame(
            {
                "job_id": self.jobs.job_id[rows],
                "min_gpus": self.jobs.min_gpus[rows],
                "moves": self.moves[rows],
                "restart_s": self.restart_s[rows],
            }
        )

    def allocations_frame(self, rows: slice = slice(None)) -> pd.DataFrame:
        """One row per job, node and interval, columns and order as in `allocations.csv`; `rows`: a part of it."""
        order = self._in_time[rows]
        return pd.DataFrame(
            {
                "job_id": self.jobs.job_id[self.alloc_job[order]],
                "start_s": self.alloc_start[order],
                "end_s": self.alloc_end[order],
                "node": self.alloc_node[order],
                "gpu_type": np.array(self.cluster.gpu_type, dtype=object)[self.alloc_node[order]],
                "gpus": self.alloc_gpus[order],
            }
        )

    @cached_property
    def _in_time(self) -> NDArray[np.int64]:
        return np.lexsort((self.alloc_node, self.alloc_job, self.alloc_start))
