"""Iterations of pipelines that Sailor's authors measured, and the profiles of their layers.

Source: Strati et al., SOSP 2025, doi 10.1145/3731569.3764839, section 5.1; `data/measured.tsv` lists the files.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from artifact.machines.frames import SourceFiles
from rarlib.model.errors import InputError

_KINDS: dict[str, dict[str, type]] = {
    "measured": {
        **dict.fromkeys(("id", "cluster", "model"), str),
        **dict.fromkeys(("nodes", "gpus", "stages", "replicas", "tensor_parallel"), int),
        **dict.fromkeys(("microbatch", "global_batch", "microbatches"), int),
        **dict.fromkeys(("layers_per_stage", "gpu_types"), str),
        **dict.fromkeys(("iteration_s", "exchange_s", "peak_bytes"), float),
        **dict.fromkeys(("use", "flag", "file"), str),
    },
    "profiles": {
        **dict.fromkeys(("model", "gpu"), str),
        **dict.fromkeys(("microbatch", "tensor_parallel", "first_layer", "last_layer"), int),
        **dict.fromkeys(("forward_s", "backward_s", "update_s"), float),
        "set": str,
    },
    "layers": {
        "model": str,
        **dict.fromkeys(("tensor_parallel", "first_layer", "last_layer"), int),
        **dict.fromkeys(("parameters", "input_values", "output_values", "kept_values"), int),
    },
    "network": {
        **dict.fromkeys(("where", "sender"), str),
        "sender_gpus": int,
        "receiver": str,
        "receiver_gpus": int,
        **dict.fromkeys(("c2", "c1", "c0", "max_bytes_per_s"), float),
    },
    "rivals": {
        **dict.fromkeys(("id", "simulator"), str),
        **dict.fromkeys(("iteration_s", "peak_bytes", "seconds_to_predict"), float),
    },
}
SAILOR_FILES = SourceFiles(
    _KINDS,
    gaps={"rivals": ("iteration_s", "peak_bytes", "seconds_to_predict")},
)
"""Files of the source. Where a field may be empty: the simulator gave no prediction."""


MOST_LAYERS = 10_000
"""Layers of a model and microbatches of a pipeline, at most: more are a slip, and would take long to simulate."""


class PlanRow(NamedTuple):
    """One measured plan.

    Attributes:
        id: name of the row.
        cluster: `gh200` or `mixed`.
        model: name of the model.
        replicas: pipelines side by side.
        tensor_parallel: GPUs of one node that share each layer.
        microbatch: samples of a microbatch.
        microbatches: of one pipeline and iteration.
        stages: layers of each stage, first and last one.
        nodes: GPU type of the node that runs each stage, a list for each pipeline.
        iteration_s: what was measured.
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
        frames: a data frame for each file, columns as in `SAILOR_FILES`.
        bucket_bytes: gradients are exchanged in buckets of this size; by default that of the frameworks that ran.
    """

    frames: Mapping[str, pd.DataFrame]
    bucket_bytes: float = 5e8

    @cached_property
    def rows(self) -> tuple[PlanRow, ...]:
        """The rows that count, in the order of the file; copies of other rows are flagged there and left out.

        Raises:
            InputError: nodes, microbatches, layers or GPU types that contradict each other, or a measurement that is
                not above 0; names the row.
        """
        table = enumerate(self.frames["measured"].to_dict("records"), 2)
        found = tuple(_plan_row(row, line) for line, row in table if row["use"] == "yes")
        for row in found:
            if len(self.layer_values(row, "parameters")) != row.stages[-1][1] + 1:
                raise InputError("must be all layers of the model", file=row.id, field="layers_per_stage")
        return found

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

        Args:
            row: the plan.
            gpu: type of the GPU.
            column: forward_s, backward_s or update_s.
            second: whether the second profiling counts, where there is one.

        Raises:
            InputError: nobody profiled this.
        """
        at = (row.model, gpu, row.microbatch, row.tensor_parallel)
        found = self._profiles.get(("simulator", *at))
        if found is None:
            raise InputError(f"no profile of {', '.join(map(str, at))}", file="profiles.csv", field=row.id)
        found = self._profiles.get(("planner", *at), found) if second else found
        times = _spread(found, column)
        if len(times) != row.stages[-1][1] + 1 or (times < 0).any():
            raise InputError("must be at least 0, for all layers of the model", file="profiles.csv", field=column)
        return times

    def layer_values(self, row: PlanRow, column: str) -> np.ndarray:
        """Numbers of each layer per sample and GPU: parameters or output_values."""
        found = self._layers.get((row.model, row.tensor_parallel))
        if found is None:
            raise InputError(f"no layers of {row.model}, {row.tensor_parallel}", file="layers.csv", field=row.id)
        values = _spread(found, column)
        if (values <= 0).any():
            raise InputError("must be above 0", file="layers.csv", field=column)
        return values

    def link(self, sender: str, receiver: str, pairs: int) -> pd.DataFrame:
        """Curves of transfers between two nodes for up to so many pairs of GPUs at once.

        Raises:
            InputError: nobody measured this link.
        """
        found = self._links.get((sender, receiver))
        if found is None or found["sender_gpus"].min() > pairs:
            raise InputError(f"no link from {sender} to {receiver}", file="network.csv", field="sender")
        return found[found["sender_gpus"] <= pairs]


def _spread(ranges: pd.DataFrame, column: str) -> np.ndarray:
    """A value for each layer from rows that hold for ranges of layers."""
    ordered = ranges.sort_values("first_layer")
    first, last = ordered["first_layer"].to_numpy(), ordered["last_layer"].to_numpy()
    if first[0] != 0 or (first[1:] != last[:-1] + 1).any() or (last < first).any() or last[-1] >= MOST_LAYERS:
        raise InputError(f"ranges of layers overlap, leave gaps or exceed {MOST_LAYERS:,}", field="first_layer")
    return np.repeat(ordered[column].to_numpy(float), last - first + 1)


def _plan_row(row: Mapping[Any, Any], line: int) -> PlanRow:
    def check(fine: bool, rule: str, field: str) -> None:
        if not fine:
            raise InputError(rule, file="measured.csv", row=line, field=field)

    counts = [int(part) if part.isdigit() else 0 for part in row["layers_per_stage"].split("-")]
    stages, replicas = row["stages"], row["replicas"]
    check(len(counts) == stages and min(counts) > 0, "needs a number of layers for each stage", "layers_per_stage")
    for field in ("replicas", "tensor_parallel", "microbatch", "microbatches"):
        check(1 <= row[field] <= MOST_LAYERS, f"must be from 1 to {MOST_LAYERS:,}", field)
    check(row["nodes"] == stages * replicas, "must be stages x replicas", "nodes")
    whole = row["microbatch"] * row["microbatches"] * replicas
    check(row["global_batch"] == whole, "must be microbatch x microbatches x replicas", "global_batch")
    types = [part.split("+") for part in row["gpu_types"].split(";")]
    if types == [[row["gpu_types"]]]:
        types = [[row["gpu_types"]] * replicas] * stages
    check(len(types) == stages and all(len(t) == replicas for t in types), "needs a node for each replica", "gpu_types")
    check(row["iteration_s"] > 0, "must be above 0", "iteration_s")
    ends = np.cumsum(counts).tolist()
    return PlanRow(
        **{name: row[name] for name in PlanRow._fields if name not in ("stages", "nodes")},
        stages=tuple((end - count, end - 1) for end, count in zip(ends, counts, strict=True)),
        nodes=tuple(tuple(stage[replica] for stage in types) for replica in range(replicas)),
    )
