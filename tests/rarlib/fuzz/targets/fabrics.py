"""Links that jobs share: instances of `rarlib fabric`, and fabrics in a run, as a file and in one line."""

import json
from pathlib import Path
from typing import Any
from unittest.mock import patch

from rarlib.declared import scheduler_names
from rarlib.model import limits
from tests.rarlib.fuzz import grammar, mutate
from tests.rarlib.fuzz.case import Case, Files, Target
from tests.rarlib.fuzz.draw import Draw
from tests.rarlib.fuzz.targets.commands import run_command
from tests.rarlib.fuzz.targets.own_runs import short_search, simulated

_EVENTS = limits.PHASE_EVENTS._replace(most=500_000)
"""Fifty million events of phases, which users may ask for, take longer than a case may."""
_CASES: tuple[dict[str, Any], ...] = (
    {"id": "stated", "links": {"l": 10.0, "m": 25.0}, "alpha": 0.2, "jobs": [
        {"id": "a", "compute_s": 0.25, "iterations": 40, "flows": [{"bytes": 1e8, "links": {"l": 1, "m": 2}}]},
        {"id": "b", "compute_s": 0.5, "start_s": 1.5, "iterations": 30, "flows": [{"bytes": 5e8, "links": {"l": 1}}]},
    ]},
    {"id": "rings", "leave": True, "fabric": {
        "shape": "leaf-spine", "racks": 2, "servers_per_rack": 2, "spines": 2, "nic_gbps": 10, "oversubscription": 2,
        "ecmp_seed": 3}, "jobs": [
        {"id": "a", "compute_s": 0.125, "iterations": 20, "servers": [0, 2, 3], "bytes": 1e8, "noise": 0.1, "seed": 1},
        {"id": "b", "compute_s": 0.0, "iterations": 50, "servers": [1, 2], "ring": "independent", "bytes": 2e8,
         "priority": 1},
    ]},
)  # fmt: skip
_NETWORKS: tuple[dict[str, Any], ...] = (
    {"shape": "one-switch", "nic_gbps": 10, "alpha": 0.1},
    {"shape": "cluster", "alpha": 0.3, "grade": "flow"},
    {"shape": "tree", "racks": 2, "servers_per_rack": 2, "nic_gbps": 25, "uplink_gbps": 10},
    {"shape": "leaf-spine", "racks": 2, "servers_per_rack": 2, "spines": 3, "oversubscription": 2, "grade": "flow",
     "ecmp_seed": 5},
    {"shape": "leaf-spine", "racks": 2, "servers_per_rack": 2, "spines": 1, "uplink_gbps": 5, "grade": "flow"},
    {"shape": "file", "path": "shape.csv", "uplinks_gbps": {"rack": 10, "row": 20}, "nic_gbps": 10},
)  # fmt: skip
_SHAPE = b"server,root,row,rack\nh0,x,a,p\nh1,x,a,q\nh2,x,b,p\nh3,x,b,q\n"
_TRACE = b"submit_s,gpus,duration_s\n0,3,5\n1,4,3.5\n1,2,8\n2,8,4\n2.5,3,0\n"
_CLUSTERS = ("4x2", "4x2", "4x2", "4x4", "4x8", "t4:2x4,rtx:2x4", "1x8")


def _instances(draw: Draw) -> tuple[Files, Any]:
    lines = [json.dumps(draw.one(_CASES)).encode() for _ in range(draw.one([0, 0, 1]))]
    lines.insert(draw.below(len(lines) + 1), _changed(draw, draw.one(_CASES)))
    return {"i.jsonl": b"\n".join(lines)}, draw.one(["flow", "law"])


def _changed(draw: Draw, value: Any) -> bytes:
    return json.dumps(mutate.numbers(draw, value)).encode() if draw.chance(0.5) else mutate.json_bytes(draw, value)


def _times(inputs: Path, given: Any) -> None:
    with patch("rarlib.model.limits.PHASE_EVENTS", _EVENTS):
        run_command(["fabric", str(inputs / "i.jsonl"), "--grade", given, "--out", "times.csv"])


def _network(draw: Draw) -> tuple[Files, Any]:
    network, shape = draw.one(_NETWORKS), _SHAPE
    name = draw.one(scheduler_names()) if draw.chance(0.3) else draw.one(["fifo", "sjf-bco", "las", "srtf"])
    words = ["--scheduler", name, "--cluster", draw.one(_CLUSTERS), *short_search(name)]
    if draw.chance(0.3):
        spec = ",".join(f"{key}={value}" for key, value in network.items() if not isinstance(value, dict))
        spec = mutate.bytes_of(draw, spec.removeprefix("shape=").encode(), separators=b",=").decode("utf-8", "replace")
        return {"t.csv": _TRACE}, [*words, "--fabric", spec.replace("\0", "")]
    if network["shape"] == "file" and draw.chance(0.6):
        shape = draw.one([mutate.table, grammar.table])(draw, shape)
        data = json.dumps(network).encode()
    else:
        data = _changed(draw, network)
    trace = mutate.table(draw, _TRACE) if draw.chance(0.2) else _TRACE
    return {"t.csv": trace, "n.json": data, "shape.csv": shape}, [*words, "--network", "{inputs}/n.json"]


def _run(inputs: Path, given: Any) -> None:
    simulated(inputs, [word.replace("{inputs}", str(inputs)) for word in given])


def _kernels() -> tuple[Case, ...]:
    """Cases that compile what runs on links, by the law and phase by phase."""
    files = {"t.csv": _TRACE, "shape.csv": _SHAPE}
    lines = "\n".join(map(json.dumps, _CASES)).encode()
    runs = [
        Case(
            "network",
            {**files, "n.json": json.dumps(network).encode()},
            ["--scheduler", name, "--cluster", "4x2", "--network", "{inputs}/n.json"],
        )
        for network in _NETWORKS
        for name in ("fifo", "sjf-bco", "las")
    ]
    return (*runs, *(Case("fabric-instances", {"i.jsonl": lines}, grade) for grade in ("flow", "law")))


KERNELS = _kernels()
TARGETS = (Target("fabric-instances", _instances, _times, 1.5), Target("network", _network, _run, 2.0))
