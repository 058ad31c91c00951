"""From a plan and the profile of its layers to the seconds of an iteration: nothing is fitted.

An iteration is a flush of every pipeline, the exchange of each stage's gradients among its replicas, and the update.
"""

from typing import NamedTuple

import numpy as np

from artifact.machines.links import VALUE_BYTES, boundary_s, bucketed_ring_s, node_rate
from artifact.machines.sailor import PlanRow, Sailor
from rarlib.pipeline.flush import flush_ends
from rarlib.pipeline.stages import Pipeline

SEQUENCE, VOCABULARY = 2048, 50_304
"""Tokens of a sample, and rows of the embedding; both follow from the values that the first and last layers put out."""


class Assumptions(NamedTuple):
    """What an iteration is taken to be.

    Attributes:
        blocking: transfers block both sides; if not, they run beside compute.
        complete: the output projection is added to a profile that lacks it.
        second: the second profiling of the same layers is used where there is one.
    """

    blocking: bool = True
    complete: bool = True
    second: bool = False


def stage_times(source: Sailor, row: PlanRow, nodes: tuple[str, ...], column: str, given: Assumptions) -> np.ndarray:
    """Seconds of each stage of one pipeline: forward_s or backward_s, added up over its layers, shape (S,)."""
    times = []
    for (first, last), gpu in zip(row.stages, nodes, strict=True):
        layers = source.layer_times(row, gpu, column, second=given.second)
        times.append(layers[first : last + 1].sum())
        if given.complete and last == len(layers) - 1 and lacks_projection(source, row):
            times[-1] += projection_share(source, row) * np.median(layers[1:-1])
    return np.array(times)


def iteration_s(source: Sailor, row: PlanRow, given: Assumptions) -> float:
    """Seconds of an iteration of a plan."""
    pipelines = [pipeline_of(source, row, nodes, given) for nodes in row.nodes]
    slowest = np.max([flush_ends(each, row.microbatches, blocking=given.blocking) for each in pipelines], axis=0)
    exchanged = [exchange_s(source, row, stage) for stage in range(len(row.stages))]
    ready = slowest.copy()
    if len(row.stages) > 1:
        ready[[0, -1]] = max(slowest[0], slowest[-1]) + tied_s(source, row)
    update = max(
        source.layer_times(row, gpu, "update_s", second=given.second).max() for nodes in row.nodes for gpu in set(nodes)
    )
    return float((ready + exchanged).max() + update)


def exchange_s(source: Sailor, row: PlanRow, stage: int) -> float:
    """Seconds in which the replicas of a stage exchange its gradients."""
    types = [nodes[stage] for nodes in row.nodes]
    return bucketed_ring_s(source, types, row.tensor_parallel, stage_bytes(source, row, stage))


def stage_bytes(source: Sailor, row: PlanRow, stage: int) -> float:
    """Bytes of a stage's gradients on each of its GPUs, a missing copy of the embedding included."""
    first, last = row.stages[stage]
    parameters = source.layer_values(row, "parameters")
    held = float(parameters[first : last + 1].sum())
    if last == len(parameters) - 1 and lacks_projection(source, row):
        held += embedding_values(source, row)
    return VALUE_BYTES * held


def tied_s(source: Sailor, row: PlanRow) -> float:
    """Seconds in which the first and the last stage exchange the gradient of the embedding that both hold."""
    size = VALUE_BYTES * embedding_values(source, row)
    ranks = row.tensor_parallel
    rates = [node_rate(source, nodes[0], nodes[-1], ranks, size / 2) / ranks for nodes in row.nodes]
    return size / min(rates)


def lacks_projection(source: Sailor, row: PlanRow) -> bool:
    """Whether the profile's last layer is no projection onto the vocabulary: it has far fewer parameters than one."""
    return bool(source.layer_values(row, "parameters")[-1] < embedding_values(source, row) / 2)


def embedding_values(source: Sailor, row: PlanRow) -> float:
    """Parameters of the embedding on each GPU of a tensor-parallel group."""
    return VOCABULARY * hidden_size(source, row) / row.tensor_parallel


def hidden_size(source: Sailor, row: PlanRow) -> float:
    """Values that a block puts out for a token."""
    return float(source.layer_values(row, "output_values")[0]) / SEQUENCE


def projection_share(source: Sailor, row: PlanRow) -> float:
    """Work of the projection over that of a block: 2 h V / (24 h^2 + 4 n h) operations per token, n tokens a sample."""
    h = hidden_size(source, row)
    return 2 * h * VOCABULARY / (24 * h**2 + 4 * SEQUENCE * h)


def pipeline_of(source: Sailor, row: PlanRow, nodes: tuple[str, ...], given: Assumptions) -> Pipeline:
    """One of the pipelines that a plan runs side by side."""
    return Pipeline.build(
        [1] * len(nodes),
        stage_times(source, row, nodes, "forward_s", given).tolist(),
        stage_times(source, row, nodes, "backward_s", given).tolist(),
        transfer_s=[boundary_s(source, row, nodes, stage) for stage in range(len(nodes) - 1)],
    )


def every_row(source: Sailor, given: Assumptions) -> dict[str, float]:
    """Predicted seconds of an iteration by row."""
    return {row.id: iteration_s(source, row, given) for row in source.rows}
