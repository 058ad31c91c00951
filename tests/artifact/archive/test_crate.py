"""The RO-Crate and the citation files, as checkers that others wrote see them. Those live in .venv-archive."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from artifact.archive.build import crate_python
from artifact.archive.contents import Deposit
from artifact.archive.crate_facts import crate_facts
from artifact.archive.source import Commit
from tests.artifact.archive.conftest import write

ROOT = Path(__file__).parents[3]
PYTHON = crate_python(ROOT)
pytestmark = pytest.mark.skipif(not PYTHON.is_file(), reason="needs .venv-archive: make .venv-archive/.built-from-lock")


def described(deposit: Deposit, source: Commit, **environment: str) -> bytes:
    facts = json.dumps(crate_facts(source, "smoke", deposit)).encode()
    command = [str(PYTHON), str(ROOT / "workflow/archive/crate.py")]
    return subprocess.run(
        command, input=facts, check=True, capture_output=True, env={**os.environ, **environment}
    ).stdout


@pytest.fixture(scope="module")
def crate(deposit: Deposit, source: Commit, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The deposit's folder with its RO-Crate."""
    folder = write(deposit, tmp_path_factory.mktemp("crate") / "rarlib-test")
    (folder / "ro-crate-metadata.json").write_bytes(described(deposit, source))
    return folder


def checked(folder: Path, cache: Path) -> subprocess.CompletedProcess[str]:
    command = [str(PYTHON), str(ROOT / "workflow/archive/check_crate.py"), str(folder), str(cache)]
    return subprocess.run(command, check=False, capture_output=True, text=True)


def test_same_facts_give_the_same_bytes(deposit, source, crate):
    again = described(deposit, source, PYTHONHASHSEED="7", TZ="Asia/Kathmandu", LC_ALL="C")
    assert again == (crate / "ro-crate-metadata.json").read_bytes()


def test_crate_meets_requirements_and_recommendations(crate, tmp_path):
    ended = checked(crate, tmp_path / "cache")
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_the_check_can_fail(crate, tmp_path):
    content = json.loads((crate / "ro-crate-metadata.json").read_text(encoding="utf-8"))
    for entity in content["@graph"]:
        entity.pop("step", None)
    folder = tmp_path / "crate"
    for entity in content["@graph"]:
        if (crate / entity["@id"]).is_file():
            (folder / entity["@id"]).parent.mkdir(parents=True, exist_ok=True)
            (folder / entity["@id"]).write_bytes((crate / entity["@id"]).read_bytes())
    (folder / "ro-crate-metadata.json").write_text(json.dumps(content), encoding="utf-8")
    ended = checked(folder, tmp_path / "cache")
    assert ended.returncode == 1
    assert "HowToStep" in ended.stdout


def test_runcrate_reads_inputs_and_outputs_of_a_figure(crate):
    command = [str(PYTHON.with_name("runcrate")), "report", str(crate)]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    _, _, figure = told.partition("action: #run/sjf-bco-fig5")
    for part in (
        "instrument: source/notebooks/figures/sjf-bco-fig5.ipynb",
        "results/tables/sjf-bco-fig5.csv",
        "results/cells/sjf-bco/fig5/sjf-bco.csv",
        "results/figures/sjf-bco-fig5.svg",
    ):
        assert part in figure


def test_citation_files_are_valid(crate):
    """The project's and the deposit's, which adds commit, date and the identifier of the tree."""
    for path in (ROOT / "CITATION.cff", crate / "CITATION.cff"):
        command = [str(PYTHON.with_name("cffconvert")), "--validate", "-i", str(path)]
        ended = subprocess.run(command, check=False, capture_output=True, text=True)
        assert ended.returncode == 0, ended.stdout + ended.stderr


def test_every_file_has_a_licence():
    command = [str(PYTHON.with_name("reuse")), "--root", str(ROOT), "lint", "--quiet"]
    assert subprocess.run(command, check=False).returncode == 0
