"""A plan on real servers: the links that its transfers and exchanges use, and the resulting time of a minibatch.

The planner has formulas of its own for the exchange of a stage (`rarlib/pipeline/planner.py`). Simulated times do not
use them, but one model for every plan, data parallelism included:

- workers are numbered by stage and fill the servers in this order;
- replicas exchange gradients by ring all-reduce, inside each server and then across servers: 2 (g-1)/g W bytes per
  worker over the links inside and 2 (s-1)/s W over the link of each server, for g GPUs in each of s servers;
- a transfer between two stages uses the links between servers unless both stages lie in the same server;
- exchanges overlap computation: that of a stage overlaps its later minibatches, that of data parallelism only the
  backward pass, because the next minibatch needs the new weights. `exposed` is data parallelism without this overlap.

What the paper leaves open of these rules is a `System`; the default one is the rules above at the nominal rates. One of
them is not about the links: an all-reduce may reach less between servers than the links carry (`System.limit`).
"""

from dataclasses import replace
from functools import cache
from itertools import accumulate
from math import inf, lcm
from typing import NamedTuple

import numpy as np

from artifact.papers.pipedream.setups import TableRow
from rarlib.pipeline.comparison import one_f_one_b_s
from rarlib.pipeline.plan import Plan
from rarlib.pipeline.stages import Pipeline


class System(NamedTuple):
    """What Table 1 does not state about the machines and the software that were measured.

    Attributes:
        between: rate of the links between servers that is reached, as a share of the nominal one.
        inside: the same inside a server, as a share of the assumed rate.
        overlap: whether data parallelism exchanges gradients during its backward pass.
        one_ring: whether a ring passes through all GPUs, so that its slowest link sets its pace, or servers first
            reduce inside.
        neighbours: whether a minibatch stays inside a server when it passes between two replicas there, or every
            transfer between stages that share no server throughout goes over the network.
        speed: of a GPU, relative to the one of the profile.
        minibatch: samples per GPU, relative to those simulated by default.
        latency_s: seconds before the first byte of a message arrives; a ring of r replicas has 2 (r - 1) in turn.
        limit: bytes per second that an all-reduce reaches at most between servers, however fast the link is: the
            framework sends gradients over one connection. Transfers between stages have no such limit.
    """

    between: float = 1.0
    inside: float = 1.0
    overlap: bool = True
    one_ring: bool = False
    neighbours: bool = False
    speed: float = 1.0
    minibatch: float = 1.0
    latency_s: float = 0.0
    limit: float = inf


NOMINAL = System()


def under(row: TableRow, system: System) -> TableRow:
    """The row with the link rates that a system reaches."""
    cluster = row.cluster
    inside, between = cluster.inside * system.inside, cluster.between * system.between
    return row._replace(cluster=cluster._replace(inside=inside, between=between))


def launched(plan: Plan, row: TableRow, system: System = NOMINAL) -> Plan:
    """The same plan for the minibatch of the launch file: times and activations scaled in proportion."""
    scale = row.launched * system.minibatch
    factors = dict.fromkeys(("input_bytes", "output_bytes", "activation_bytes"), scale)
    factors |= dict.fromkeys(("forward_s", "backward_s"), scale / system.speed)
    stages = [stage._replace(**{k: getattr(stage, k) * v for k, v in factors.items()}) for stage in plan.stages]
    return replace(plan, stages=tuple(stages))


def placed(plan: Plan, row: TableRow, system: System = NOMINAL) -> Pipeline:
    """The pipeline of a launched plan, its transfers and exchanges priced on a row's servers.

    `plan`: see `launched`; `row`: its servers at their nominal rates; `system`: what is reached of them.
    """
    row = under(row, system)
    ends = list(accumulate(stage.replicas for stage in plan.stages))
    begins = [0, *ends[:-1]]
    first = [begin // row.cluster.gpus for begin in begins]  # server of its first worker
    last = [(end - 1) // row.cluster.gpus for end in ends]  # and of its last one
    sync_s = [
        exchange_s(stage.parameter_bytes, stage.replicas, b - a + 1, row, system)
        + 2.0 * (stage.replicas - 1) * system.latency_s
        for stage, a, b in zip(plan.stages, first, last, strict=True)
    ]
    transfer_s = []
    for s, stage in enumerate(plan.stages[:-1]):
        near = float(first[s] == last[s + 1])
        if system.neighbours:
            near = _near(begins[s], ends[s], ends[s + 1], row.cluster.gpus)
        per_byte = near / row.cluster.inside + (1.0 - near) / row.cluster.between
        transfer_s.append(system.latency_s + stage.output_bytes * per_byte)
    return Pipeline.of(plan, transfer_s=transfer_s, sync_s=sync_s)


@cache
def _near(begin: int, end: int, next_end: int, gpus: int) -> float:
    """Share of minibatches that pass between workers of one server, from workers begin..end to end..next_end."""
    senders, receivers = end - begin, next_end - end
    minibatches = np.arange(lcm(senders, receivers))
    return float(np.mean((begin + minibatches % senders) // gpus == (end + minibatches % receivers) // gpus))


def exchange_s(weights: float, replicas: int, servers: int, row: TableRow, system: System = NOMINAL) -> float:
    """Seconds of a ring all-reduce of `weights` bytes among replicas on so many servers, without latencies.

    `row` gives the rates of the links that are reached, see `under`; `system` says whether one ring passes through all
    replicas, at the pace of the links between servers where it needs any, and what limits the latter.
    """
    inside, between = row.cluster.inside, min(row.cluster.between, system.limit)
    if system.one_ring:
        slowest = inside if servers == 1 else min(inside, between)
        return 2.0 * (replicas - 1) / replicas * weights / slowest
    together = min(replicas, row.cluster.gpus)
    return 2.0 * (together - 1) / together * weights / inside + 2.0 * (servers - 1) / servers * weights / between


def data_parallel_s(plan: Plan, row: TableRow, system: System = NOMINAL, *, exposed: bool | None = None) -> float:
    """Seconds per minibatch when every GPU of the row holds the whole model.

    `plan`: any launched plan of the model; `row`: its servers at their nominal rates; `exposed`: whether the exchange
    waits for the backward pass; None: as the system says.
    """
    row, waits = under(row, system), not system.overlap if exposed is None else exposed
    forward = sum(stage.forward_s for stage in plan.stages)
    backward = sum(stage.backward_s for stage in plan.stages)
    weights = sum(stage.parameter_bytes for stage in plan.stages)
    exchange = exchange_s(weights, row.workers, row.servers, row, system)
    exchange += 2.0 * (row.workers - 1) * system.latency_s
    return (forward + (backward + exchange if waits else max(backward, exchange))) / row.workers


def pipeline_s(plan: Plan, row: TableRow, system: System = NOMINAL) -> float:
    """Seconds per minibatch in steady state under 1F1B; a plan without a cut is data parallelism."""
    if len(plan.stages) == 1:
        return data_parallel_s(plan, row, system)
    return one_f_one_b_s(placed(plan, row, system))
