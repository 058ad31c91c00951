"""A package that `rarlib new plugin` writes, installed beside the wheel: it passes its tests and takes part."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.rarlib.library.clean import ROOT, Clean, Shared

pytestmark = pytest.mark.release
NAME = "least-gpu-time"
RUN = "--trace philly-pollux --limit 60 --cluster 20x8"


@pytest.fixture
def plugin(with_figures: Clean, shared: Path) -> Path:
    """The folder of the package, which is installed as its author installs it."""
    folder = with_figures.elsewhere / NAME
    with Shared(shared / "plugin") as made:
        if not made:
            new = [sys.executable, "-m", "rarlib.cli.main", "new", "plugin", NAME, "--folder", with_figures.elsewhere]
            subprocess.run(new, check=True, capture_output=True, cwd=ROOT)
            install = [with_figures.python, "-m", "pip", "install", "--quiet", "--editable", f"{folder}[test]"]
            subprocess.run(install, check=True, capture_output=True, env={**os.environ, "PYTHONPATH": ""})
    return folder


def done(clean: Clean, command: str) -> str:
    found = clean.run("rarlib", *command.split())
    assert found.returncode == 0, found.stderr
    return found.stdout


def test_its_own_tests_pass(with_figures: Clean, plugin: Path) -> None:
    found = with_figures.run("python", "-m", "pytest", "-q", "-p", "no:cacheprovider", plugin)
    assert found.returncode == 0, found.stdout
    assert "4 passed" in found.stdout


def test_it_takes_part(with_figures: Clean, plugin: Path, tmp_path: Path) -> None:
    """In the list, in a comparison with others under its own cost model, in the explanation of a run."""
    assert "limit=1000" in done(with_figures, f"schedulers {NAME}")
    compared = done(
        with_figures,
        f"compare {RUN} --cost {NAME}-links --scheduler {NAME} --scheduler fifo --out {tmp_path}/compare",
    )
    assert NAME in compared and "of the best" in compared
    assert f"{NAME}: 60 jobs" in done(with_figures, f"why {tmp_path}/compare/{NAME}")


def test_it_fails_with_a_sentence(with_figures: Clean, plugin: Path) -> None:
    """An error in its file ends the command that needs it and no other one."""
    file = plugin / "src" / NAME.replace("-", "_") / "scheduler.py"
    text = file.read_text(encoding="utf-8")
    file.write_text("import of_nobody\n" + text, encoding="utf-8")
    try:
        found = with_figures.run("rarlib", *f"simulate {RUN} --scheduler {NAME} --out broken".split())
        assert found.returncode == 2
        last = found.stderr.splitlines()[-1]
        assert last.startswith(f"error: scheduler '{NAME}' cannot be imported from least_gpu_time.scheduler:")
        assert f"(package {NAME}): ModuleNotFoundError: No module named 'of_nobody'" in last
        done(with_figures, f"simulate {RUN} --scheduler fifo --out whole")
        assert "not usable" in done(with_figures, "schedulers")
    finally:
        file.write_text(text, encoding="utf-8")
