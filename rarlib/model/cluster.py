"""Clusters: nodes with GPUs of one type each, racks, link capacities.

Nodes have numbers, and a scheduler may break ties by them. So a cluster that is read gets one numbering, however it is
written: types from the slowest to the fastest, then racks, then larger nodes before smaller ones. Types go by their
declared speed, then by `SLOWEST_FIRST`, then by name; CPU nodes come last. Racks go by what they hold, in this order of
types, then by their uplinks.
"""

import re
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.model import limits
from rarlib.model.errors import InputError, require_keys, shown

CPU = "cpu"
"""Node type that offers CPU task slots instead of GPUs."""

SLOWEST_FIRST = (
    "k80", "p4", "p100", "t4", "aws", "rtx", "2080ti", "quad", "rtx6000", "azure", "v100", "a10", "a40", "l4", "l40",
    "a100", "dgx-ext", "h100", "h200", "b200",
)  # fmt: skip
"""GPU types by speed, the slowest first, as far as we know them; others come after these, by name."""

SLOT_CORES = 5
"""CPU cores of a task slot (AITurbo's code: 5 cores for each worker or parameter server)."""

_GROUP = re.compile(r"(?:(?P<type>[A-Za-z][\w-]{0,63}):)?(?P<nodes>[0-9]{1,20})x(?P<gpus>[0-9]{1,20})\Z")
_TYPE = re.compile(r"[A-Za-z][\w-]{0,63}")
_SLOWEST, _FASTEST = 1e-6, 1e6
"""Ends of the range of speeds and capacities; a capacity may be infinite as well."""
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
    def named(cls, name: str, given: Any, *, as_written: bool = False) -> "Cluster":
        """A cluster from the configuration: a specification, or the content of a YAML file.

        Args:
            name: named in errors.
            given: the specification or content.
            as_written: see `parse`.

        Raises:
            InputError: see `parse`.
        """
        if isinstance(given, str):
            return cls.parse(given, as_written=as_written)
        found = _from_mapping(given, Path(name))
        return found if as_written else found.numbered()

    @classmethod
    def parse(cls, spec: str, *, as_written: bool = False) -> "Cluster":
        """Read a specification: `20x8`, `t4:16x4,rtx:3x8`, or the path of a YAML file.

        Args:
            spec: the specification.
            as_written: nodes and racks are numbered as they are written, not canonically: for the runs of authors whose
                order is known, since it breaks their ties.

        Raises:
            InputError: when the text does not parse or the file breaks a rule.
        """
        found = cls._read(spec)
        return found if as_written else found.numbered()

    def numbered(self, types: Sequence[str] = ()) -> "Cluster":
        """The same cluster with its canonical numbering (see above).

        Args:
            types: GPU types that come first, in this order.
        """
        speed = {kind: float(self.speed[self.gpu_type.index(kind)]) for kind in set(self.gpu_type)}
        place = {kind: _type_key(kind, speed[kind], types) for kind in speed}
        held = [sorted((place[self.gpu_type[i]], -int(self.gpus[i])) for i in np.flatnonzero(self.rack == r))
                for r in range(len(self.rack_gbps))]  # fmt: skip
        racks = sorted(range(len(held)), key=lambda r: (held[r], float(self.rack_gbps[r])))
        rank = np.argsort(racks, kind="stable")
        key = [(place[kind], int(rank[rack]), -int(gpus)) for kind, rack, gpus in self._nodes()]
        order = sorted(range(self.nodes), key=key.__getitem__)
        own = np.asarray(self.node_gbps)
        return replace(
            self,
            gpus=self.gpus[order],
            gpu_type=tuple(self.gpu_type[i] for i in order),
            rack=rank[self.rack[order]],
            speed=self.speed[order],
            node_gbps=own[order] if own.ndim else self.node_gbps,
            rack_gbps=self.rack_gbps[racks],
        )

    def _nodes(self) -> Iterator[tuple[str, int, int]]:
        return zip(self.gpu_type, self.rack.tolist(), self.gpus.tolist(), strict=True)

    @classmethod
    def _read(cls, spec: str) -> "Cluster":
        if spec.endswith((".yaml", ".yml")):
            from rarlib.model.plain_yaml import yaml_file  # noqa: PLC0415 - the browser edition has no PyYAML

            return _from_mapping(yaml_file(Path(spec)), Path(spec))
        groups: list[_Group] = []
        for part in spec.split(",", limits.CLUSTER_NODES.most):
            match = _GROUP.match(part.strip())
            if match is None or int(match["nodes"]) < 1 or int(match["gpus"]) < 1:
                raise InputError(
                    f"{shown(spec)} does not parse at {shown(part)}; "
                    "write NODESxGPUS, TYPE:NODESxGPUS,... or name a YAML file",
                    file="--cluster",
                )
            groups.append(_Group(int(match["nodes"]), int(match["gpus"]), match["type"] or "gpu"))
        counts, types, rack = _by_node(groups, "--cluster")
        return cls(counts, types, rack, np.ones(len(counts)), spec=spec)


def _type_key(kind: str, speed: float, first: Sequence[str]) -> tuple[bool, int, float, int, str]:
    """Where a type stands among others: CPU slots last, then those that come first, then by speed and name."""
    named, known = kind.lower(), len(SLOWEST_FIRST)
    rank = SLOWEST_FIRST.index(named) if named in SLOWEST_FIRST else known
    return kind == CPU, list(first).index(kind) if kind in first else len(first), speed, rank, kind


class _Group(NamedTuple):
    """Nodes that are alike; `rack` is the index of their rack."""

    nodes: int
    gpus: int
    type: str
    rack: int = 0


def _by_node(groups: Sequence[_Group], file: object) -> tuple[NDArray[np.int64], tuple[str, ...], NDArray[np.int64]]:
    """GPUs, type and rack of every node.

    Raises:
        InputError: more nodes or GPUs than are accepted.
    """
    limits.CLUSTER_NODES.check(sum(group.nodes for group in groups), file=file)
    limits.GPUS_PER_NODE.check(max(group.gpus for group in groups), file=file)
    limits.GPUS.check(sum(group.nodes * group.gpus for group in groups), file=file)
    sizes = [group.nodes for group in groups]
    types = tuple(group.type for group in groups for _ in range(group.nodes))
    gpus, racks = (np.array(column, np.int64) for column in ([g.gpus for g in groups], [g.rack for g in groups]))
    return np.repeat(gpus, sizes), types, np.repeat(racks, sizes)


def _from_mapping(data: Any, path: Path) -> Cluster:
    if not isinstance(data, dict) or not isinstance(data.get("nodes"), list) or not data["nodes"]:
        raise InputError("needs a list 'nodes'", file=path)
    require_keys(data, _TOP_KEYS, path, "cluster")
    racks, types, links = (_table(data, name, path) for name in ("racks", "types", "links"))
    require_keys(links, {"node_gbps"}, path, "links")
    names = list(racks) or ["r0"]
    places = {name: index for index, name in enumerate(names)}
    groups = [_group(each, places, path, f"nodes[{position}]") for position, each in enumerate(data["nodes"])]
    counts, kinds, rack = _by_node(groups, path)
    speeds = {kind: _number(types, kind, "speed", 1.0, path) for kind in dict.fromkeys(kinds)}
    for kind, speed in speeds.items():
        if np.isinf(speed):
            raise InputError("must be finite", file=path, field=f"{kind}.speed")
    return Cluster(
        gpus=counts,
        gpu_type=kinds,
        rack=rack,
        speed=np.array([speeds[kind] for kind in kinds]),
        node_gbps=_number({"links": links}, "links", "node_gbps", 10.0, path),
        rack_gbps=np.array([_number(racks, name, "uplink_gbps", np.inf, path) for name in names]),
        spec=path.name,
    )


def _table(data: dict[Any, Any], name: str, path: Path) -> dict[Any, Any]:
    table = data.get(name)
    if not isinstance(table, dict | None):
        raise InputError(f"must be a mapping, found {shown(table)}", file=path, field=name)
    return table or {}


def _group(group: Any, places: dict[Any, int], path: Path, where: str) -> _Group:
    if not isinstance(group, dict):
        raise InputError("must be a mapping with count and gpus", file=path, field=where)
    require_keys(group, _NODE_KEYS, path, where)
    nodes = _positive(group.get("count", 1), path, f"{where}.count")
    gpus = _positive(group.get("gpus"), path, f"{where}.gpus")
    kind = group.get("type", "gpu")
    if not isinstance(kind, str) or not _TYPE.fullmatch(kind):
        rule = f"must be a word of letters, digits, - and _ that begins with a letter, found {shown(kind)}"
        raise InputError(rule, file=path, field=f"{where}.type")
    name = group.get("rack", next(iter(places)))
    if not isinstance(name, Hashable) or name not in places:
        raise InputError(f"unknown rack {shown(name)}; racks are {', '.join(map(str, places))}", file=path, field=where)
    return _Group(nodes, gpus, kind, places[name])


def _positive(value: Any, path: Path, where: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise InputError(f"must be a whole number of at least 1, found {shown(value)}", file=path, field=where)
    return value


def _number(table: dict[Any, Any], row: Any, key: str, default: float, path: Path) -> float:
    entry = table.get(row) or {}
    require_keys(entry, {key}, path, str(row))
    value = entry.get(key, default)
    number = not isinstance(value, bool) and isinstance(value, int | float)
    if not (number and (_SLOWEST <= value <= _FASTEST or value == np.inf)):
        rule = f"must be a positive number, {_SLOWEST:g} to {_FASTEST:g}, found {shown(value)}"
        raise InputError(rule, file=path, field=f"{row}.{key}")
    return float(value)
