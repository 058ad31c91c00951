"""A private copy of the project, so that tests may edit code and configuration."""

import os
import subprocess
import sys

import pytest

from tools.trials import copy_project

TINY = """
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


def copy_of_project(target):
    copy_project(target, TINY)
    return Project(target)


@pytest.fixture
def project(tmp_path):
    return copy_of_project(tmp_path)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A copy in which everything has been made once, on one core."""
    made = copy_of_project(tmp_path_factory.mktemp("finished"))
    done = made.snakemake("--cores", "1")
    assert done.returncode == 0, done.stdout[-3000:]
    return made
