"""Training steps of nine models by plan and placement that Morphling's authors measured.

Source: Zhang et al., "Rubick" (Morphling in the artifact), MLSys 2025, arXiv 2408.08586; `data/measured.tsv` lists the
files. Nodes of 8 A800 with 100 GB/s between nodes as stated. The global batch of a model is fixed.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import pandas as pd

from artifact.machines.frames import SourceFiles
from rarlib.model.errors import InputError

_KINDS: dict[str, dict[str, type]] = {
    "placements": {
        **dict.fromkeys(("id", "model", "plan"), str),
        **dict.fromkeys(("pipeline", "tensor", "data"), int),
        "placement": str,
        **dict.fromkeys(("nodes", "gpus", "global_batch"), int),
        "cpu_threads": str,
        **dict.fromkeys(("iteration_s", "forward_s", "backward_exchange_s", "optimizer_s"), float),
        "use": str,
    },
    "validation": {
        **dict.fromkeys(("id", "model", "label", "plan"), str),
        **dict.fromkeys(("pipeline", "tensor", "data"), int),
        "placement": str,
        "gpus": int,
        **dict.fromkeys(("iteration_s", "authors_forward_input_s", "authors_iteration_s"), float),
        **dict.fromkeys(("in_authors_fit", "same_as"), str),
        "same_iteration_s": float,
    },
}
MORPHLING_FILES = SourceFiles(
    _KINDS,
    gaps={
        "placements": ("iteration_s", "forward_s", "backward_exchange_s", "optimizer_s"),
        "validation": ("authors_forward_input_s", "same_iteration_s"),
    },
)
"""Files of the source. Where a field may be empty: not stored, or the plan did not run."""

STEP_MODELS = ("bert", "roberta", "gpt-2", "t5", "vit")
"""Models whose data-parallel plans have enough rows to fit to others and predict one."""

STEP_PLANS = ("dp", "dp+recompute", "zero-dp", "zero-offload")
"""Plans in which every GPU holds a replica of the whole model."""

UNEXPLAINED = "vit"
"""Two to six times slower on nodes with an odd number of GPUs, mostly in the optimizer: it is a group of its own."""


class StepRow(NamedTuple):
    """One measured training step.

    Attributes:
        id: name of the row.
        model: name of the model.
        plan: what the replicas share, and whether they recompute.
        by_node: GPUs of each node.
        batch: samples of a step, over all GPUs.
        iteration_s: what was measured.
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
    """The source.

    Attributes:
        frames: its files by name, columns as in `MORPHLING_FILES`.
    """

    frames: Mapping[str, pd.DataFrame]

    @cached_property
    def steps(self) -> tuple[StepRow, ...]:
        """Steps of data-parallel plans, in the order of the file.

        Raises:
            InputError: a placement, a batch or a time that contradicts the rest of its row; names the row.
        """
        table = enumerate(self.frames["placements"].to_dict("records"), 2)
        return tuple(
            _step_row(row, line)
            for line, row in table
            if row["use"] == "yes" and row["model"] in STEP_MODELS and row["plan"] in STEP_PLANS
        )

    def scored(self, quantity: str) -> tuple[StepRow, ...]:
        """Rows with a measured value of a quantity."""
        return self.steps


def _step_row(row: Mapping[Any, Any], line: int) -> StepRow:
    def check(fine: bool, rule: str, field: str) -> None:
        if not fine:
            raise InputError(rule, file="placements.csv", row=line, field=field)

    digits = row["placement"]
    check(digits.isdecimal() and digits.isascii() and "0" not in digits, "must be a digit above 0 by node", "placement")
    by_node = tuple(map(int, digits))
    check(len(by_node) == row["nodes"], "must be the nodes of the placement", "nodes")
    check(sum(by_node) == row["gpus"] == row["data"], "must be the GPUs of the placement, and its replicas", "gpus")
    check(row["global_batch"] >= row["gpus"], "must be a sample for each GPU, or more", "global_batch")
    check(row["iteration_s"] > row["optimizer_s"] > 0, "must be above 0, and less than the iteration", "optimizer_s")
    return StepRow(
        row["id"], row["model"], row["plan"], by_node, row["global_batch"], row["iteration_s"], row["optimizer_s"]
    )
