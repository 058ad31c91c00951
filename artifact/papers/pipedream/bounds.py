"""What no run can give: a configuration that the planner never chooses, and two speed-ups that exclude each other."""

from artifact.papers.pipedream.setups import TableRow
from rarlib.pipeline.graph import LayerGraph
from rarlib.pipeline.planner import Options, plan_pipeline

NVLINK = 1.5e11
"""Bytes per second of all six NVLinks of a V100 in one direction (vendor's data sheet: 300 GB/s in both)."""
CLAIM_TOLERANCE = 0.10
"""Relative distance up to which a published number counts as reproduced, as in config/claims/pipedream.yaml."""
_STEP = 1e-6


def least_rate_of_replication(row: TableRow, graph: LayerGraph, prices: Options, most: float) -> float:
    """Bandwidth below which the planner, all GPUs on one level, prefers some pipeline to data parallelism.

    With C the computing time and W the weights of the model, m replicas take max(C, K / B) / m as published, with
    K = 2 (m - 1) W, and (C + K / B) / m as coded, with K = 4 (m - 1) W / m. Both fall with the bandwidth B, as the best
    plan P(B) does. So data parallelism is not chosen between a bandwidth and the one at which replication comes down to
    P of the former; the search goes on from there until it stands still.

    `row`: its GPUs; `prices`: of the planner, without a memory limit; `most`: bandwidth at which the search ends.

    Returns:
        Bytes per second; `most` if data parallelism is not chosen up to there.
    """
    m, rate = row.workers, 1e6
    while rate < most:
        plan = plan_pipeline(graph, [m], [rate], prices)
        weights = sum(stage.parameter_bytes for stage in plan.stages)
        compute_s, goal_s = plan.single_machine_time_s, m * plan.pipeline_time_s
        if prices.variant == "published":
            needed = 2.0 * (m - 1) * weights / goal_s
        else:
            spare_s = goal_s - compute_s
            needed = 4.0 * (m - 1) * weights / (m * spare_s) if spare_s > 0.0 else most
        if needed <= rate * (1.0 + _STEP):
            return rate
        rate = needed
    return most


def excludes(per_epoch: float, to_accuracy: float) -> bool:
    """Whether no one speed-up lies within the tolerance of both printed ones of a row.

    A simulation of time has one speed-up for both, since it does not train: their quotient is a number of epochs.
    """
    low, high = sorted((per_epoch, to_accuracy))
    return low * (1.0 + CLAIM_TOLERANCE) < high * (1.0 - CLAIM_TOLERANCE)
