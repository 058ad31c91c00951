"""An installed rarlib in an environment of its own, used from a folder that holds nothing of the project."""

import json
import os
import re
import shutil
import subprocess
import warnings
from pathlib import Path

import pytest

from tests.artifact.docs.pages import ROOT, Runner, blocks
from tests.rarlib.library.clean import Clean, environment, installed_mb

QUICK_START = ROOT / "docs" / "quick-start.md"
VERSIONS = ("3.11", "3.12", "3.13")
FIRST_RUN = ["simulate", "--trace", "my.csv", "--cluster", "1x4", "--scheduler", "srtf", "--out", "run"]
MOST_MB, MOST_IMPORT_S, MOST_HELP_S = 150, 0.1, 0.5


class Installed(Runner):
    """Runs the blocks of a page by an installed rarlib."""

    def __init__(self, clean: Clean, root: Path) -> None:
        super().__init__(root)
        self._clean = clean._replace(elsewhere=root)

    def _command(self, command: str) -> tuple[int, str]:
        done = self._clean.run("python", "-m", "rarlib.cli.main", *command.split()[1:])
        return done.returncode, done.stderr + done.stdout


def read_quick_start(clean: Clean, folder: Path) -> None:
    """Run the quick start and compare what is printed with the page."""
    runner, found = Installed(clean, folder), [block for block in blocks(QUICK_START) if block.what != "no-run"]
    assert len(found) > 5
    for block in found:
        runner.run(block)


@pytest.mark.release
def test_quick_start_in_another_folder(with_figures: Clean, tmp_path: Path) -> None:
    """The page is the first that a reader tries; the traces' stand-ins and the list of sources have to be there."""
    read_quick_start(with_figures, tmp_path)


@pytest.mark.release
def test_quick_start_on_every_python(wheel: Path, tmp_path: Path) -> None:
    """On those that `python3.11` and so on start, or that `PYTHONS` names; the others are told in a warning."""
    pythons = {version: interpreter(version) for version in VERSIONS}
    if missing := [version for version, python in pythons.items() if not python]:
        warnings.warn(f"no Python {', '.join(missing)} here; name interpreters in PYTHONS", stacklevel=1)
    assert any(pythons.values())
    for version, python in pythons.items():
        if python:
            clean = environment(tmp_path / version, f"{wheel}[figures]", python=python)
            (tmp_path / version / "reader").mkdir()
            read_quick_start(clean, tmp_path / version / "reader")


def interpreter(version: str) -> str:
    named = [*filter(None, os.environ.get("PYTHONS", "").split(os.pathsep)), shutil.which(f"python{version}") or ""]
    for python in filter(None, named):
        found = subprocess.run([python, "--version"], capture_output=True, text=True, check=False).stdout
        if found.startswith(f"Python {version}."):
            return python
    return ""


def test_the_core_is_small_and_holds_no_extra(core: Clean) -> None:
    assert 20.0 < installed_mb(core) <= MOST_MB
    names = {path.name for path in core.packages.iterdir()}
    assert names.isdisjoint({"ortools", "scipy", "numba", "matplotlib", "snakemake", "jupyterlab", "IPython"})


@pytest.mark.parametrize(
    ("command", "extra"),
    [
        ("bound --trace my.csv --cluster 1x4", "ilp"),
        ("simulate --trace my.csv --cluster 1x4 --scheduler gadget --out gadget", "ilp"),
        ("evaluate policy.py", "ilp"),
        ("why run --job 0 --picture job.svg", "figures"),
    ],
)
def test_a_missing_extra_is_one_sentence(core: Clean, command: str, extra: str) -> None:
    (core.elsewhere / "my.csv").write_text("submit_s,gpus,duration_s\n0,2,60\n10,4,60\n")
    first = core.run("rarlib", *FIRST_RUN)
    assert first.returncode == 0, first.stderr
    found = core.run("rarlib", *command.split())
    last = found.stderr.splitlines()[-1]
    assert found.returncode == 2 and last.startswith("error: ") and f"pip install 'rarlib[{extra}]'" in last
    assert "Traceback" not in found.stderr


def test_the_core_knows_everything_by_name(core: Clean) -> None:
    """The list of schedulers comes from the files of the package; commands of the artifact are not offered."""
    listed = core.run("rarlib", "schedulers", "--json")
    assert listed.returncode == 0, listed.stderr
    about = json.loads(listed.stdout)
    assert "pip install 'rarlib[ilp]'" in about["gadget"]
    assert [name for name, text in about.items() if text.startswith("not usable")] == ["gadget"]
    assert "philly-pollux" in core.run("rarlib", "sources", "list").stdout
    offered = core.run("rarlib", "--help").stdout
    assert "simulate" in offered and "claims" not in offered


def test_public_traces_need_the_data_of_a_checkout(core: Clean) -> None:
    """One sentence says which variable names it."""
    found = core.run("rarlib", "sources", "list", RARLIB_DATA="")
    assert found.returncode == 2 and "RARLIB_DATA" in found.stderr.splitlines()[-1]


def test_import_and_help_are_quick(core: Clean) -> None:
    """Seconds of the processor, the best of several: other programs run here, too."""
    import_s, nothing_s = best_s(core, "import rarlib"), best_s(core, "pass")
    assert import_s - nothing_s < MOST_IMPORT_S
    helped = "import sys; sys.argv = ['rarlib', '--help']; from rarlib.cli.main import main; main()"
    assert best_s(core, helped) < MOST_HELP_S


def best_s(core: Clean, code: str) -> float:
    script = f"import atexit, os, sys\natexit.register(lambda: print(sum(os.times()[:2]), file=sys.stderr))\n{code}"
    found = [core.run("python", "-c", script).stderr for _ in range(5)]
    return min(float(re.findall(r"[\d.]+", text)[-1]) for text in found)
