"""Training steps of nine models by plan and placement that Morphling's authors measured.

Source: Zhang et al., "Rubick" (Morphling in the artifact), MLSys 2025, arXiv 2408.08586; `data/measured.tsv` lists the
files. Nodes of 8 A800 with 100 GB/s between nodes as stated. The global batch of a model is fixed.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import pandas as pd

STEP_MODELS = ("bert", "roberta", "gpt-2", "t5", "vit")
"""Models whose data-parallel plans have enough rows to fit to others and predict one."""

STEP_PLANS = ("dp", "dp+recompute", "zero-dp", "zero-offload")
"""Plans in which every GPU holds a replica of the whole model."""

UNEXPLAINED = "vit"
"""Two to six times slower on nodes with an odd number of GPUs, mostly in the optimizer: it is a group of its own."""


class StepRow(NamedTuple):
    """One measured training step.

    Attributes:
        plan: what the replicas share, and whether they recompute.
        by_node: GPUs of each node.
        batch: samples of a step, over all GPUs.
        optimizer_s: the part of it in which the optimizer runs.
    """

    id: str
    model: str
    plan: str
    by_node: tuple[int, ...]
    batch: int
    iteration_s: float
    optimizer_s: float

    @property
    def group(self) -> str:
        """Rows that test the same."""
        if self.model == UNEXPLAINED:
            return self.model
        return "one node" if len(self.by_node) == 1 else "several nodes"

    @property
    def gpus(self) -> int:
        """Number of GPUs."""
        return sum(self.by_node)

    @property
    def local(self) -> float:
        """Samples of a GPU and step."""
        return self.batch / self.gpus


@dataclass(frozen=True, eq=False)
class Morphling:
    """The source."""

    frames: Mapping[str, pd.DataFrame]

    @cached_property
    def steps(self) -> tuple[StepRow, ...]:
        """Steps of data-parallel plans, in the order of the file."""
        return tuple(
            _step_row(row)
            for row in self.frames["placements"].to_dict("records")
            if row["use"] == "yes" and row["model"] in STEP_MODELS and row["plan"] in STEP_PLANS
        )

    def scored(self, quantity: str) -> tuple[StepRow, ...]:
        """Rows with a measured value of a quantity."""
        return self.steps


def _step_row(row: Mapping[Any, Any]) -> StepRow:
    by_node = tuple(map(int, row["placement"]))  # a digit for each node
    return StepRow(
        row["id"], row["model"], row["plan"], by_node, row["global_batch"], row["iteration_s"], row["optimizer_s"]
    )
