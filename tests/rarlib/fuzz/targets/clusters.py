"""Clusters, in one line and as YAML, alone and in a run."""

from pathlib import Path
from typing import Any

import yaml

from rarlib.model.cluster import Cluster
from tests.rarlib.fuzz import grammar, mutate, originals
from tests.rarlib.fuzz.case import Files, Target
from tests.rarlib.fuzz.draw import Draw
from tests.rarlib.fuzz.targets.commands import run_command

_TRACE = b"submit_s,gpus,duration_s\n0,1,5\n1,2,3\n"


def _line(draw: Draw) -> tuple[Files, Any]:
    if draw.chance(0.4):
        spec = mutate.bytes_of(draw, draw.one(originals.SPECS).encode()).decode("utf-8", "replace")
    else:
        spec = grammar.cluster(draw)
    return {}, spec


def _parse(inputs: Path, given: Any) -> None:
    _ = Cluster.parse(given).total_gpus


def _yaml(draw: Draw) -> tuple[Files, Any]:
    try:
        text = yaml.safe_dump(mutate.tree(draw, originals.CLUSTER)).encode("utf-8", "surrogatepass")
    except (yaml.YAMLError, UnicodeError):
        text = grammar.yaml(draw)
    if draw.chance(0.5):
        text = mutate.bytes_of(draw, text, separators=b" :\n-")
    command = draw.one(["", "", "", "fifo", "sjf", "drf"])
    return {"c.yaml": text, "t.csv": _TRACE}, command and [command, draw.one(["ring", "trace", "goodput"])]


def _use(inputs: Path, given: Any) -> None:
    if not given:
        Cluster.parse(str(inputs / "c.yaml"))
        return
    chosen = ["--cluster", str(inputs / "c.yaml"), "--scheduler", given[0], "--cost", given[1]]
    run_command(["simulate", "--trace", str(inputs / "t.csv"), *chosen, "--out", "run", "--quiet"])


TARGETS = (Target("cluster-line", _line, _parse, 1.5), Target("cluster-yaml", _yaml, _use, 2.0))
