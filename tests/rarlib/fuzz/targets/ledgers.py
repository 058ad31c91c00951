"""`rarlib measured`: files of every measured source, their list, goals and expectations, and accepted scores."""

from functools import cache
from pathlib import Path
from typing import Any

import yaml

from artifact.ledger.measured.goals import read_goals
from artifact.ledger.measured.ledger import ACCEPTED, ACCEPTED_FILES, DECLARED
from artifact.ledger.measured.scores import read_scores
from artifact.machines.inputs import LIST, READERS
from rarlib.model.errors import InputError
from rarlib.model.project import ROOT
from rarlib.traces import places
from rarlib.traces.sources import read_sources
from tests.rarlib.fuzz import grammar, mutate
from tests.rarlib.fuzz.case import Case, Files, Target
from tests.rarlib.fuzz.draw import Draw
from tests.rarlib.fuzz.measured_samples import MADE
from tests.rarlib.fuzz.own_data import DATA, PROJECT, data_of, left_behind, project_of
from tests.rarlib.fuzz.targets.commands import BadEndingError, run_command

_ROWS = {"measured": 6, "pairs": 60, "placements": 60, "jobs": 8, "completion": 30}
"""File -> first rows that are kept of a recorded one, so that all that follows from them takes a second."""
_DECLARED = ("goals.yaml", "expectations.yaml")
_OUT = "scores"


@cache
def _recorded(source: str) -> dict[str, bytes]:
    """First rows of the files of a source; empty if no mirror has them."""
    found = {}
    for each in read_sources(ROOT / "data" / LIST)[f"measured-{source}"]:
        paths = [folder / Path(each.file).relative_to("measured") for folder in places.mirrors()]
        path = next((path for path in paths if path.is_file()), None)
        if path is None:
            return {}
        found[path.stem] = b"".join(path.read_bytes().splitlines(keepends=True)[: _ROWS.get(path.stem, 5_000) + 1])
    return found


def _from_kinds(draw: Draw, source: str, file: str) -> bytes:
    """A table that has nothing but the columns that the reader of a file expects, with values of their kinds."""
    kinds = READERS[source].kinds[file]
    words = sorted({word for row in MADE[source][file].split(b"\n")[1:] for word in row.split(b",")}) or [b"a"]
    value = {str: lambda: draw.one(words), int: lambda: draw.one([b"1", b"2", b"4", b"8"]), float: draw.plain}
    rows = [[value[kind]() for kind in kinds.values()] for _ in range(draw.one([0, 1, 3, 10]))]
    return b"\n".join(b",".join(row) for row in [[name.encode() for name in kinds], *rows, []])


def _tables(draw: Draw, source: str) -> Files:
    files = dict(MADE[source] if draw.chance(0.5) else _recorded(source) or MADE[source])
    for name in draw.random.sample(sorted(files), draw.one([0, 1, 1, 1, 2]) if len(files) > 1 else 1):
        kind = draw.below(10)
        if kind < 6:
            files[name] = mutate.table(draw, files[name])
        else:
            files[name] = grammar.table(draw, files[name]) if kind < 8 else _from_kinds(draw, source, name)
    if draw.chance(0.03):
        del files[draw.one(sorted(files))]
    return {f"{DATA}/raw/measured/{source}/{name}.csv": data for name, data in files.items()}


def _declared(draw: Draw) -> Files:
    """Goals or expectations, or what was accepted, changed."""
    if draw.chance(0.3):
        name = draw.one([*ACCEPTED_FILES, "measured-slow.csv"])
        data = b"".join((ROOT / ACCEPTED / name).read_bytes().splitlines(keepends=True)[:9])
        return {f"{PROJECT}/{ACCEPTED}/{name}": (grammar.table if draw.chance(0.3) else mutate.table)(draw, data)}
    name = draw.one(_DECLARED)
    data = (ROOT / DECLARED / name).read_bytes()
    if draw.chance(0.7):
        data = yaml.safe_dump(mutate.tree(draw, yaml.safe_load(data))).encode(errors="replace")
    else:
        data = mutate.bytes_of(draw, data, separators=b" :\n,[")
    return {f"{PROJECT}/{DECLARED}/{name}": data}


def _ledger(draw: Draw) -> tuple[Files, Any]:
    files: Files = {}
    for source in draw.random.sample(sorted(READERS), draw.one([0, 1, 1, 1, 1, 2])):
        files |= _tables(draw, source)
    if draw.chance(0.08):
        rows = (ROOT / "data" / LIST).read_bytes()
        files[f"{DATA}/{LIST}"] = mutate.table(draw, rows, b"\t")
    if draw.chance(0.3) or not files:
        files |= _declared(draw)
    words = ["--rows"] if draw.chance(0.4) else []
    if draw.chance(0.4):
        words += ["--goal", draw.one(sorted(read_goals(ROOT / DECLARED))) if draw.chance(0.7) else draw.argument()]
    return files, [*words, *(["--out", _OUT] if draw.chance(0.5) else [])]


def _score(inputs: Path, given: Any) -> None:
    parts = (str(DECLARED), str(ACCEPTED))
    with data_of(inputs), project_of(inputs, parts, "rarlib.model.project.ROOT", "artifact.machines.policy_runs.ROOT"):
        try:
            run_command(["measured", *given])
        except InputError:
            if found := left_behind():
                raise BadEndingError(f"was refused, but wrote {found}") from None
            raise
    if found := left_behind(*(_OUT for word in given if word == "--out")):
        raise BadEndingError(f"wrote {found}")
    if "--out" in given:
        _read_back(Path(_OUT) / ACCEPTED_FILES[0])


def _read_back(path: Path) -> None:
    try:
        read_scores(path)
    except InputError as error:
        raise BadEndingError(f"refuses the scores that it wrote: {error}") from error


def whole(source: str) -> Case:
    """A case that nothing is wrong with: a source as it was made up."""
    files = {f"{DATA}/raw/measured/{source}/{name}.csv": data for name, data in MADE[source].items()}
    return Case("measured", files, ["--rows", "--out", _OUT])


KERNELS = tuple(whole(source) for source in READERS)
"""Cases that compile what predictors need."""

TARGETS = (Target("measured", _ledger, _score, 1.5),)
