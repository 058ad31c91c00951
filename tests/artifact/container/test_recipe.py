"""The recipe of the image, the lock and the workflow agree."""

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from rarlib.model.project import ROOT
from tests.project_copy import PART, Project, copy_project

RECIPE = (ROOT / "tools/container/Containerfile").read_text(encoding="utf-8")
STEPS = [step.split(maxsplit=1) for step in re.sub(r"^#.*\n", "", RECIPE, flags=re.M).replace("\\\n", " ").splitlines()]
PYTHONS = {"bookworm": "3.11.2", "trixie": "3.13.5"}
"""Debian's suites and their Python (packages.debian.org)."""


def steps(kind):
    return [step[1] for step in STEPS if step and step[0] == kind]


def test_the_base_has_a_python_that_the_project_allows():
    """The base is named by its digest, so that it cannot change."""
    base = re.search(r"(?m)^ARG BASE=docker\.io/library/debian:(\w+)-\d{8}-slim@sha256:[0-9a-f]{64}$", RECIPE)
    assert base
    allowed = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["requires-python"]
    assert Version(PYTHONS[base[1]]) in SpecifierSet(allowed)


def test_the_environment_is_that_of_the_lock_and_the_code_is_not_baked_in():
    """Packages without a hash, or code that is older than the checkout, would give other results."""
    assert steps("COPY") == ["requirements.lock /opt/rarlib/requirements.lock"] and steps("ADD") == []
    installs = [part for step in steps("RUN") for part in step.split("&&") if "pip install" in part]
    assert len(installs) == 1 and "--require-hashes" in installs[0]
    assert installs[0].split()[-2:] == ["--requirement", "/opt/rarlib/requirements.lock"]
    ignored = (ROOT / "tools/container/Containerfile.dockerignore").read_text().splitlines()
    assert [line for line in ignored if not line.startswith("#")] == ["*", "!requirements.lock"]


def test_it_runs_as_anybody_but_root():
    assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", steps("USER")[-1])


def test_no_address_of_an_index_is_committed():
    assert not re.search(r"https?://|file://|--index-url|--find-links|PIP_", RECIPE)


def test_every_rule_runs_in_the_image():
    """Snakemake's own account of a rule's container: a rule without one would run outside, in another environment."""
    code = """
from pathlib import Path
from snakemake.api import SnakemakeApi
from snakemake.settings.types import ConfigSettings, ResourceSettings
with SnakemakeApi() as api:
    workflow = api.workflow(ResourceSettings(cores=1), ConfigSettings(), snakefile=Path("Snakefile"))._workflow
    print(*(f"{rule.name} {rule.container_img}" for rule in workflow.rules if rule.script), sep="\\n")
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = dict(line.split() for line in done.stdout.splitlines())
    assert {"cell", "table", "figure", "claims", "report"} <= found.keys()
    assert set(found.values()) == {"build/rarlib.sif"}


@pytest.mark.release
def test_a_job_is_given_to_apptainer_with_the_image_and_the_checkout_s_package(tmp_path):
    """A stand-in for Apptainer notes what it is given and runs it here."""
    copy_project(tmp_path / "copy", PART)
    project = Project(tmp_path / "copy")
    programs = tmp_path / "programs"
    programs.mkdir()
    noted = tmp_path / "noted"
    (programs / "apptainer").write_text(
        f"""#!/bin/sh
if [ "$1" = --version ]; then echo "apptainer version 1.3.0"; exit; fi
echo "$@" | head -n 1 >>{noted}
while [ "$1" != build/rarlib.sif ]; do
    if [ "$1" = --env ]; then export "$2"; fi
    shift
done
shift
exec "$@"
"""
    )
    (programs / "apptainer").chmod(0o755)
    (project.root / "build").mkdir()
    (project.root / "build/rarlib.sif").touch()
    path = f"{programs}:{Path(sys.executable).parent}:/usr/bin:/bin"
    table = "results/tiny/tables/philly-jct.csv"
    variables = {"PATH": path, "PWD": str(project.root)}
    assert shutil.which("apptainer", path=path) == str(programs / "apptainer")
    arguments = ["--profile", "profiles/apptainer", "--configfile", "config/tiny.yaml", "--cores", "1", "--", table]
    done = project.run("-m", "snakemake", *arguments, variables=variables)
    assert done.returncode == 0, done.stdout[-3000:]
    given = noted.read_text().splitlines()
    assert len(given) == 4  # trace, two cells, table
    assert all(f"--env PYTHONPATH={project.root}" in line and " build/rarlib.sif " in line for line in given)
    inside = (project.root / table).read_bytes()
    shutil.rmtree(project.results)
    assert project.run("-m", "snakemake", *arguments[2:]).returncode == 0
    assert (project.root / table).read_bytes() == inside
