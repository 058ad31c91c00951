"""Clusters: nodes with GPUs of one type each, racks, link capacities."""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray

from rarlib.model.errors import InputError, require_keys

CPU = "cpu"
"""Node type that offers CPU task slots instead of GPUs."""

SLOT_CORES = 5
"""CPU cores of a task slot (AITurbo's code: 5 cores for each worker or parameter server)."""

_GROUP = re.compile(r"^(?:(?P<type>[A-Za-z][\w-]*):)?(?P<nodes>\d+)x(?P<gpus>\d+)$")
_NODE_KEYS = {"count", "gpus", "type", "rack"}
_TOP_KEYS = {"nodes", "types", "racks", "links"}


@dataclass(frozen=True)
class Cluster:
    """A cluster, node by node.

    Attributes:
        gpus: GPUs of each node (CPU task slots, for a node of the type `cpu`), shape (nodes,).
        gpu_type: type name of each node's GPUs, shape (nodes,).
        rack: rack index of each node, shape (nodes,).
        speed: relative speed of each node's GPUs (1 unless a `types` table says otherwise).
        node_gbps: capacity of a node's network link, each way, Gbit/s; shape (nodes,) where they differ.
        rack_gbps: capacity of each rack's uplink, each way, Gbit/s, shape (racks,).
        spec: the text or file that described it, for the record.
    """

    gpus: NDArray[np.int64]
    gpu_type: tuple[str, ...]
    rack: NDArray[np.int64]
    speed: NDArray[np.float64]
    node_gbps: Any = 10.0
    rack_gbps: NDArray[np.float64] = field(default_factory=lambda: np.array([np.inf]))
    spec: str = ""

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return len(self.gpus)

    @property
    def is_gpu(self) -> NDArray[np.bool_]:
        """Whether a node offers GPUs, not task slots of `SLOT_CORES` CPU cores (type `cpu`), shape (nodes,)."""
        return np.array([kind != CPU for kind in self.gpu_type], dtype=np.bool_)

    @property
    def total_gpus(self) -> int:
        """GPUs of all nodes together, without CPU task slots."""
        return int(self.gpus[self.is_gpu].sum())

    @classmethod
    def of(cls, gpus: Any, spec: str = "") -> "Cluster":
        """One rack of equal-speed nodes with the given GPU counts, shape (nodes,)."""
        counts = np.asarray(gpus, dtype=np.int64)
        n = len(counts)
        return cls(counts, ("gpu",) * n, np.zeros(n, np.int64), np.ones(n), spec=spec)

    @classmethod
    def named(cls, name: str, given: Any) -> "Cluster":
        """A cluster from the configuration: a specification, or the content of a YAML file.

        Raises:
            InputError: see `parse`.
        """
        return cls.parse(given) if isinstance(given, str) else _from_mapping(given, Path(name))

    @classmethod
    def parse(cls, spec: str) -> "Cluster":
        """Read a specification: `20x8`, `t4:16x4,rtx:3x8`, or the path of a YAML file.

        Raises:
            InputError: when the text does not parse or the file breaks a rule.
        """
        if spec.endswith((".yaml", ".yml")):
            return _from_yaml(Path(spec))
        counts: list[int] = []
        types: list[str] = []
        for part in spec.split(","):
            match = _GROUP.match(part.strip())
            if match is None or int(match["nodes"]) < 1 or int(match["gpus"]) < 1:
                raise InputError(
                    f"{spec!r} does not parse at {part!r}; write NODESxGPUS, TYPE:NODESxGPUS,... or name a YAML file",
                    file="--cluster",
                )
            counts += [int(match["gpus"])] * int(match["nodes"])
            types += [match["type"] or "gpu"] * int(match["nodes"])
        n = len(counts)
        return cls(np.array(counts, np.int64), tuple(types), np.zeros(n, np.int64), np.ones(n), spec=spec)


def _from_yaml(path: Path) -> Cluster:
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError("no such file", file=path) from None
    except yaml.YAMLError as error:
        raise InputError(f"not valid YAML: {str(error).splitlines()[0]}", file=path) from None
    return _from_mapping(data, path)


def _from_mapping(data: Any, path: Path) -> Cluster:
    if not isinstance(data, dict) or not data.get("nodes"):
        raise InputError("needs a list 'nodes'", file=path)
    require_keys(data, _TOP_KEYS, path, "cluster")
    racks, types, links = data.get("racks") or {}, data.get("types") or {}, data.get("links") or {}
    require_keys(links, {"node_gbps"}, path, "links")
    rack_names = list(racks) or ["r0"]
    counts: list[int] = []
    names: list[str] = []
    rack: list[int] = []
    for position, group in enumerate(data["nodes"]):
        where = f"nodes[{position}]"
        if not isinstance(group, dict):
            raise InputError("must be a mapping with count and gpus", file=path, field=where)
        require_keys(group, _NODE_KEYS, path, where)
        count = _positive(group.get("count", 1), path, f"{where}.count")
        counts += [_positive(group.get("gpus"), path, f"{where}.gpus")] * count
        names += [str(group.get("type", "gpu"))] * count
        name = group.get("rack", rack_names[0])
        if name not in rack_names:
            raise InputError(
                f"unknown rack {name!r}; racks are {', '.join(map(str, rack_names))}", file=path, field=where
            )
        rack += [rack_names.index(name)] * count
    return Cluster(
        gpus=np.array(counts, np.int64),
        gpu_type=tuple(names),
        rack=np.array(rack, np.int64),
        speed=np.array([_number(types, t, "speed", 1.0, path) for t in names]),
        node_gbps=_number({"links": links}, "links", "node_gbps", 10.0, path),
        rack_gbps=np.array([_number(racks, r, "uplink_gbps", np.inf, path) for r in rack_names]),
        spec=path.name,
    )


def _positive(value: Any, path: Path, where: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise InputError(f"must be a whole number of at least 1, found {value!r}", file=path, field=where)
    return value


def _number(table: dict[Any, Any], row: Any, key: str, default: float, path: Path) -> float:
    entry = table.get(row) or {}
    require_keys(entry, {key}, path, str(row))
    value = entry.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
        raise InputError(f"must be a positive number, found {value!r}", file=path, field=f"{row}.{key}")
    return float(value)
