"""`rarlib doctor` in a checkout that was changed: the state of the machine."""

import shutil

import pytest

from artifact.cli import doctor
from rarlib.model.project import ROOT

LOCK, COSTS, CONFIG = "requirements.lock", "benchmarks/costs.csv", "config/config.yaml"
COST = "command,rule,job,value,unit\nsetup,probe,,0.5,s\nreproduce,cell,a,60,s\n"


@pytest.fixture
def project(tmp_path, monkeypatch, offline):
    """A checkout with what the command reads, on a machine without data."""
    for name in (LOCK, COSTS, CONFIG):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    monkeypatch.setattr(doctor, "ROOT", tmp_path)
    return tmp_path


def test_what_deviates_is_listed_and_the_exit_code_says_so(project, run):
    (project / LOCK).write_text("no-such-package==1.0 \\\n")
    code, told = run("doctor")
    assert code == 1
    assert "1 deviate from requirements.lock:\n           no-such-package: locked 1.0, here missing\n" in told.out


def test_time_is_that_of_the_record_at_the_pace_of_this_machine(project, run, monkeypatch):
    """An hour of one job does not get shorter with more cores; here everything takes twice as long."""
    (project / LOCK).write_text("")
    (project / COSTS).write_text(COST.replace("a,60", "a,3600"))
    monkeypatch.setattr("artifact.run.costs.probe_s", lambda: 1.0)
    code, told = run("doctor")
    assert code == 0
    assert "takes about 120 minutes" in told.out and "about 60 on 2 cores of the machine that was measured" in told.out
