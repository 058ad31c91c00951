"""Iterations of pipelines that Sailor's authors measured, and the profiles of their layers.

Source: Strati et al., SOSP 2025, doi 10.1145/3731569.3764839, section 5.1; `data/measured.tsv` lists the files.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd


class PlanRow(NamedTuple):
    """One measured plan.

    Attributes:
        cluster: `gh200` or `mixed`.
        replicas: pipelines side by side.
        tensor_parallel: GPUs of one node that share each layer.
        microbatch: samples of a microbatch.
        microbatches: of one pipeline and iteration.
        stages: layers of each stage, first and last one.
        nodes: GPU type of the node that runs each stage, a list for each pipeline.
    """

    id: str
    cluster: str
    model: str
    replicas: int
    tensor_parallel: int
    microbatch: int
    microbatches: int
    stages: tuple[tuple[int, int], ...]
    nodes: tuple[tuple[str, ...], ...]
    iteration_s: float

    @property
    def group(self) -> str:
        """Rows that test the same: a model on a cluster."""
        return f"{self.model} {self.cluster}"


@dataclass(frozen=True, eq=False)
class Sailor:
    """The source.

    Attributes:
        frames: a data frame for each file.
        bucket_bytes: gradients are exchanged in buckets of this size; by default that of the frameworks that ran.
    """

    frames: Mapping[str, pd.DataFrame]
    bucket_bytes: float = 5e8

    @cached_property
    def rows(self) -> tuple[PlanRow, ...]:
        """The rows that count, in the order of the file; copies of other rows are flagged there and left out."""
        table = self.frames["measured"]
        return tuple(_plan_row(row) for row in table[table["use"] == "yes"].to_dict("records"))

    def scored(self, quantity: str) -> tuple[PlanRow, ...]:
        """Rows with a measured value of a quantity."""
        return self.rows

    @cached_property
    def _profiles(self) -> dict[Any, pd.DataFrame]:
        return dict(iter(self.frames["profiles"].groupby(["set", "model", "gpu", "microbatch", "tensor_parallel"])))

    @cached_property
    def _layers(self) -> dict[Any, pd.DataFrame]:
        return dict(iter(self.frames["layers"].groupby(["model", "tensor_parallel"])))

    @cached_property
    def _links(self) -> dict[Any, pd.DataFrame]:
        table = self.frames["network"]
        even = (table["where"] == "between") & (table["sender_gpus"] == table["receiver_gpus"])
        return dict(iter(table[even].groupby(["sender", "receiver"])))

    def layer_times(self, row: PlanRow, gpu: str, column: str, *, second: bool = False) -> np.ndarray:
        """Seconds of each layer at a row's microbatch and tensor-parallel degree.

        `column`: forward_s, backward_s or update_s; `second`: whether the second profiling counts, where there is one.
        """
        at = (row.model, gpu, row.microbatch, row.tensor_parallel)
        found = self._profiles["simulator", *at]
        return _spread(self._profiles.get(("planner", *at), found) if second else found, column)

    def layer_values(self, row: PlanRow, column: str) -> np.ndarray:
        """Numbers of each layer per sample and GPU: parameters or output_values."""
        return _spread(self._layers[row.model, row.tensor_parallel], column)

    def link(self, sender: str, receiver: str, pairs: int) -> pd.DataFrame:
        """Curves of transfers between two nodes for up to so many pairs of GPUs at once."""
        found = self._links[sender, receiver]
        return found[found["sender_gpus"] <= pairs]


def _spread(ranges: pd.DataFrame, column: str) -> np.ndarray:
    """A value for each layer from rows that hold for ranges of layers."""
    ordered = ranges.sort_values("first_layer")
    layers = ordered["last_layer"] - ordered["first_layer"] + 1
    return np.repeat(ordered[column].to_numpy(float), layers.to_numpy())


def _plan_row(row: Mapping[Any, Any]) -> PlanRow:
    counts = [int(part) for part in row["layers_per_stage"].split("-")]
    types = [part.split("+") for part in row["gpu_types"].split(";")]
    if types == [[row["gpu_types"]]]:  # one type everywhere
        types = [[row["gpu_types"]] * row["replicas"]] * row["stages"]
    ends = np.cumsum(counts).tolist()
    return PlanRow(
        **{name: row[name] for name in PlanRow._fields if name not in ("stages", "nodes")},
        stages=tuple((end - count, end - 1) for end, count in zip(ends, counts, strict=True)),
        nodes=tuple(tuple(stage[replica] for stage in types) for replica in range(row["replicas"])),
    )
