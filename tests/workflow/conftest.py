"""A private copy of the project, so that tests may edit code and configuration."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
PARTS = ("rarlib", "workflow", "config", "profiles", "notebooks")
FILES = (
    "Snakefile",
    "CITATION.cff",
    "environment.yml",
    "data/published.csv",
    "data/statements.csv",
    "data/sources.tsv",
)
TINY = """
results: results/tiny
only: [philly, sjf_bco]
traces: {philly-pollux: {limit: 300, cluster: 10x8}}
experiments:
  philly: {cluster: 10x8, cells: {jct: [fifo, las]}}
  sjf_bco: {seeds: 2, setups: [P200], parts: {inference: {draws: 20}}}
"""


class Project:
    """A copy of the project in which Snakemake can be run."""

    def __init__(self, root):
        self.root = root

    def snakemake(self, *arguments, **variables):
        """Run Snakemake offline; returns the finished process, output and errors together in `stdout`."""
        return self.run("-m", "snakemake", "--configfile", "config/tiny.yaml", *arguments, **variables)

    def make(self, *arguments, **variables):
        """The same through the runner that `make` starts."""
        return self.run("workflow/scripts/run.py", "--configfile", "config/tiny.yaml", *arguments, **variables)

    def run(self, *arguments, **variables):
        """Run Python in the copy."""
        # Anything of the outer environment that would change what the pipeline finds is taken out.
        environment = {k: v for k, v in os.environ.items() if not k.startswith("RARLIB_")}
        environment |= {"PYTHONPATH": str(self.root), "RARLIB_OFFLINE": "1"} | variables
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=self.root,
            env=environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )

    def planned(self, *arguments, **variables):
        """Jobs a dry run would execute, by rule."""
        done = self.snakemake("-n", *arguments, **variables)
        assert done.returncode == 0, done.stdout[-3000:]
        text = done.stdout
        table = text[text.find("Job stats:") :].splitlines()[3:] if "Job stats:" in text else []
        rows = [line.split() for line in table]
        rows = rows[: next((i for i, row in enumerate(rows) if row[:1] == ["total"]), 0)]
        return {rule: int(count) for rule, count in rows}


def copy_project(target):
    for part in PARTS:
        shutil.copytree(ROOT / part, target / part, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "data/standin", target / "data/standin")
    for name in FILES:
        shutil.copy(ROOT / name, target / name)
    # One notebook that explains, one figure of SJF-BCO and its scheduler are enough here; a list in a second file
    # replaces, a mapping merges.
    for tutorial in sorted((target / "notebooks/learn").glob("*.ipynb"))[1:]:
        tutorial.unlink()
    path = target / "config/config.yaml"
    config = yaml.safe_load(path.read_text())
    config["experiments"]["sjf_bco"] |= {"cells": {"fig7": ["sjf-bco"]}, "reads": {}}
    path.write_text(yaml.safe_dump(config))
    (target / "config/tiny.yaml").write_text(TINY)
    return Project(target)


@pytest.fixture
def project(tmp_path):
    return copy_project(tmp_path)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A copy in which everything has been made once, on one core."""
    made = copy_project(tmp_path_factory.mktemp("finished"))
    done = made.snakemake("--cores", "1")
    assert done.returncode == 0, done.stdout[-3000:]
    return made
