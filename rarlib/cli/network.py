"""The options `--fabric` and `--network`: links that the jobs of a run share."""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rarlib.cost.linked import cluster_shape
from rarlib.fabric.described import described_shape
from rarlib.fabric.entry import Entry
from rarlib.fabric.instances import MOST_SEED
from rarlib.fabric.shapes import Shape
from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError, shown
from rarlib.model.plain_yaml import yaml_file, yaml_value

_OWN = "cluster"


class StatedFabric(NamedTuple):
    """Links and how jobs share them.

    Attributes:
        shape: servers, switches, links.
        alpha: loss per further job that sends over a link.
        ecmp_seed: of the hash that chooses paths.
        stated: what the user wrote, for the record.
    """

    shape: Shape
    alpha: float
    ecmp_seed: int
    stated: dict[str, Any]


def fabric_of(spec: str | None, file: Path | None, cluster: Cluster) -> StatedFabric | None:
    """The fabric that `--fabric` or `--network` describes; None if neither is given.

    Args:
        spec: `cluster` (its racks and uplinks) or `leaf-spine,racks=4,servers_per_rack=4,spines=2,uplink_gbps=5`.
        file: YAML or JSON with the same keys.
        cluster: its network links are those of servers where `nic_gbps` is not given.

    Raises:
        InputError: naming the option or file, and the key.
    """
    if spec is not None and file is not None:
        raise InputError("give one of --fabric and --network", file="--network")
    if spec is None and file is None:
        return None
    place, stated = (Path("--fabric"), _stated(spec)) if file is None else (file, yaml_file(file))
    entry = Entry(stated, place, None)
    alpha = entry.number("alpha", low=0.0, high=1e6, default=0.0)
    seed = entry.whole("ecmp_seed", low=0, high=MOST_SEED, default=0)
    given = {key: value for key, value in stated.items() if key != "alpha"}
    if stated.get("shape") == _OWN:
        Entry(given, place, None).refuse_unknown({"shape", "ecmp_seed"})
        return StatedFabric(cluster_shape(cluster), alpha, seed, stated)
    given = _with_defaults(given, cluster)
    shape = described_shape(Entry(given, place, None))
    if shape.servers != cluster.nodes:
        raise InputError(f"has {shape.servers} servers, the cluster {cluster.nodes} nodes", file=place)
    return StatedFabric(shape, alpha, seed, stated)


def network_files(network: Path | None) -> list[Path]:
    """The file of `--network` and the table of servers that it names, if any: both are inputs."""
    if network is None:
        return []
    stated = yaml_file(network)
    table = stated.get("path") if isinstance(stated, dict) else None
    return [network, network.parent / table] if isinstance(table, str) else [network]


def _stated(spec: str | None) -> dict[str, Any]:
    """`shape,key=value,...` as the object that a file would hold."""
    name, *rest = (spec or "").split(",")
    stated: dict[str, Any] = {"shape": name.strip()}
    for part in rest:
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not (key and equals and value) or key in stated:
            raise InputError(f"must be SHAPE,key=value,..., each key once; found {shown(part)}", file="--fabric")
        stated[key] = yaml_value(value, file="--fabric")
    return stated


def _with_defaults(stated: dict[str, Any], cluster: Cluster) -> dict[str, Any]:
    """Servers and their links as the cluster has them, unless stated."""
    alike = set(np.atleast_1d(cluster.node_gbps).tolist())
    if "nic_gbps" not in stated and len(alike) == 1:
        stated["nic_gbps"] = alike.pop()
    if stated.get("shape") == "one-switch":
        stated.setdefault("servers", cluster.nodes)
    return stated
