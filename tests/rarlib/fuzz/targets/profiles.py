"""Profiles and configurations: what traces, schedulers and the pipeline are described by."""

from pathlib import Path
from typing import Any

import yaml

from artifact.run.config import check_config
from artifact.run.settings import merged
from artifact.study.document import STUDY_FILE, read_study_file
from artifact.study.new_folder import study_files
from artifact.study.plan import size_in_words
from rarlib.cost.goodput import measured
from rarlib.model.project import ROOT
from rarlib.pipeline.graph import read_graph
from tests.rarlib.fuzz import grammar, mutate, originals
from tests.rarlib.fuzz.case import Files, Target
from tests.rarlib.fuzz.draw import Draw
from tests.rarlib.fuzz.targets.commands import run_command

_CONFIG = ROOT / "config"


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
    Target("measured-profiles", _measured, _read_measured),
    Target("layer-profile", _graph, _plan),
    Target("configuration", _configuration, _check, 0.7),
    Target("study", _study, _preview),
)
