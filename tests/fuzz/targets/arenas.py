"""`rarlib arena` as a whole: its words, statements of one's own, and traces of one's own under the project's names."""

from functools import cache
from pathlib import Path
from typing import Any

import yaml

from rarlib.arena.windows import families
from rarlib.cost.goodput.measured import PREFIX
from rarlib.declared import scheduler_names
from rarlib.model.errors import InputError
from rarlib.model.project import ROOT
from rarlib.traces.sources import Source, read_sources
from rarlib.workflow.settings import configuration
from tests.fuzz import grammar, mutate, originals
from tests.fuzz.case import Case, Files, Target
from tests.fuzz.draw import Draw
from tests.fuzz.own_data import DATA, data_of, left_behind
from tests.fuzz.targets.commands import BadEndingError, run_command
from tests.traces.test_load import HYDRA, PHILLY

_CLAIMS = ROOT / "config/claims/arena.yaml"
_NAMES = 4
"""Statements of a file; schedulers that take part."""
_JOBS = range(1, 9)
_LONG = ("pollux", "shockwave", "aiturbo")
"""Their searches take a second for a few jobs."""
_MADE = {
    "philly-table": PHILLY.encode()
    + b"".join(b"2017-10-09 %02d:07:0%d,%d,%d,%d,u\n" % (at, at, at, 1 + at % 4, 600 * at) for at in range(1, 9)),
    "sia": b"name,time,application,num_replicas,batch_size\n"
    + b"".join(b"j%d,%d,%s,%d,128\n" % (at, 30 * at, b"bert" if at % 2 else b"cifar10", at) for at in range(1, 6)),
    "hydra": HYDRA.encode() + b"".join(b"%d,j%d,%d,inf,%d,%d,%d\n" % (at, at, 60 * at, 90 * at, 80, 70 * at)
                                      for at in range(1, 9)),
}  # fmt: skip
"""Format -> a trace with jobs that the arena keeps."""
_OUT = "out"


@cache
def _sources() -> dict[str, list[Source]]:
    """Family of windows -> files of its sources."""
    named = configuration()["profiles"]["arena"]["sources"]
    found = families([name for name in named if not name.startswith(PREFIX)])
    listed = read_sources(ROOT / "data" / "sources.tsv")
    return {family: [file for name in names for file in listed[name]] for family, names in found.items()}


def _trace(draw: Draw, source: Source) -> bytes:
    if source.format == "aiturbo":
        return mutate.book(draw, originals.workbook())
    data = _MADE.get(source.format, _MADE["sia"])
    return (grammar.table if draw.chance(0.4) else mutate.table)(draw, data)


def _own(draw: Draw, family: str) -> Files:
    """Traces of the family, the list that names them, or the statistics that stand in for them."""
    kind = draw.below(10)
    if kind < 8:
        some = [each for each in _sources()[family] if draw.chance(0.8)]
        return {f"{DATA}/raw/{each.file}": _trace(draw, each) for each in some}
    first = _sources()[family][0]
    if kind == 8:
        path = f"standin/{first.standin}.json"
        return {f"{DATA}/{path}": mutate.json_bytes(draw, yaml.safe_load((ROOT / "data" / path).read_bytes()))}
    rows = (ROOT / "data/sources.tsv").read_bytes().splitlines(keepends=True)
    mine = tuple(each.name.encode() for files in _sources().values() for each in files)
    table = b"".join([rows[0], *(row for row in rows if row.startswith((*mine, PREFIX.encode())))])
    return {f"{DATA}/sources.tsv": mutate.table(draw, table, b"\t")}


def _statements(draw: Draw) -> bytes:
    whole = yaml.safe_load(_CLAIMS.read_bytes())
    some = {**whole, "claims": draw.random.sample([each for each in whole["claims"] if "formula" in each], _NAMES)}
    if draw.chance(0.4):
        pair = draw.random.sample(scheduler_names(), 2)
        formula = {"kind": "beats", "table": "runs", "better": pair[0], "worse": pair[1]}
        some = {"paper": "arena", "claims": [{"published": "mine-01", "statement": "a", "formula": formula}]}
    if draw.chance(0.75):
        some = mutate.tree(draw, some) if draw.chance(0.6) else some
        return yaml.safe_dump(some, allow_unicode=True).encode(errors="replace")
    return mutate.bytes_of(draw, yaml.safe_dump(some).encode(), separators=b" :\n,[")


def _number(draw: Draw, usual: range) -> str:
    """A number of jobs or windows, mostly one that is allowed; few, since a run of many is no hang."""
    odd = draw.argument()
    try:
        allowed = int(odd) < 1 or int(odd) > 1_000
    except ValueError:
        allowed = True
    return odd if allowed and draw.chance(0.1) else str(draw.one(usual))


def _play(draw: Draw) -> tuple[Files, Any]:
    family = draw.one(sorted(_sources()))
    files = _own(draw, family) if draw.chance(0.5) else {}
    known = [name for name in scheduler_names() if name not in _LONG or draw.chance(0.3)]
    names = draw.random.sample(known, draw.one([1, 1, 2, _NAMES]))
    if draw.chance(0.08):
        names[-1] = draw.one(["bounds", "windows", names[0], draw.argument()])
    few = draw.one(_JOBS if not {*names} & {*_LONG} else _JOBS[:2])
    words = [word for name in names for word in ("--scheduler", name)]
    words += ["--trace", draw.argument() if draw.chance(0.05) else family, "--windows", _number(draw, range(1, 2))]
    words += ["--jobs", _number(draw, range(few, few + 1))]
    if draw.chance(0.05) and family not in ("sia-philly", "aiturbo"):
        words.append("--grid")
    if draw.chance(0.05):
        words.append("--figure")
    if draw.chance(0.5):
        files["s.yaml"] = _statements(draw)
        words += ["--statements", "{inputs}/s.yaml"]
    return files, words


def _run(inputs: Path, given: Any) -> None:
    words = [word.replace("{inputs}", str(inputs)) for word in given]
    with data_of(inputs):
        try:
            run_command(["arena", *words, "--out", _OUT])
        except InputError:
            if Path(_OUT).exists() and not Path(_OUT, "cells").exists():
                raise BadEndingError(f"refused before any run, but left {left_behind()}") from None
            raise
        if found := left_behind(_OUT):
            raise BadEndingError(f"wrote {found}")
        if "--statements" in words:
            _read_back()


def _read_back() -> None:
    try:
        run_command(["claims", _OUT])
        run_command(["verify", _OUT])
    except InputError as error:
        raise BadEndingError(f"refuses the results that it wrote: {error}") from error


def _kernels() -> tuple[Case, ...]:
    words = ["--trace", "pollux", "--windows", "1", "--jobs", "2"]
    return tuple(Case("arena", {}, ["--scheduler", name, *words]) for name in ("fifo", "sia"))


KERNELS = _kernels()
"""Cases that compile what the arena adds to what schedulers need elsewhere."""

TARGETS = (Target("arena", _play, _run, 0.5),)
