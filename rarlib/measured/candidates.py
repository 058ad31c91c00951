"""Plans that the framework of Sailor's runs could have run on the same nodes, and how two planners price them.

A plan has S stages on R pipelines side by side, S x R nodes, and every pipeline takes the same number of microbatches.
*Flush*: `iteration_s`, the model of goal G1. *PipeDream*: the objective of its planner (SOSP 2019, section 3.1),
seconds per minibatch of the slowest stage, replicated R times, times the minibatches of a batch; a component is a node.
"""

from itertools import pairwise

import numpy as np

from rarlib.measured.iteration import Assumptions, stage_bytes, stage_times
from rarlib.measured.links import VALUE_BYTES, node_rate
from rarlib.measured.predictors.states_and_stash import CONTEXT_BYTES, held_bytes
from rarlib.measured.sailor import PlanRow, Sailor
from rarlib.pipeline.graph import Layer, LayerGraph
from rarlib.pipeline.plan import Plan
from rarlib.pipeline.planner import Options, plan_configuration, plan_pipeline

GPU_BYTES = {"GH-96": 96e9}
"""Memory of a GPU by type. Only plans on these types are made up: nobody states the context of the other ones."""


def same_task(row: PlanRow) -> tuple[str, str, tuple[str, ...], int]:
    """What plans must share to be compared: model, cluster, nodes by type, samples of an iteration."""
    batch = row.microbatch * row.microbatches * row.replicas
    return row.model, row.cluster, tuple(sorted(gpu for nodes in row.nodes for gpu in nodes)), batch


def plan_name(row: PlanRow) -> str:
    """Stages x pipelines, and samples of a microbatch: `2x4 of 8`."""
    return f"{len(row.stages)}x{row.replicas} of {row.microbatch}"


def can_be_planned(row: PlanRow) -> bool:
    """Whether its nodes are of one type, and what a GPU holds is known: other plans cannot be made up for them."""
    types = {gpu for nodes in row.nodes for gpu in nodes}
    return len(types) == 1 and types <= GPU_BYTES.keys() and row.cluster in CONTEXT_BYTES


def runnable_plans(source: Sailor, like: PlanRow) -> list[PlanRow]:
    """Plans for the task of a measured row at its tensor-parallel degree, fewest stages first.

    Stages divide the nodes, the profiled microbatches divide what a pipeline gets, layers are cut so that the slowest
    stage is fastest, and what the fullest GPU holds by the model of goal G3 fits. None if `can_be_planned` says so.
    """
    model, _, types, batch = same_task(like)
    if not can_be_planned(like):
        return []
    found = []
    for stages in (count for count in range(1, len(types) + 1) if len(types) % count == 0):
        replicas = len(types) // stages
        for microbatch in _profiled(source, like, types[0]):
            microbatches, rest = divmod(batch, microbatch * replicas)
            if rest or stages > like.stages[-1][1] + 1:
                continue
            row = _spread(like, stages, replicas, microbatch, microbatches)
            row = row._replace(id=f"{model} {plan_name(row)}", stages=_balanced(source, row, stages))
            if held_bytes(source, row) <= GPU_BYTES[types[0]]:
                found.append(row)
    return found


def objective_s(source: Sailor, row: PlanRow, variant: str = "published") -> float:
    """Seconds of an iteration of a plan by PipeDream's objective: no filling of pipelines, one update per minibatch."""
    return _priced(source, row, variant).pipeline_time_s * row.microbatches * row.replicas


def free_plan(source: Sailor, like: PlanRow) -> tuple[PlanRow, Plan]:
    """PipeDream's own choice on the nodes of a row at its microbatch, whatever the framework runs.

    Returns:
        The row with the stages that were chosen, on one node each, and the plan: its stages may have unequal replicas.
    """
    nodes = len(like.stages) * like.replicas
    single = _every_layer(_spread(like, 1, 1, like.microbatch, like.microbatches))
    plan = plan_pipeline(stage_graph(source, single), [nodes], [link_rate(source, like)])
    return _cut(single, plan), plan


def estimated_bytes(source: Sailor, row: PlanRow) -> float:
    """Bytes of a GPU by PipeDream: weights and outputs of every minibatch in flight; ranks of a node share weights."""
    outputs = VALUE_BYTES * row.microbatch * source.layer_values(row, "output_values")
    return max(
        stage.in_flight * (stage.parameter_bytes / row.tensor_parallel + float(outputs[first : last + 1].sum()))
        for stage, (first, last) in zip(_priced(source, row).stages, row.stages, strict=True)
    )


def stage_graph(source: Sailor, row: PlanRow) -> LayerGraph:
    """The stages of a plan as a planner's layers, on one node each; with several pipelines the slowest node counts."""
    made = Assumptions()
    forward, backward = (
        np.max([stage_times(source, row, nodes, column, made) for nodes in row.nodes], axis=0)
        for column in ("forward_s", "backward_s")
    )
    outputs = source.layer_values(row, "output_values")
    return LayerGraph.chain(
        Layer(
            f"{first}-{last}",
            forward_s=float(forward[at]),
            backward_s=float(backward[at]),
            activation_bytes=VALUE_BYTES * float(outputs[last]) * row.microbatch,
            parameter_bytes=stage_bytes(source, row, at) * row.tensor_parallel,
        )
        for at, (first, last) in enumerate(row.stages)
    )


def link_rate(source: Sailor, row: PlanRow) -> float:
    """Bytes per second of the slowest link among a plan's nodes, all GPUs of a node together."""
    types = sorted({gpu for nodes in row.nodes for gpu in nodes})
    several = [(a, b) for a in types for b in types if a != b] or [(types[0], types[0])]
    return min(node_rate(source, a, b, row.tensor_parallel) for a, b in several)


def _priced(source: Sailor, row: PlanRow, variant: str = "published") -> Plan:
    """The stages of a row as PipeDream prices them: its graph has as many layers as stages, so nothing is chosen."""
    replicas = [row.replicas] * len(row.stages)
    return plan_configuration(stage_graph(source, row), replicas, link_rate(source, row), Options(variant))


def _profiled(source: Sailor, like: PlanRow, gpu: str) -> list[int]:
    table = source.frames["profiles"]
    mine = (table["model"] == like.model) & (table["gpu"] == gpu) & (table["tensor_parallel"] == like.tensor_parallel)
    return sorted({int(microbatch) for microbatch in table.loc[mine & (table["set"] == "simulator"), "microbatch"]})


def _spread(like: PlanRow, stages: int, replicas: int, microbatch: int, microbatches: int) -> PlanRow:
    """A plan on the nodes of a row of one type; its layers are not cut yet."""
    return like._replace(
        replicas=replicas,
        microbatch=microbatch,
        microbatches=microbatches,
        stages=((0, like.stages[-1][1]),),
        nodes=((like.nodes[0][0],) * stages,) * replicas,
    )


def _every_layer(row: PlanRow) -> PlanRow:
    """The same with a stage for each layer."""
    layers = row.stages[-1][1] + 1
    return row._replace(
        stages=tuple((layer, layer) for layer in range(layers)), nodes=((row.nodes[0][0],) * layers,) * row.replicas
    )


def _balanced(source: Sailor, row: PlanRow, stages: int) -> tuple[tuple[int, int], ...]:
    """Cuts of the layers into so many stages that make the slowest one fastest."""
    single = _every_layer(row._replace(replicas=1))
    return _cut(single, plan_configuration(stage_graph(source, single), [1] * stages, link_rate(source, row))).stages


def _cut(row: PlanRow, plan: Plan) -> PlanRow:
    """One pipeline with the layers of a plan's stages."""
    ends = np.cumsum([0] + [len(stage.layers) for stage in plan.stages]).tolist()
    stages = tuple((first, end - 1) for first, end in pairwise(ends))
    return row._replace(replicas=1, stages=stages, nodes=((row.nodes[0][0],) * len(stages),))
