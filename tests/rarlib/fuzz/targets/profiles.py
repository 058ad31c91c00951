"""Profiles, lists and configurations: what traces, schedulers and the pipeline are described by."""

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from artifact.run.config import check_config
from artifact.run.settings import merged
from artifact.study.document import STUDY_FILE, read_study_file
from artifact.study.new_folder import study_files
from artifact.study.plan import size_in_words
from rarlib.cost.goodput import measured, standin
from rarlib.model.project import ROOT
from rarlib.pipeline.graph import read_graph
from rarlib.traces.profile import read_profile
from rarlib.traces.sources import read_sources
from rarlib.traces.standin import sample_jobs
from tests.rarlib.fuzz import grammar, mutate, originals
from tests.rarlib.fuzz.case import Files, Target
from tests.rarlib.fuzz.draw import Draw
from tests.rarlib.fuzz.targets.commands import run_command

_MOST_DRAWN = 500
_FITS = "standin/sia-profiles.json"
_CONFIG = ROOT / "config"


def _standin(draw: Draw) -> tuple[Files, Any]:
    return {"p.json": mutate.json_bytes(draw, draw.one(originals.profiles()))}, None


def _draw_jobs(inputs: Path, given: Any) -> None:
    profile = read_profile(inputs / "p.json")
    sample_jobs(profile, min(profile.jobs, _MOST_DRAWN), np.random.default_rng(1))


def _fits(draw: Draw) -> tuple[Files, Any]:
    whole = json.loads((ROOT / "data" / _FITS).read_text(encoding="utf-8"))
    kept = draw.one(list(whole["applications"]))
    part = whole | {"applications": {kept: whole["applications"][kept]}}
    return {_FITS: mutate.json_bytes(draw, part)}, kept


def _read_fits(inputs: Path, given: Any) -> None:
    os.environ["RARLIB_DATA"] = str(inputs)
    try:
        standin.profiles(given)
    finally:
        del os.environ["RARLIB_DATA"]


def _measured(draw: Draw) -> tuple[Files, Any]:
    change = (mutate.table, mutate.table, grammar.table)
    hit = draw.one(list(originals.PROFILE))
    files = {f"{stem}.csv": draw.one(change)(draw, data) if stem == hit or draw.chance(0.1) else data
             for stem, data in originals.PROFILE.items()}  # fmt: skip
    return files, None


def _read_measured(inputs: Path, given: Any) -> None:
    paths = {stem: inputs / f"{stem}.csv" for stem in originals.PROFILE}
    measured._steps(paths)
    measured._gradients(paths, 3)


def _graph(draw: Draw) -> tuple[Files, Any]:
    data = draw.one(originals.graphs())
    changed = (
        mutate.table(draw, data, b" -- ") if draw.chance(0.5) else mutate.bytes_of(draw, data, separators=b"=,\t\n")
    )
    return {"graph.txt": changed}, draw.one([None, None, ["2"], ["2", "2"]])


def _plan(inputs: Path, given: Any) -> None:
    if given is None:
        read_graph(inputs / "graph.txt")
    else:
        links = ["1e9"] * len(given)
        run_command(["plan", "--profile", str(inputs / "graph.txt"), "--machines", *given, "--bandwidth", *links])


def _list(draw: Draw) -> tuple[Files, Any]:
    rows = (ROOT / "data" / "sources.tsv").read_bytes().splitlines(keepends=True)
    some = b"".join([rows[0], *draw.random.sample(rows[1:], 8)])
    change = draw.one([mutate.table, mutate.table, grammar.table])
    return {"sources.tsv": change(draw, some, b"\t")}, None


def _read_list(inputs: Path, given: Any) -> None:
    read_sources(inputs / "sources.tsv")


def _configuration(draw: Draw) -> tuple[Files, Any]:
    name = draw.one(["full", "quick", "smoke", "config"])
    data = (_CONFIG / f"{name}.yaml").read_bytes()
    changed = mutate.bytes_of(draw, data, separators=b" :\n,[") if draw.chance(0.8) else grammar.yaml(draw)
    return {"c.yaml": changed}, name


def _check(inputs: Path, given: Any) -> None:
    own = inputs / "c.yaml"
    check_config(merged(own) if given == "config" else merged(_CONFIG / "config.yaml", own))


def _study(draw: Draw) -> tuple[Files, Any]:
    files = {name: text.encode() for name, text in study_files("queues").items()}
    own = files[STUDY_FILE]
    if draw.chance(0.5):
        table = yaml.safe_load(own)
        files[STUDY_FILE] = yaml.safe_dump(mutate.tree(draw, table), allow_unicode=True).encode(errors="replace")
    else:
        files[STUDY_FILE] = mutate.bytes_of(draw, own, separators=b" :\n,[")
    return files, None


def _preview(inputs: Path, given: Any) -> None:
    study = read_study_file(inputs)
    assert len(study.settings) >= 1
    assert size_in_words(study)


TARGETS = (
    Target("standin", _standin, _draw_jobs, 1.5),
    Target("standin-profiles", _fits, _read_fits),
    Target("measured-profiles", _measured, _read_measured),
    Target("layer-profile", _graph, _plan),
    Target("sources", _list, _read_list),
    Target("configuration", _configuration, _check, 0.7),
    Target("study", _study, _preview),
)
