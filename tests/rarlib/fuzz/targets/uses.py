"""Files of users that a command reads beside traces: statements, two results folders; and traces in
the commands that bound, compare and replay.
"""

import json
import re
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd
import yaml

from artifact.ledger import ledger
from artifact.ledger.published import OWN, listed_csv
from artifact.run.manifest import write_manifest
from rarlib.model.files import write_text
from rarlib.model.project import ROOT
from tests.rarlib.fuzz import grammar, mutate, originals
from tests.rarlib.fuzz.case import Files, Target
from tests.rarlib.fuzz.draw import Draw
from tests.rarlib.fuzz.targets.commands import run_command
from tests.rarlib.fuzz.targets.folders import result_files

_CLAIMS = ROOT / "config/claims/arena.yaml"
_MOST_CLAIMS = 4
_RUNS = "arena-runs"
_ROWS = "experiment,setup,reading,scheduler,x_name,x,seed,metric,value,unit\n"
_ROW = "arena,base,headline,fifo,gpus,64,1,jct_mean_s,3.5,s\n"
_ID = re.compile(r"\bpublished['\"]?: *['\"]?([\w-]+)")
_INSTANCES = (
    ["bound"], ["bound", "--effort", "0", "--quantum", "60"], ["bound", "--json", "--effort", "5"],
    ["compare", "--scheduler", "fifo", "--scheduler", "sjf", "--out", "out"],
    ["replay", "--count", "2", "--out", "out"],
)  # fmt: skip


def _statements(draw: Draw) -> tuple[Files, Any]:
    text = _CLAIMS.read_text(encoding="utf-8")
    whole = yaml.safe_load(text)
    some = {**whole, "claims": draw.random.sample(whole["claims"], _MOST_CLAIMS)}
    if draw.chance(0.75):
        data = yaml.safe_dump(mutate.tree(draw, some), allow_unicode=True).encode(errors="replace")
    else:
        data = mutate.bytes_of(draw, yaml.safe_dump(some).encode(), separators=b" :\n,[")
    return {"s.yaml": data}, None


def _state(statements: bytes, folder: Path) -> None:
    """Write a file of statements where the results of a study have it, and the list of those that it names."""
    path = folder / "config/claims/arena.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(statements)
    named = dict.fromkeys(_ID.findall(statements.decode(errors="replace")))
    write_text(folder / "data/statements.csv", listed_csv([[n, "arena", "", "", "", "true", "", OWN] for n in named]))
    write_text(folder / "data/published.csv", listed_csv([]))


def _judge(inputs: Path, given: Any) -> None:
    """As in the results of a study, on a table with one row."""
    folder = Path("study")
    _state((inputs / "s.yaml").read_bytes(), folder)
    write_text(folder / f"tables/{_RUNS}.csv", _ROWS + _ROW)
    found = ledger.build(folder / "data", folder / "config/claims", folder / "tables")
    assert isinstance(found, pd.DataFrame)


@cache
def _study_files() -> Files:
    """A results folder that holds, as that of a study does, its statements and a configuration."""
    whole = yaml.safe_load(_CLAIMS.read_text(encoding="utf-8"))
    some = {**whole, "claims": [each for each in whole["claims"] if "formula" in each][:_MOST_CLAIMS]}
    with TemporaryDirectory() as name:
        folder = Path(name)
        _state(yaml.safe_dump(some).encode(), folder / "study")
        write_text(folder / f"tables/{_RUNS}.csv", _ROWS + _ROW)
        write_text(folder / f"tables/{_RUNS}.json", '{"standin": true, "traces": []}')
        write_text(folder / f"provenance/{_RUNS}.json", '{"code": {"a.csv": "0"}, "module": "m", "settings": {}}')
        write_text(folder / "study/labels.json", '{"fifo": "FIFO"}')
        write_text(folder / "study/config/config.yaml", json.dumps({"results": "results", "experiments": {}}))
        study = folder / "study"
        found = ledger.build(study / "data", study / "config/claims", folder / "tables")
        ledger.write_ledger(found, folder / "claims.csv")
        write_manifest(folder, folder / "manifest.json")
        paths = sorted(path for path in folder.rglob("*") if path.is_file())
        return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def _study(draw: Draw) -> tuple[Files, Any]:
    files = dict(_study_files())
    name = draw.one([*files, *(each for each in files if each.startswith("study/"))])
    if name.endswith(".csv"):
        files[name] = (grammar.table if draw.chance(0.2) else mutate.table)(draw, files[name])
    elif draw.chance(0.7):
        files[name] = yaml.safe_dump(mutate.tree(draw, yaml.safe_load(files[name]))).encode(errors="replace")
    else:
        files[name] = mutate.bytes_of(draw, files[name], separators=b" :\n,[")
    words = ["claims", "--full"], ["claims", "--why", "arena-own-001"], ["claims", "--json"], ["verify"], ["verify"]
    return {f"r/{each}": content for each, content in files.items()}, draw.one(words)


def _judged(inputs: Path, given: Any) -> None:
    run_command([given[0], str(inputs / "r"), *given[1:]])


def _two(draw: Draw) -> tuple[Files, Any]:
    whole, files = result_files(), dict(result_files())
    name = draw.one([*files, "claims.csv"])
    content = files[name]
    if name.endswith(".json") and draw.chance(0.7):
        files[name] = mutate.json_bytes(draw, yaml.safe_load(content))
    else:
        files[name] = (grammar.table if draw.chance(0.2) else mutate.table)(draw, content)
    if draw.chance(0.1):
        del files[draw.one(list(files))]
    both = {f"a/{each}": data for each, data in whole.items()} | {f"b/{each}": data for each, data in files.items()}
    return both, draw.one([["diff", "a", "b"], ["diff", "b", "a"], ["verify", "b", "--same-as", "a"], ["verify", "a"]])


def _compare(inputs: Path, given: Any) -> None:
    run_command([str(inputs / word) if word in ("a", "b") else word for word in given])


def _instance(draw: Draw) -> tuple[Files, Any]:
    change = draw.one([mutate.table, grammar.table])
    trace = change(draw, originals.OWN) if draw.chance(0.8) else originals.OWN
    cluster = draw.one(["2x8", "t4:2x4,rtx:1x8", grammar.cluster(draw).replace("\0", "")])
    return {"t.csv": trace}, [*draw.one(_INSTANCES), "--cluster", cluster]


def _use(inputs: Path, given: Any) -> None:
    trace = str(inputs / "t.csv")
    run_command([given[0], trace, *given[1:]] if given[0] == "replay" else [given[0], "--trace", trace, *given[1:]])


TARGETS = (
    Target("statements", _statements, _judge),
    Target("study-results", _study, _judged),
    Target("two-results", _two, _compare, 0.7),
    Target("instance", _instance, _use),
)
