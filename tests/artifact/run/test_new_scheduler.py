"""One file in, whole paper out: a new scheduler appears in the arena, and only its own cell runs for it."""

import json

import pytest
import yaml

from rarlib.declared import scheduler_names
from rarlib.records.tidy import read_table
from tests.artifact.run.conftest import copy_project

pytestmark = pytest.mark.release

RESULTS = "results/tiny"
TABLE = f"{RESULTS}/tables/arena-runs.csv"
FIGURE = f"{RESULTS}/figures/arena-ranking.svg"
OLD = ["fifo", "srtf"]

NEW = '''"""Shortest first, on the fewest servers."""

from dataclasses import dataclass
from typing import ClassVar

from rarlib.schedulers.shared.ordering import Ordered


@dataclass
class Mine(Ordered):
    """Shortest first, each gang on the fewest servers."""

    name: ClassVar[str] = "mine"  # any spelling will do
    label: ClassVar[str] = "Mine"
    order: ClassVar[str] = "duration"

    placement: str = "pack"
'''


@pytest.fixture(scope="module")
def arena(tmp_path_factory):
    """A copy with an arena of two schedulers and one figure, made; all other schedulers are left out by name."""
    made = copy_project(tmp_path_factory.mktemp("arena"))
    base = {"traces": ["philly-pollux"], "cluster": "homogeneous", "contention": "k", "error": 0}
    profiles = [f"sia-profile-{name}" for name in ("cifar10", "bert", "deepspeech2", "yolov3", "imagenet", "ncf")]
    tiny = {
        "results": RESULTS,
        "only": ["arena"],
        "profiles": {"arena": {"sources": [*profiles, "philly-pollux"], "seeds": 1, "jobs": 6}},
        "experiments": {
            "arena": {
                "windows": [1],
                **base,
                "grid": [],
                "without": [name for name in scheduler_names() if name not in OLD],
                "cells": {"runs": ["schedulers"], "audit": ["windows"]},
            }
        },
    }
    (made.root / "config/tiny.yaml").write_text(yaml.safe_dump(tiny))
    done = made.snakemake("--cores", "1", FIGURE)
    assert done.returncode == 0, done.stdout[-3000:]
    return made


def test_a_new_file_runs_its_own_cell_and_is_in_every_figure(arena):
    before = {path.name: path.stat().st_mtime_ns for path in (arena.root / RESULTS / "cells/arena/runs").iterdir()}
    assert sorted(before) == ["fifo.csv", "srtf.csv"]
    assert arena.planned(FIGURE) == {}
    (arena.root / "rarlib/schedulers/mine.py").write_text(NEW)

    assert arena.planned(FIGURE) == {"cell": 1, "table": 1, "figure": 1}
    figures = yaml.safe_load((arena.root / "workflow/report/figures.yaml").read_text())
    planned = arena.planned()
    assert (planned["cell"], planned["table"]) == (1, 1)
    assert planned["figure"] == sum(figure["category"] == "Arena" for figure in figures.values())
    assert planned["claims"] == planned["report"] == 1

    done = arena.snakemake("--cores", "1", TABLE)
    assert done.returncode == 0, done.stdout[-3000:]
    table = read_table(arena.root / TABLE)
    assert list(dict.fromkeys(table["scheduler"])) == ["fifo", "mine", "srtf"]
    counts = table[table["x_name"] == "load"].groupby("scheduler").size()
    assert counts.nunique() == 1
    after = {path.name: path.stat().st_mtime_ns for path in (arena.root / RESULTS / "cells/arena/runs").iterdir()}
    assert {name: after[name] for name in before} == before


BROKEN = NEW.replace(
    'placement: str = "pack"',
    """placement: str = "pack"

    def decide(self, view):
        raise ValueError("a bug of the guest's")
""",
).replace('"mine"', '"broken"')


def test_a_scheduler_that_raises_is_left_out_and_everything_else_is_made(arena):
    guest = arena.root / "rarlib/schedulers/broken.py"
    guest.write_text(BROKEN)
    try:
        done = arena.snakemake("--cores", "1", FIGURE)
    finally:
        guest.unlink()
    assert done.returncode == 0, done.stdout[-3000:]
    (line,) = {line.strip() for line in done.stdout.splitlines() if line.strip().startswith("LEFT OUT")}
    number = next(i for i, text in enumerate(BROKEN.splitlines(), 1) if "raise" in text)
    assert all(told in line for told in ("scheduler broken", "pass 1 at 0 s", "broken.py", f"line {number}"))
    assert "ValueError: a bug of the guest's" in line
    assert "broken" not in set(read_table(arena.root / TABLE)["scheduler"])
    assert json.loads((arena.root / f"{RESULTS}/tables/arena-runs.json").read_text())["left_out"] == ["broken"]
    assert (arena.root / FIGURE).is_file()
