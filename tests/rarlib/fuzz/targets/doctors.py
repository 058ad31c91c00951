"""`rarlib doctor`: a checkout that was changed, lists, raw files and mirrors that are not what they should be."""

from pathlib import Path
from typing import Any

import yaml

from rarlib.model.project import ROOT
from tests.rarlib.fuzz import grammar, mutate
from tests.rarlib.fuzz.case import Files, Target
from tests.rarlib.fuzz.draw import Draw
from tests.rarlib.fuzz.own_data import DATA, LISTS, PROJECT, data_of, left_behind, project_of
from tests.rarlib.fuzz.targets.commands import BadEndingError, run_command
from tests.rarlib.traces.test_load import SAMPLES

_LOCK, _COSTS, _CONFIG = "requirements.lock", "benchmarks/costs.csv", "config/config.yaml"
_LINES = b"""\
# one line for each package
absl-py==2.5.1 \\
    --hash=sha256:286e71c82c1a38e75bbcf185f9b37d0305ad7786535107cb49bf4df9ff2e1f95
colorama==0.4.6 ; sys_platform == 'win32' \\
numpy==2.3.4
pandas==2.3.3 ; python_full_version < '3.14' and platform_machine != 's390x'
no-such-package==1.0
"""
_COST = b"""\
command,rule,job,value,unit
,probe,,0.05,s
reproduce,cell,aiturbo-ablation-aiturbo,7.5,s
reproduce,cell,aiturbo-ablation-aiturbo,254.5,MB
smoke,figure,sia-fig7,2.25,s
"""
_TRACE = "raw/philly-pollux/philly.csv"
_MIRRORS = ("", "{inputs}/data", "{inputs}/data/raw:{inputs}", "{inputs}/no-such-folder", "{inputs}/data/x", "~/x",
            "~nobody-of-this-name/x", ":", "/dev/null", "raw")  # fmt: skip


def _visit(draw: Draw) -> tuple[Files, Any]:
    changes = (_lock, _costs, _config, _config, _list, _list, _raw)
    files: Files = {}
    for change in draw.random.sample(changes, draw.one([0, 1, 1, 1, 2])):
        files |= change(draw)
    mirror = draw.one([*_MIRRORS, draw.argument().lstrip("/~")]) if draw.chance(0.4) else ""
    return files, mirror


def _lock(draw: Draw) -> Files:
    whole = (ROOT / _LOCK).read_bytes()
    data = _LINES if draw.chance(0.6) else b"".join(whole.splitlines(keepends=True)[:60])
    change = mutate.table(draw, data, b"==") if draw.chance(0.3) else mutate.bytes_of(draw, data, separators=b"= ;'\n")
    return {f"{PROJECT}/{_LOCK}": change}


def _costs(draw: Draw) -> Files:
    return {f"{PROJECT}/{_COSTS}": (grammar.table if draw.chance(0.3) else mutate.table)(draw, _COST)}


def _config(draw: Draw) -> Files:
    whole = yaml.safe_load((ROOT / _CONFIG).read_bytes())
    part = {"traces": whole["traces"], "profiles": {"pipedream": whole["profiles"]["pipedream"]}}
    if draw.chance(0.7):
        data = yaml.safe_dump(mutate.tree(draw, part)).encode(errors="replace")
    elif draw.chance(0.7):
        data = mutate.bytes_of(draw, yaml.safe_dump(part).encode(), separators=b" :\n,[")
    else:
        data = grammar.yaml(draw)
    return {f"{PROJECT}/{_CONFIG}": data}


def _list(draw: Draw) -> Files:
    name = draw.one(LISTS)
    rows = (ROOT / "data" / name).read_bytes().splitlines(keepends=True)
    some = b"".join(
        [rows[0], *(row for row in rows[1:] if row.startswith(b"philly")), *draw.random.sample(rows[1:], 4)]
    )
    return {f"{DATA}/{name}": (grammar.table if draw.chance(0.2) else mutate.table)(draw, some, b"\t")}


def _raw(draw: Draw) -> Files:
    trace = mutate.table(draw, SAMPLES["philly-table"].encode())
    return {f"{DATA}/{draw.one([_TRACE, 'x/philly.csv', 'raw/philly-pollux'])}": trace}


def _check(inputs: Path, given: Any) -> None:
    parts = (_LOCK, _COSTS, _CONFIG)
    with data_of(inputs, given.replace("{inputs}", str(inputs))), project_of(inputs, parts, "artifact.cli.doctor.ROOT"):
        run_command(["doctor"])
    if found := left_behind():
        raise BadEndingError(f"wrote {found}")


TARGETS = (Target("doctor", _visit, _check),)
