"""A plan on real servers: the links that its transfers and exchanges use, and the resulting time of a minibatch.

The planner has formulas of its own for the exchange of a stage (`rarlib/pipeline/planner.py`). Simulated times do not
use them, but one model for every plan, data parallelism included:

- workers are numbered by stage and fill the servers in this order;
- replicas exchange gradients by ring all-reduce, inside each server and then across servers: 2 (g-1)/g W bytes per
  worker over the links inside and 2 (s-1)/s W over the link of each server, for g GPUs in each of s servers;
- a transfer between two stages uses the links between servers unless both stages lie in the same server;
- exchanges overlap computation: that of a stage overlaps its later minibatches, that of data parallelism only the
  backward pass, because the next minibatch needs the new weights. `exposed` is data parallelism without this overlap.
"""

from dataclasses import replace

import numpy as np

from rarlib.papers.pipedream.setups import TableRow
from rarlib.pipeline.comparison import one_f_one_b_s
from rarlib.pipeline.plan import Plan
from rarlib.pipeline.stages import Pipeline


def launched(plan: Plan, row: TableRow) -> Plan:
    """The same plan for the minibatch of the launch file: times and activations scaled in proportion."""
    columns = ("forward_s", "backward_s", "input_bytes", "output_bytes", "activation_bytes")
    stages = [
        stage._replace(**{name: getattr(stage, name) * row.launched for name in columns}) for stage in plan.stages
    ]
    return replace(plan, stages=tuple(stages))


def placed(plan: Plan, row: TableRow) -> Pipeline:
    """The pipeline of a plan, its transfers and exchanges priced on a row's servers."""
    ends = np.cumsum([stage.replicas for stage in plan.stages])
    first = (ends - [stage.replicas for stage in plan.stages]) // row.cluster.gpus  # server of its first worker
    last = (ends - 1) // row.cluster.gpus
    sync_s = [
        exchange_s(stage.parameter_bytes, stage.replicas, int(b - a) + 1, row)
        for stage, a, b in zip(plan.stages, first, last, strict=True)
    ]
    transfer_s = [
        plan.stages[s].output_bytes / (row.cluster.inside if first[s] == last[s + 1] else row.cluster.between)
        for s in range(len(plan.stages) - 1)
    ]
    return replace(Pipeline.of(plan), sync_s=np.array(sync_s), transfer_s=np.array(transfer_s, dtype=np.float64))


def exchange_s(weights: float, replicas: int, servers: int, row: TableRow) -> float:
    """Seconds of a ring all-reduce of `weights` bytes among replicas on so many servers."""
    together = min(replicas, row.cluster.gpus)
    inside = 2.0 * (together - 1) / together * weights / row.cluster.inside
    return inside + 2.0 * (servers - 1) / servers * weights / row.cluster.between


def data_parallel_s(plan: Plan, row: TableRow, *, exposed: bool = False) -> float:
    """Seconds per minibatch when every GPU of the row holds the whole model."""
    forward = sum(stage.forward_s for stage in plan.stages)
    backward = sum(stage.backward_s for stage in plan.stages)
    exchange = exchange_s(sum(stage.parameter_bytes for stage in plan.stages), row.workers, row.servers, row)
    return (forward + (backward + exchange if exposed else max(backward, exchange))) / row.workers


def pipeline_s(plan: Plan, row: TableRow) -> float:
    """Seconds per minibatch in steady state under 1F1B; a plan without a cut is data parallelism."""
    if len(plan.stages) == 1:
        return data_parallel_s(plan, row)
    return one_f_one_b_s(placed(plan, row))
