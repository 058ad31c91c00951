"""What `rarlib simulate` and `rarlib bound` ask for alike: a trace, a cluster, a cost model."""

from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from rarlib.cost.pipelined import PipelinedCost
from rarlib.cost.ring import RingCost
from rarlib.cost.trace import TraceCost
from rarlib.experiments.runs.record import node_groups
from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError
from rarlib.model.jobs import Jobs
from rarlib.simulator.engine import check_fits
from rarlib.traces.load import load_trace

TraceName = Annotated[str, typer.Option(help="A file, or the name of a source (see `rarlib sources list`).")]
ClusterSpec = Annotated[str, typer.Option(help="20x8, t4:16x4,rtx:3x8 or a YAML file.")]
Format = Annotated[
    str | None, typer.Option(help="philly, helios, pai, acme, pollux, sia, aiturbo, rarlib; else recognised.")
]
Cost = Annotated[
    str | None,
    typer.Option(
        help="trace (recorded durations), ring (all-reduce with contention) or pipelined (ring, but jobs whose "
        "application is a model of `rarlib plan` run as pipelines)."
    ),
]
Contention = Annotated[str | None, typer.Option(help="Constants of the ring model, e.g. alpha=0.3,xi=1.0.")]
Quantum = Annotated[float, typer.Option(help="Schedule at multiples of this many seconds only.")]
Limit = Annotated[int | None, typer.Option(min=1, help="Keep the first N jobs.")]

_COSTS = ("trace", "ring", "pipelined")

CostModel = TraceCost | RingCost | PipelinedCost


class Instance(NamedTuple):
    """Jobs, cluster and cost model, and what a record says of them."""

    jobs: Jobs
    cluster: Cluster
    cost: CostModel
    facts: dict[str, Any]

    @property
    def standin(self) -> str:
        """A line for whoever looks at results of jobs that are made up; else empty."""
        if not self.facts["trace"].get("standin"):
            return ""
        return "STAND-IN: the trace was drawn from our own statistics, not from the recorded log."


def cost_model(name: str | None, contention: str | None) -> CostModel:
    """The cost model that `--cost` and `--contention` name.

    Raises:
        InputError: for an unknown name or constants that are not its own.
    """
    if name is None:
        name = "trace" if contention is None else "ring"
    if name not in _COSTS:
        raise InputError(f"unknown cost model {name!r}; known: {', '.join(_COSTS)}", file="--cost")
    if name != "trace":
        ring = RingCost.parse(contention or "")
        return ring if name == "ring" else PipelinedCost(ring)
    if contention is not None:
        raise InputError("recorded durations know no contention; use --cost ring", file="--contention")
    return TraceCost()


def read_instance(
    trace: str, format: str | None, cluster: str, cost: CostModel, seed: int, limit: int | None
) -> Instance:
    """Read trace and cluster.

    Raises:
        InputError: saying what is wrong and where, or which job is larger than the cluster.
    """
    machines = Cluster.parse(cluster)
    loaded = load_trace(trace, format, seed=seed, limit=limit)
    check_fits(loaded.jobs, machines, file=loaded.provenance["file"])
    facts = {
        "seed": seed,
        "cluster": cluster if not cluster.endswith((".yaml", ".yml")) else Path(cluster).name,
        "nodes": machines.nodes,
        "gpus": machines.total_gpus,
        "node_groups": node_groups(machines),
        "cost": {"name": cost.name, **_constants(cost)},
        "trace": loaded.provenance,
    }
    return Instance(loaded.jobs, machines, cost, facts)


def _constants(model: Any) -> dict[str, Any]:
    """All constants of a cost model, defaults included; a function by its name."""
    values = {field.name: getattr(model, field.name) for field in fields(model)}
    return {
        name: _constants(value) if is_dataclass(value) else getattr(value, "__name__", value)
        for name, value in values.items()
    }
