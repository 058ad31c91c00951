"""Runs of one trace of 160 jobs on 16 nodes of four T4 under several policies, measured by Pollux' authors.

Source: Qiao et al., OSDI 2021, Table 2 (`data/measured.tsv` lists the file). Values have two digits. What the paper
calls a 99th percentile is the mean over the ImageNet jobs; some of these failed and were extended by their rate.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import pandas as pd

SOURCE_RUNS = {
    "pollux": ("pollux", "tuned"),
    "optimus": ("optimus", "tuned"),
    "tiresias": ("tiresias", "tuned"),
    "optimus-realistic": ("optimus", "realistic"),
    "tiresias-realistic": ("tiresias", "realistic"),
    "pollux-p1": ("pollux, p = +1", "tuned"),
    "pollux-p-10": ("pollux, p = -10", "tuned"),
}
"""Run -> policy and workload as the source names them; under Pollux it does not matter what users request."""

RUN_OUTCOMES = {
    "mean": ("mean completion", "mean_completion_h"),
    "imagenet": ("ImageNet jobs", "imagenet_mean_h"),
    "last": ("last completion", "makespan_h"),
}
"""Outcome of a run -> group of its row, column of the source."""

OF_POLICIES, OF_SETTINGS = "policies", "settings"
RUN_PAIRS = {
    ("pollux", "optimus"): OF_POLICIES,
    ("pollux", "tiresias"): OF_POLICIES,
    ("optimus", "tiresias"): OF_POLICIES,
    ("pollux", "optimus-realistic"): OF_POLICIES,
    ("pollux", "tiresias-realistic"): OF_POLICIES,
    ("optimus-realistic", "tiresias-realistic"): OF_POLICIES,
    ("optimus", "optimus-realistic"): OF_SETTINGS,
    ("tiresias", "tiresias-realistic"): OF_SETTINGS,
    ("pollux", "pollux-p1"): OF_SETTINGS,
    ("pollux", "pollux-p-10"): OF_SETTINGS,
    ("pollux-p1", "pollux-p-10"): OF_SETTINGS,
}
"""Two runs -> group of their ratio: two policies on the same jobs, or one policy in two settings."""


class OutcomeRow(NamedTuple):
    """An outcome of a run.

    Attributes:
        id: run, slash, a key of `RUN_OUTCOMES`.
        group: mean completion, ImageNet jobs or last completion.
    """

    id: str
    group: str
    hours: float


class RatioRow(NamedTuple):
    """The ratio of two mean completions.

    Attributes:
        id: run, ` over `, run.
        group: policies or settings.
    """

    id: str
    group: str
    ratio: float


@dataclass(frozen=True, eq=False)
class PolluxRuns:
    """The source."""

    frames: Mapping[str, pd.DataFrame]

    @cached_property
    def measured(self) -> tuple[OutcomeRow, ...]:
        """Outcomes of all runs on the machines."""
        return self.outcomes("cluster")

    def outcomes(self, origin: str) -> tuple[OutcomeRow, ...]:
        """Outcomes in the `cluster`, or in the `authors`' simulator, which they did not use for all runs."""
        table = self.frames["runs"]
        mine = table[table["world"] == origin].to_dict("records")
        held = {(row["policy"], row["workload"]): row for row in mine}
        return tuple(
            OutcomeRow(f"{run}/{outcome}", group, float(held[key][column]))
            for outcome, (group, column) in RUN_OUTCOMES.items()
            for run, key in SOURCE_RUNS.items()
            if key in held
        )

    def scored(self, quantity: str) -> tuple[OutcomeRow, ...] | tuple[RatioRow, ...]:
        """Rows with a measured value of a quantity."""
        if quantity == "testbed":
            return self.measured
        found = mean_ratios({row.id: row.hours for row in self.measured})
        return tuple(
            RatioRow(name, group, found[name])
            for (one, other), group in RUN_PAIRS.items()
            if (name := pair_name(one, other)) in found
        )


def pair_name(one: str, other: str) -> str:
    """Row of the ratio of two runs."""
    return f"{one} over {other}"


def mean_ratios(hours: Mapping[str, float]) -> dict[str, float]:
    """Ratios of mean completions by row, where both runs are known."""
    mean = {run: hours[f"{run}/mean"] for run in SOURCE_RUNS if f"{run}/mean" in hours}
    return {pair_name(one, other): mean[one] / mean[other] for one, other in RUN_PAIRS if one in mean and other in mean}
