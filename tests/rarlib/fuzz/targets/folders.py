"""Folders that a command reads back: those of runs, with and without adjusted digests, and those of results."""

import json
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from artifact.run.manifest import write_manifest
from rarlib.cost.ring import RingCost
from rarlib.model.cluster import Cluster
from rarlib.model.jobs import Jobs
from rarlib.model.project import ROOT
from rarlib.records.read import Record, node_groups
from rarlib.records.tidy import TIDY_COLUMNS
from rarlib.records.write import RUN_FILES, write_run
from rarlib.schedulers.srtf import Srtf
from rarlib.simulator.engine import simulate
from tests.rarlib.fuzz import grammar, mutate
from tests.rarlib.fuzz.case import Files, Target
from tests.rarlib.fuzz.draw import Draw
from tests.rarlib.fuzz.targets.commands import run_command

_ROWS = ((0.0, 3, 10.4), (1.3, 2, 3.0), (2.0, 1, 0.0), (2.0, 1, 4.0), (6.0, 4, 2.0), (7.0, 3, 5.0))
_USES = (["read"], ["read"], ["why"], ["why", "--job", "4"], ["why", "--out", "split.csv"],
         ["export", "--out", "exported"])  # fmt: skip
_TABLE, _PROVENANCE = "tables/sjf-bco-fig4.csv", "provenance/sjf-bco-fig4.json"
_ACCEPTED = ROOT / "results/expected/claims.csv"
_LEDGER_ROWS = 5


@cache
def run_files() -> Files:
    """A run with stops, a gang on two servers and a job of no length."""
    submit, gpus, duration = (np.array(column) for column in zip(*_ROWS, strict=True))
    cluster = Cluster.parse("a:1x2,b:1x2")
    run = simulate(Jobs.build(submit_s=submit, gpus=gpus, duration_s=duration), cluster, Srtf(), RingCost())
    facts = {"scheduler": "srtf", "cluster": cluster.spec, "node_groups": node_groups(cluster), "quantum_s": 0.0}
    with TemporaryDirectory() as folder:
        write_run(run, Path(folder), facts)
        return _contents(Path(folder))


@cache
def result_files() -> Files:
    """A results folder with one table, of which no claim finds all rows."""
    row = ("sjf-bco", "batch", "fitted", "sjf-bco", "servers", "20", "0", "makespan", "535", "slot")
    ledger = _ACCEPTED.read_bytes().splitlines(keepends=True)
    files = {
        _TABLE: f"{','.join(TIDY_COLUMNS)}\n{','.join(row)}\n".encode(),
        "tables/sjf-bco-fig4.json": b'{"standin": false}',
        _PROVENANCE: b'{"code": {"sjf-bco/fig4.csv": "0"}, "module": "m", "settings": {}}',
        "claims.csv": b"".join(ledger[:_LEDGER_ROWS]),
    }
    with TemporaryDirectory() as folder:
        for name, content in files.items():
            path = Path(folder, name)
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(content)
        write_manifest(Path(folder), Path(folder) / "manifest.json")
        return _contents(Path(folder))


def _contents(folder: Path) -> Files:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()
    }


def _run(draw: Draw) -> tuple[Files, Any]:
    files = dict(run_files())
    for name in draw.random.sample(RUN_FILES[1:], draw.one([1, 1, 1, 2])):
        files[name] = _changed(draw, name, files[name])
    if draw.chance(0.05):
        del files[draw.one(RUN_FILES)]
    use = list(draw.one(_USES))
    if use == ["why", "--job", "4"] and draw.chance(0.5):
        use[2] = draw.argument()
    return {f"run/{name}": content for name, content in files.items()}, use


def _changed(draw: Draw, name: str, content: bytes) -> bytes:
    if name.endswith(".json"):
        return mutate.json_bytes(draw, json.loads(content))
    return (grammar.table if draw.chance(0.2) else mutate.table)(draw, content)


def _use_run(inputs: Path, given: Any) -> None:
    folder = inputs / "run"
    if given[0] == "read":
        record = Record.read(folder)
        assert len(record.holds) <= len(record.allocations)
        _ = record.gangs, record.type_of, record.total_gpus
        return
    run_command([given[0], str(folder), *given[1:]])


def _results(draw: Draw) -> tuple[Files, Any]:
    files = dict(result_files())
    name = draw.one([*files, "claims.csv", "claims.csv"])
    files[name] = _changed(draw, name, files[name])
    if draw.chance(0.1):
        del files[draw.one(list(files))]
    claims = ["claims"], ["claims", "--why", "sjf-bco-001"], ["claims", "--find", "GPU"]
    slow = ["verify"], ["verify", "--accepted", "{accepted}"]
    return {f"results/{each}": content for each, content in files.items()}, draw.one(
        slow if draw.chance(0.15) else claims
    )


def _use_results(inputs: Path, given: Any) -> None:
    words = [word.replace("{accepted}", str(_ACCEPTED)) for word in given[1:]]
    run_command([given[0], str(inputs / "results"), *words])


TARGETS = (Target("run-folder", _run, _use_run, 3.0), Target("results-folder", _results, _use_results, 1.5))
