"""Readers of traces: every format, archives, workbooks, PAI's folder."""

import json
from pathlib import Path
from typing import Any

from rarlib.traces.audit import audit, write_clean
from rarlib.traces.load import FORMATS, load_trace
from tests.rarlib.fuzz import grammar, mutate, originals
from tests.rarlib.fuzz.case import Files, Target
from tests.rarlib.fuzz.draw import Draw
from tests.rarlib.traces.test_load import SAMPLES


def _mutated(draw: Draw) -> tuple[Files, Any]:
    format, data = draw.one(originals.traces())
    return {"t.csv": mutate.table(draw, data)}, _given(draw, "t.csv", format)


def _made(draw: Draw) -> tuple[Files, Any]:
    format, data = draw.one([each for each in originals.traces() if each[0] != "philly"])
    return {"t.csv": grammar.table(draw, data)}, _given(draw, "t.csv", format)


def _log(draw: Draw) -> tuple[Files, Any]:
    return {"t.json": mutate.json_bytes(draw, json.loads(SAMPLES["philly"]))}, _given(draw, "t.json", "philly")


def _archive(draw: Draw) -> tuple[Files, Any]:
    format, data = draw.one(originals.traces())
    name, content = grammar.packed(draw, mutate.table(draw, data) if draw.chance(0.2) else data)
    return {name: mutate.bytes_of(draw, content) if draw.chance(0.8) else content}, _given(draw, name, format)


def _book(draw: Draw) -> tuple[Files, Any]:
    return {"d.xlsx": mutate.book(draw, originals.workbook())}, _given(draw, "d.xlsx", "aiturbo")


def _pai(draw: Draw) -> tuple[Files, Any]:
    change = (mutate.table, grammar.table)
    files = {name: draw.one(change)(draw, data) if draw.chance(0.5) else data for name, data in originals.PAI.items()}
    if draw.chance(0.1):
        del files[draw.one(list(files))]
    return files, {"name": draw.one([".", "pai_job_table.csv"]), "format": draw.one([None, "pai"]), "limit": None}


def _given(draw: Draw, name: str, usual: str | None) -> dict[str, Any]:
    format = draw.one([usual, None, None, draw.one([each for each in FORMATS if each != "pai"])])
    return {"name": name, "format": format, "limit": draw.one([None, None, 1, 3])}


def _read(inputs: Path, given: Any) -> None:
    trace = load_trace(inputs / given["name"], given["format"], limit=given["limit"], network=False)
    assert len(trace.jobs) >= 1
    assert trace.provenance["read"] == trace.provenance["kept"] + sum(trace.provenance["dropped"].values())
    audit(trace)
    write_clean(trace, Path("clean.csv"))
    again = load_trace(Path("clean.csv"))
    assert again.jobs.job_id.tolist() == trace.jobs.job_id.tolist()


TARGETS = (
    Target("trace-mutated", _mutated, _read, 4.0),
    Target("trace-grammar", _made, _read, 3.0),
    Target("trace-log", _log, _read),
    Target("trace-archive", _archive, _read),
    Target("trace-workbook", _book, _read, 1.5),
    Target("trace-folder", _pai, _read),
)
