"""An evaluator follows docs/reproducing.md to the letter, in a fresh clone; what takes long, `.ci/run` does there."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.artifact.docs.pages import ROOT, Block, blocks, commands

PAGE = ROOT / "docs/reproducing.md"
FOUND = blocks(PAGE)
LEFT_TO_CI = [command for block in FOUND if block.what == "no-run" for command in commands(block.text)]


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clone of the last commit with the files of today, whose environment is the one that runs this test."""
    folder = tmp_path_factory.mktemp("evaluator") / "rarlib"
    subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", str(ROOT), str(folder)], check=True)
    listed = ["git", "ls-files", "-z", "--modified", "--others", "--exclude-standard"]
    for name in filter(None, subprocess.run(listed, cwd=ROOT, capture_output=True, check=True).stdout.split(b"\0")):
        source, target = ROOT / os.fsdecode(name), folder / os.fsdecode(name)
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_file():
            shutil.copy(source, target)
    return folder


def _shell(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a script as a reader in the environment does, without recorded data and network."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("RARLIB_")}
    environment |= {
        "PATH": os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"])),
        "PYTHONPATH": str(folder),
        "RARLIB_OFFLINE": "1",
    }
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=folder,
        env=environment,
        text=True,
        capture_output=True,
        check=False,
    )


@pytest.mark.parametrize(
    "block", [b for b in FOUND if b.language == "sh" and not b.what], ids=lambda b: f"line {b.line}"
)
def test_blocks_run_in_a_fresh_clone(block: Block, clone: Path) -> None:
    done = _shell(block.text, clone)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("command", LEFT_TO_CI)
def test_a_command_that_is_left_to_ci_is_run_there(command: str) -> None:
    """As a command of its own, and not only in a comment or a message."""
    lines = (line.strip() for line in (ROOT / ".ci/run").read_text(encoding="utf-8").splitlines())
    runs = [line for line in lines if re.match(rf"(\.venv/bin/)?{re.escape(command)}(\s|$)", line)]
    assert runs, f"{command}: not in .ci/run"


def test_the_commands_of_the_tables_are_the_workflows(clone: Path) -> None:
    """Every figure that the table of claims names is a target; one dry run asks for all of them at once."""
    table = (ROOT / "docs/claims.csv").read_text(encoding="utf-8")
    targets = sorted(set(re.findall(r"notebooks/figures/([a-z0-9-]+)\.ipynb", table)))
    assert len(targets) >= 20
    done = _shell(f"snakemake -n --quiet all -- {' '.join(f'results/figures/{name}.svg' for name in targets)}", clone)
    assert done.returncode == 0, done.stdout + done.stderr
    assert _shell("snakemake -n --quiet all -- results/figures/tea.svg", clone).returncode != 0


def test_one_paper_can_be_run_alone(clone: Path) -> None:
    command = "snakemake --config 'only=[gadget]'"
    assert f"`{command}`" in PAGE.read_text(encoding="utf-8")
    done = _shell(f"{command} -n", clone)
    assert done.returncode == 0, done.stderr
    section = yaml.safe_load((ROOT / "config/config.yaml").read_text(encoding="utf-8"))["experiments"]["gadget"]
    count = re.search(r"^cell\s+(\d+)$", done.stdout, re.MULTILINE)
    assert count and int(count[1]) == sum(map(len, section["cells"].values())), done.stdout
