"""Runs of one trace of 120 jobs on a cluster of 32 GPUs under several policies, measured by Shockwave's authors.

Source: Zheng et al., NSDI 2023, artifact (`data/measured.tsv` lists the files): eight nodes of four GPUs, one run for
each policy; the ends of all jobs, and which job held GPUs in which round, under three of them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import pandas as pd

from rarlib.model.jobs import Jobs

STATED_ROUND_S = 120.0
"""Length of a round as the authors state it."""

RUN_HERE = {
    "max_min_fairness": "max-min",
    "finish_time_fairness": "finish-time",
    "max_sum_throughput_perf": "max-sum",
    "shockwave": "shockwave",
}
"""Policies that rarlib has, with the names of their rows; AlloX and OSSP ran as well."""

OUTCOMES = {"mean": ("mean completion", "mean_completion_s"), "last": ("last completion", "last_completion_s")}
"""Outcome of a run -> group of its row, column of the source."""


class JobEnd(NamedTuple):
    """A job in a run whose rounds are known.

    Attributes:
        last_round: the last round in which it held GPUs, from 0.
        completion_s: from arrival to end.
    """

    policy: str
    job: int
    last_round: int
    completion_s: float


class RunRow(NamedTuple):
    """An outcome of a run.

    Attributes:
        id: policy, slash, `mean` or `last`.
        group: mean or last completion.
        completion_s: mean from arrival to end, or the last end since the first arrival.
    """

    id: str
    group: str
    policy: str
    completion_s: float


@dataclass(frozen=True, eq=False)
class ShockwaveRuns:
    """The source."""

    frames: Mapping[str, pd.DataFrame]

    @cached_property
    def arrival_s(self) -> dict[int, float]:
        """Arrivals by number of the job, seconds."""
        return dict(zip(self.frames["jobs"]["job"], self.frames["jobs"]["arrival_s"].astype(float), strict=True))

    @cached_property
    def job_ends(self) -> tuple[JobEnd, ...]:
        """All jobs of the runs with rounds, in the order of the file."""
        return tuple(
            JobEnd(row["policy"], row["job"], row["last_round"], row["cluster_s"])
            for row in self.frames["completion"].to_dict("records")
        )

    def outcomes(self, origin: str) -> tuple[RunRow, ...]:
        """Outcomes of the policies of `RUN_HERE` in the `cluster` or in the `authors`' simulator."""
        table = self.frames["runs"]
        mine = table[table["world"] == origin]
        found = []
        for outcome, (group, column) in OUTCOMES.items():
            values = dict(zip(mine["policy"], mine[column].astype(float), strict=True))
            found += [
                RunRow(f"{name}/{outcome}", group, policy, values[policy])
                for policy, name in RUN_HERE.items()
                if policy in values
            ]
        return tuple(found)

    def scored(self, quantity: str) -> tuple[RunRow, ...]:
        """Rows with a measured value of a quantity."""
        return self.outcomes("cluster")

    def trace(self, factor: float = 1.0) -> Jobs:
        """The jobs, lasting `factor` times what the trace says."""
        jobs = self.frames["jobs"]
        return Jobs.build(
            submit_s=jobs["arrival_s"].to_numpy(float),
            gpus=jobs["gpus"].to_numpy(int),
            duration_s=factor * jobs["duration_s"].to_numpy(float),
        )
