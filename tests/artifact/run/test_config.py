"""Configuration and entry points of the workflow."""

import re
from pathlib import Path

import pytest
import yaml

from artifact.papers.sia.cells import points
from artifact.papers.sia.inputs import workload_source
from artifact.run.members import wanted_tables
from artifact.run.settings import merged, settings_of
from rarlib.discovery import schedulers
from tests.project_copy import Project

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("  limit: 300", "  limits: 300", "limits"),
        ("limit: 300", "limit: -1", "-1"),
        ("seeds: 2", "seeds: many", "many"),
        ("readings: [fitted]", "readings: [headline]", "headline"),
        ("only: [philly", "only: [phily", "phily"),
        ("cells: {jct:", "reads: {jct: nowhere}, cells: {jct:", "nowhere"),
        ("cells: {jct:", "reads: {jtc: philly-pollux}, cells: {jct:", "jtc"),
    ],
)
def test_config_typo_is_named(project, old, new, complaint):
    """A misspelt key would silently run the default."""
    path = project.root / "config/tiny.yaml"
    path.write_text(path.read_text().replace(old.strip(), new.strip()))
    done = project.snakemake("-n")
    assert done.returncode == 2
    told = [line for line in done.stdout.splitlines() if line.startswith("error: config, field ")]
    assert len(told) == 1
    assert complaint in told[0]


def test_every_scheduler_of_the_configuration_exists():
    """A cell of an unknown scheduler fails only after minutes of work."""
    config = yaml.safe_load((ROOT / "config/config.yaml").read_text())
    compared = [config["experiments"][name]["cells"] for name in ("philly", "sjf_bco")]
    named = {scheduler for cells in compared for members in cells.values() for scheduler in members}
    assert named <= schedulers().keys()


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
    assert (planned["profile"], planned["table"], planned["figure"]) == (1, 4, 4)
    assert "trace" not in planned


def test_a_set_that_nobody_lists_is_named(project):
    """A table that reads it would have no rule to make its data."""
    path = project.root / "config/tiny.yaml"
    path.write_text("only: [pipedream]\nexperiments: {pipedream: {reads: {table1: pipedreams}}}\n")
    done = project.snakemake("-n")
    assert done.returncode == 2
    assert (
        "field experiments.pipedream.reads.table1: 'pipedreams' is not listed under traces or profiles" in done.stdout
    )


@pytest.mark.parametrize("overlay", ["config/config.yaml", "config/full.yaml"])
def test_every_workload_file_is_among_the_sources(overlay):
    """What Sia's cells run is in the profile set they read; an arena has the windows it asks for."""
    config = merged(ROOT / "config/config.yaml", ROOT / overlay)
    sia, sources = config["experiments"]["sia"], config["profiles"]["sia"]["sources"]
    families = {point.family for part in sia["cells"] for point in points(part, "sia", settings_of(sia, part))}
    wanted = {workload_source(family, file) for family in families for file in sia["files"][family.partition("-")[0]]}
    assert wanted <= set(sources)
    assert max(config["experiments"]["arena"]["windows"]) <= config["profiles"]["arena"]["seeds"]
