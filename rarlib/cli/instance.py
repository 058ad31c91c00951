"""What the options that `rarlib simulate` and `rarlib bound` share stand for: a trace, a cluster, a cost model."""

from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, NamedTuple

from rarlib.cli.network import fabric_of
from rarlib.cost.constants import parse
from rarlib.cost.goodput.goodput import GoodputCost
from rarlib.cost.goodput.network import SpanningNetwork
from rarlib.cost.goodput.profiles import Profiles
from rarlib.cost.linked import LinkedCost, laid_out, on_fabric
from rarlib.cost.pipelined import PipelinedCost
from rarlib.cost.ring import RingCost
from rarlib.cost.trace import TraceCost
from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError
from rarlib.model.jobs import Jobs
from rarlib.records.read import node_groups
from rarlib.simulator.engine import check_fits
from rarlib.traces.load import load_trace

_COSTS = ("trace", "ring", "pipelined", "goodput")

CostModel = TraceCost | RingCost | PipelinedCost | GoodputCost
"""What jobs cost; on a fabric, what they cost alone."""


class Instance(NamedTuple):
    """Jobs, cluster and cost model, and the facts that the record of a run keeps about them."""

    jobs: Jobs
    cluster: Cluster
    cost: CostModel | LinkedCost
    facts: dict[str, Any]

    @property
    def standin(self) -> str:
        """A line that warns of jobs or profiles from a stand-in; empty if all are recorded."""
        made_up = []
        if self.facts["trace"].get("standin"):
            made_up.append("the trace was drawn from our own statistics, not from the recorded log")
        cost = self.cost.alone if isinstance(self.cost, LinkedCost) else self.cost
        if isinstance(cost, GoodputCost) and cost.profiles.facts["standin"]:
            made_up.append("profiles are models fitted to the measured ones")
        return f"STAND-IN: {'; '.join(made_up)}." if made_up else ""


def cost_model(name: str | None, contention: str | None, *, linked: bool = False) -> CostModel:
    """The cost model that `--cost` and `--contention` name.

    Args:
        name: of the cost model; None: what the rest implies.
        contention: constants.
        linked: whether jobs share the links of a fabric, so that they must send.

    Raises:
        InputError: for an unknown name, or constants that the cost model does not have.
    """
    if name is None:
        name = "trace" if contention is None and not linked else "ring"
    if name not in _COSTS:
        raise InputError(f"unknown cost model {name!r}; known: {', '.join(_COSTS)}", file="--cost")
    if name in ("ring", "pipelined"):
        ring = parse(RingCost, contention or "")
        return ring if name == "ring" else PipelinedCost(ring)
    if name == "goodput":
        network = None if contention is None and not linked else parse(SpanningNetwork, contention or "")
        return GoodputCost(network=network)
    if linked:
        raise InputError("recorded durations send nothing over a fabric; use --cost ring or goodput", file="--cost")
    if contention is not None:
        raise InputError("recorded durations have no contention; use --cost ring or goodput", file="--contention")
    return TraceCost()


def read_instance(
    trace: str,
    format: str | None,
    cluster: str,
    cost: CostModel,
    seed: int,
    limit: int | None,
    network: tuple[str | None, Path | None] = (None, None),
) -> Instance:
    """Read trace and cluster, and the fabric that `--fabric` or `--network` (`network`) describes, if any.

    Raises:
        InputError: a trace or cluster that cannot be read, or a job that is larger than the cluster.
    """
    machines = Cluster.parse(cluster)
    fabric = fabric_of(*network, machines)
    machines = machines if fabric is None else laid_out(machines, fabric.shape)
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
    if fabric is None:
        return Instance(loaded.jobs, machines, cost, facts)
    facts["fabric"] = fabric.stated
    return Instance(loaded.jobs, machines, on_fabric(cost, fabric.shape, fabric.alpha, fabric.ecmp_seed), facts)


def _constants(model: Any) -> dict[str, Any]:
    """All constants of a cost model, defaults included; a function by its name."""
    values = {field.name: getattr(model, field.name) for field in fields(model)}
    return {name: _constant(value) for name, value in values.items()}


def _constant(value: Any) -> Any:
    if isinstance(value, Profiles):
        return {name: facts["kind"] for name, facts in value.facts["profiles"].items()}
    return _constants(value) if is_dataclass(value) else getattr(value, "__name__", value)
