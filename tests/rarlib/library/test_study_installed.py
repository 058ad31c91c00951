"""A study in a folder of its own, by an installed wheel; other packages are those of the tests' environment."""

import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
import yaml

from artifact.archive.build import CRATE_PYTHON, crate_python
from tests.artifact.study.conftest import LAWS, changed
from tests.rarlib.library.clean import ROOT, Clean, Shared, environment, install

PAIRS = "results/tables/my-study-pairs.csv"


@pytest.fixture(scope="session")
def beside_the_lock(shared: Path, wheel: Path) -> Clean:
    """An environment with the wheel alone, which finds all other packages where these tests find them."""
    folder = shared / "beside-the-lock"
    with Shared(folder) as made:
        if not made:
            clean = environment(folder)
            install(clean, "--no-deps", str(wheel))
            # Files *.pth there are not read, so the checkout stays out of sight.
            (clean.packages / "lock.pth").write_text(sysconfig.get_path("purelib"))
    return Clean(folder / "environment", folder / "elsewhere")


@pytest.fixture
def study(beside_the_lock: Clean, tmp_path: Path) -> Clean:
    """A small study that the installed command has written; commands run in its folder."""
    written = beside_the_lock._replace(elsewhere=tmp_path).run("rarlib", "new", "study", "my-study")
    assert written.returncode == 0, written.stderr
    folder = tmp_path / "my-study"
    (folder / "laws.yaml").write_text(LAWS)
    figures = yaml.safe_load((folder / "study.yaml").read_text())["figures"]
    changed(
        folder,
        schedulers={"mine": {"file": "scheduler.py"}, "fifo": {}},
        traces=None,
        workloads={"drawn": {"file": "laws.yaml", "jobs": 8}},
        clusters={"one": "1x4"},
        seeds=2,
        metrics=["mean_jct"],
        statements={"jct": {"better": "mine", "worse": "fifo"}},
        figures={"ratios": figures["ratios"]},
    )
    return beside_the_lock._replace(elsewhere=folder)


def done(study: Clean, *words: str) -> str:
    share = str(Path(sys.prefix) / "share/jupyter")
    found = study.run(*words, JUPYTER_PATH=share, **{CRATE_PYTHON: str(crate_python(ROOT))})
    assert found.returncode == 0, found.stdout + found.stderr
    return found.stdout + found.stderr


@pytest.mark.release
def test_a_study_runs_by_an_installed_package(study: Clean) -> None:
    where = done(study, "python", "-c", "import rarlib; print(rarlib.__file__)").strip()
    assert Path(where).is_relative_to(study.folder)
    planned = done(study, "python", "-m", "snakemake", "-n")
    assert "2 schedulers" in planned and all(rule in planned for rule in ("cell", "pairs", "report", "study_paper"))
    done(study, "python", "-m", "snakemake", PAIRS)
    assert (study.elsewhere / PAIRS).is_file()


@pytest.mark.release
def test_a_whole_study_and_its_deposit(study: Clean, tmp_path: Path) -> None:
    """Paper, report, pages; digests and claims agree; and a deposit that verifies where it is unpacked."""
    tex = study.elsewhere / "paper/paper.tex"
    body = "\\section{Results}\nIt is \\rarlib{jct} (\\rarlibverdict{jct}).\n\\nocite{*}\n\\bibliographystyle{plain}"
    text = tex.read_text()
    front, back = text.partition("\\section{Results}")[0], text.partition("\\bibliographystyle{plain}")[2]
    tex.write_text(f"{front}{body}{back}")
    done(study, "python", "-m", "snakemake")
    assert (study.elsewhere / "results/paper.pdf").read_bytes().startswith(b"%PDF")
    report = (study.elsewhere / "results/report.html").read_text()
    assert "statements of our own" in report and "papers leave open" not in report
    assert "digests agree" in done(study, "rarlib", "verify", "results")
    if crate_python(ROOT).is_file():
        done(study, "python", "-m", "snakemake", "archive")
        shutil.unpack_archive(study.elsewhere / "results/deposit/my-study.zip", tmp_path / "unpacked")
        command = [sys.executable, "-I", "-S", tmp_path / "unpacked/my-study/verify.py"]
        assert subprocess.run(command, check=False).returncode == 0
