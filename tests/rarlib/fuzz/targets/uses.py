"""Traces in the commands that bound, compare and replay."""

from pathlib import Path
from typing import Any

from tests.rarlib.fuzz import grammar, mutate, originals
from tests.rarlib.fuzz.case import Files, Target
from tests.rarlib.fuzz.draw import Draw
from tests.rarlib.fuzz.targets.commands import run_command

_INSTANCES = (
    ["bound"], ["bound", "--effort", "0", "--quantum", "60"], ["bound", "--json", "--effort", "5"],
    ["compare", "--scheduler", "fifo", "--scheduler", "sjf", "--out", "out"],
    ["replay", "--count", "2", "--out", "out"],
)  # fmt: skip


def _instance(draw: Draw) -> tuple[Files, Any]:
    change = draw.one([mutate.table, grammar.table])
    trace = change(draw, originals.OWN) if draw.chance(0.8) else originals.OWN
    cluster = draw.one(["2x8", "t4:2x4,rtx:1x8", grammar.cluster(draw).replace("\0", "")])
    return {"t.csv": trace}, [*draw.one(_INSTANCES), "--cluster", cluster]


def _use(inputs: Path, given: Any) -> None:
    trace = str(inputs / "t.csv")
    run_command([given[0], trace, *given[1:]] if given[0] == "replay" else [given[0], "--trace", trace, *given[1:]])


TARGETS = (Target("instance", _instance, _use),)
