"""What the options that `rarlib simulate` and `rarlib bound` share stand for: a trace, a cluster, a cost model."""

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, NamedTuple

from rarlib.cli.network import fabric_of
from rarlib.cost.goodput.assigned import ASSIGNMENT, assign_applications
from rarlib.cost.goodput.goodput import GoodputCost
from rarlib.cost.goodput.profiles import Profiles
from rarlib.cost.linked import LinkedCost, laid_out, on_fabric
from rarlib.cost.named import make_cost_model
from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError, shown
from rarlib.model.jobs import Jobs
from rarlib.records.read import node_groups
from rarlib.simulator.cost_models import CostModel
from rarlib.simulator.engine import check_fits
from rarlib.traces.load import load_trace


class Instance(NamedTuple):
    """Jobs, cluster and cost model, and the facts that the record of a run keeps about them."""

    jobs: Jobs
    cluster: Cluster
    cost: CostModel
    facts: dict[str, Any]


def standin_line(given: Instance) -> str:
    """A line that warns of jobs or profiles from a stand-in; empty if all are recorded."""
    made_up = []
    if given.facts["trace"].get("standin"):
        made_up.append("the trace was drawn from our own statistics, not from the recorded log")
    cost = given.cost.alone if isinstance(given.cost, LinkedCost) else given.cost
    if isinstance(cost, GoodputCost) and cost.profiles.facts["standin"]:
        made_up.append("profiles are models fitted to the measured ones")
    return f"STAND-IN: {'; '.join(made_up)}." if made_up else ""


def cost_model(
    name: str | None, contention: str | None, *, linked: bool = False, applications: str | None = None
) -> Any:
    """The cost model that `--cost` and `--contention` name.

    Args:
        name: of the cost model; None: what the rest implies.
        contention: constants.
        linked: whether jobs share the links of a fabric, so that they must send.
        applications: rule by which jobs get applications (`rarlib.cost.goodput.assigned`); None: no job needs one.

    Raises:
        InputError: for an unknown name, or constants that the cost model does not have.
    """
    if applications is not None:
        name = _goodput(name, applications)
    if name is None:
        name = "trace" if contention is None and not linked else "ring"
    if linked and name == "trace":
        raise InputError("recorded durations send nothing over a fabric; use --cost ring or goodput", file="--cost")
    return make_cost_model(name, "" if linked and contention is None else contention)


def _goodput(cost: str | None, applications: str) -> str:
    if applications != ASSIGNMENT:
        raise InputError(f"unknown rule {shown(applications)}; known: {ASSIGNMENT}", file="--applications")
    if cost not in (None, "goodput"):
        raise InputError(f"cost model {cost} knows no applications; use --cost goodput", file="--applications")
    return "goodput"


def read_instance(
    trace: str,
    format: str | None,
    cluster: str,
    cost: Any,
    seed: int,
    limit: int | None,
    network: tuple[str | None, Path | None] = (None, None),
    applications: str | None = None,
    arrange: Callable[[Cluster], Cluster] | None = None,
) -> Instance:
    """Read trace and cluster, and the fabric that `--fabric` or `--network` (`network`) describes, if any.

    Jobs get applications if `applications` names a rule; `arrange` numbers the nodes otherwise than canonically.

    Raises:
        InputError: a trace or cluster that cannot be read, or a job that is larger than the cluster.
    """
    machines = Cluster.parse(cluster)
    machines = machines if arrange is None else arrange(machines)
    fabric = fabric_of(*network, machines)
    machines = machines if fabric is None else laid_out(machines, fabric.shape)
    loaded = load_trace(trace, format, seed=seed, limit=limit)
    check_fits(loaded.jobs, machines, file=loaded.provenance["file"])
    jobs, assigned = loaded.jobs, {}
    if applications is not None:
        jobs, cost, facts = assign_applications(jobs, machines, cost, seed)
        assigned = {"applications": facts}
    facts = {
        "seed": seed,
        "cluster": cluster if not cluster.endswith((".yaml", ".yml")) else Path(cluster).name,
        "nodes": machines.nodes,
        "gpus": machines.total_gpus,
        "node_groups": node_groups(machines),
        "cost": {"name": cost.name, **_constants(cost)},
        "trace": loaded.provenance,
        **assigned,
    }
    if fabric is None:
        return Instance(jobs, machines, cost, facts)
    facts["fabric"] = fabric.stated
    linked = on_fabric(cost, fabric.shape, fabric.alpha, fabric.ecmp_seed)
    return Instance(jobs, machines, linked, facts)


def _constants(model: Any) -> dict[str, Any]:
    """All constants of a cost model, defaults included, not what it derives from them; a function by its name."""
    values = {field.name: getattr(model, field.name) for field in fields(model) if field.init}
    return {name: _constant(value) for name, value in values.items()}


def _constant(value: Any) -> Any:
    if isinstance(value, Profiles):
        return {name: facts["kind"] for name, facts in value.facts["profiles"].items()}
    return _constants(value) if is_dataclass(value) else getattr(value, "__name__", value)
