"""`make release`: what has passed is not run again, a failure is told at the end."""

import re

from rarlib.model.project import ROOT
from tools.release import STAGES, Stage, run


def stage(name, command, needs=()):
    return Stage(name, 1, command, "nothing", needs)


def test_what_has_passed_is_not_run_again_and_failures_do_not_end_it(tmp_path):
    log = tmp_path / "log"
    stages = [
        stage("one", f"echo one >>{log}"),
        stage("two", f"echo two >>{log}; false"),
        stage("three", f"echo three >>{log}"),
    ]
    assert run(stages, "tree", tmp_path / "passed") == (["two"], [])
    assert run(stages, "tree", tmp_path / "passed") == (["two"], [])
    assert log.read_text().split() == ["one", "two", "three", "two"]
    assert run(stages[:1], "another tree", tmp_path / "passed") == ([], [])
    assert log.read_text().split()[-1] == "one"


def test_stages_call_what_there_is():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for each in STAGES:
        for tool in re.findall(r"-m tools\.(\w+)", each.command):
            assert (ROOT / f"tools/{tool}.py").is_file() or (ROOT / f"tools/{tool}/__main__.py").is_file(), each.name
        for script in re.findall(r"bash (\S+)", each.command):
            assert (ROOT / script).is_file(), each.name
        for target in re.findall(r"make ([a-z]+)", each.command):
            assert re.search(rf"^{target}:", makefile, re.MULTILINE), each.name
