"""Files of users that a command reads beside traces: statements, tables of figures, two results folders; and traces in
the commands that bound, compare and replay.
"""

from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from rarlib.evidence import ledger
from rarlib.model.files import write_text
from rarlib.model.project import ROOT
from rarlib.workflow.own_arena import state
from tests.fuzz import grammar, mutate, originals
from tests.fuzz.case import Files, Target
from tests.fuzz.draw import Draw
from tests.fuzz.targets.commands import run_command
from tests.fuzz.targets.folders import result_files

_CLAIMS = ROOT / "config/claims/arena.yaml"
_MOST_CLAIMS = 4
_RUNS = "arena-runs"
_ROWS = "experiment,setup,reading,scheduler,x_name,x,seed,metric,value,unit\n"
_TABLE = _ROWS + "".join(
    f"compare,2x8,trace,{name},,,0,{metric},{value},s\n"
    for name, value in (("fifo", 3.5), ("sjf", 2.25), ("las", 2))
    for metric in ("jct_mean_s", "jct_median_s", "jct_p99_s", "queue_mean_s")
)
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


def _judge(inputs: Path, given: Any) -> None:
    """As `rarlib arena` does, on a table with one row."""
    folder = Path("study")
    state(inputs / "s.yaml", folder)
    row = "arena,base,headline,fifo,gpus,64,0,jct_mean_s,3.5,s\n"
    write_text(folder / f"tables/{_RUNS}.csv", _ROWS + row)
    found = ledger.build(folder / "data", folder / "config/claims", folder / "tables")
    assert isinstance(found, pd.DataFrame)


def _table(draw: Draw) -> tuple[Files, Any]:
    change = draw.one([mutate.table, mutate.table, grammar.table])
    return {"t.csv": change(draw, _TABLE.encode())}, None


def _figure(inputs: Path, given: Any) -> None:
    run_command(["figure", "jct", "--table", str(inputs / "t.csv"), "--out", "picture"])


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
    Target("figure-table", _table, _figure, 0.2),
    Target("two-results", _two, _compare, 0.7),
    Target("instance", _instance, _use),
)
