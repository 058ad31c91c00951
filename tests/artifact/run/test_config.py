"""Configuration and entry points of the workflow."""

import re
from pathlib import Path

import pytest

from artifact.papers.sia.cells import points
from artifact.papers.sia.inputs import workload_source
from artifact.run.members import wanted_tables
from artifact.run.settings import merged, settings_of
from tests.project_copy import Project

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("  limit: 300", "  limits: 300", "limits"),
        ("limit: 300", "limit: -1", "-1"),
        ("readings: [fitted]", "readings: [headline]", "headline"),
        ("only: [philly", "only: [phily", "phily"),
        ("cells: {jct:", "reads: {jct: nowhere}, cells: {jct:", "nowhere"),
    ],
)
def test_config_typo_is_named(project, old, new, complaint):
    path = project.root / "config/tiny.yaml"
    path.write_text(path.read_text().replace(old.strip(), new.strip()))
    done = project.snakemake("-n")
    assert done.returncode == 2
    told = [line for line in done.stdout.splitlines() if line.startswith("error: config, field ")]
    assert len(told) == 1
    assert complaint in told[0]


def test_smoke_covers_every_rule_and_paper():
    """It stands for the whole run: every rule is planned, and a table of every paper."""
    smoke = merged(ROOT / "config/config.yaml", ROOT / "config/smoke.yaml")
    experiments = {experiment for experiment, _ in wanted_tables(smoke)}
    assert experiments >= {"sjf-bco", "gadget", "pipedream", "sia", "aiturbo", "arena"}
    done = Project(ROOT).run("-m", "snakemake", "-n", "--forceall", "--configfile", "config/smoke.yaml")
    assert done.returncode == 0, done.stdout[-3000:]
    planned = {rule: int(count) for rule, count in re.findall(r"^(\w+) +(\d+)$", done.stdout, re.MULTILINE)}
    rules = {
        name
        for file in (ROOT / "workflow/rules").glob("*.smk")
        if file.stem not in ("paper", "archive", "study")
        for name in re.findall(r"^rule (\w+):", file.read_text(), re.MULTILINE)
    }
    assert rules <= planned.keys()
    assert planned["total"] < 60


def test_only_names_experiments_tables_and_tutorials(project):
    """A table comes with the figures that need no other."""
    path = project.root / "config/tiny.yaml"
    path.write_text("results: results/tiny\nonly: [sjf-bco-fig7, 01-one-job]\n")
    planned = project.planned()
    assert (planned["cell"], planned["table"], planned["figure"], planned["tutorial"]) == (1, 1, 1, 1)
    path.write_text("only: [sjf-bco-fig77]\n")
    done = project.snakemake("-n")
    assert done.returncode == 2
    assert "no experiment, table or tutorial 'sjf-bco-fig77'; did you mean 'sjf-bco-fig7'?" in done.stdout


def test_profile_sets_are_made_before_the_cells_that_read_them(project):
    """Without measured files the same jobs run, on stand-ins."""
    path = project.root / "config/tiny.yaml"
    path.write_text("results: results/tiny\nonly: [pipedream]\n")
    planned = project.planned()
    assert (planned["profile"], planned["table"], planned["figure"]) == (1, 3, 3)
    assert "trace" not in planned


@pytest.mark.parametrize("overlay", ["config/config.yaml", "config/full.yaml"])
def test_every_workload_file_is_among_the_sources(overlay):
    """What Sia's cells run is in the profile set they read; an arena has the windows it asks for."""
    config = merged(ROOT / "config/config.yaml", ROOT / overlay)
    sia, sources = config["experiments"]["sia"], config["profiles"]["sia"]["sources"]
    families = {point.family for part in sia["cells"] for point in points(part, "sia", settings_of(sia, part))}
    wanted = {workload_source(family, file) for family in families for file in sia["files"][family.partition("-")[0]]}
    assert wanted <= set(sources)
    assert max(config["experiments"]["arena"]["windows"]) <= config["profiles"]["arena"]["seeds"]
