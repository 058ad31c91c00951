"""A study run by Snakemake: a small one, interrupted and resumed; and, at night, from a new folder to a paper."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from artifact.run.resume import INTERRUPTED
from artifact.study.new_folder import study_files
from rarlib.records.outputs import write_new_folder
from tests.artifact.study.conftest import changed

ROOT = Path(__file__).parents[3]
PAIRS = "results/tables/my-study-pairs.csv"


def started(folder: Path, *arguments: str) -> "subprocess.Popen[str]":
    given = {"PYTHONPATH": str(ROOT), "RARLIB_OFFLINE": "1", "RARLIB_MIRROR": "", "NUMBA_DISABLE_JIT": ""}
    return subprocess.Popen(
        [sys.executable, "-m", "snakemake", *arguments], cwd=folder, env=os.environ | given,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
    )  # fmt: skip


def run(folder: Path, *arguments: str) -> str:
    process = started(folder, *arguments)
    said, _ = process.communicate(timeout=1100)
    assert process.returncode == 0, said
    return said


def executed(said: str) -> list[str]:
    return re.findall(r"^(?:rule|checkpoint|localrule) (\w+):", said, re.MULTILINE)


@pytest.mark.release
def test_an_interrupted_run_resumes_and_stops_early(small: Path) -> None:
    """A clear statement ends after the first look; what a first, interrupted run has made is kept."""
    changed(small, statements={"jct": {"better": "mine", "worse": "fifo", "than": 100}})
    cell, logs = small / "results/cells/my-study/drawn-b1", small / "results/logs/cell"
    first = started(small, "--cores", "1", PAIRS)
    deadline = time.monotonic() + 300
    while len(list(logs.glob("*.log"))) < 2 and first.poll() is None and time.monotonic() < deadline:
        time.sleep(0.05)
    os.killpg(first.pid, signal.SIGKILL)
    first.communicate()
    kept = {path: path.stat().st_mtime_ns for path in cell.glob("*.csv")}
    assert len(kept) == 1 and not (small / PAIRS).exists()
    said = run(small, PAIRS)
    assert INTERRUPTED in said and re.search(r"100 % \| (\d+) of \1 jobs \| took", said)
    assert [path.stat().st_mtime_ns for path in kept] == [*kept.values()]
    assert (small / PAIRS).is_file() and len(list(cell.glob("*.csv"))) == 2
    assert "1 of 1 statements are decided" in said and not (small / "results/cells/my-study/drawn-b2").exists()


@pytest.mark.release
def test_progress_counts_what_a_look_adds(small: Path) -> None:
    """An open statement gets a second batch of cells; details are shown to whoever asks for them."""
    changed(small, statements={"jct": {"better": "mine", "worse": "fifo", "than": 0.99}})
    assert executed(run(small, "--quiet", "host", "--", "results/cells/my-study/drawn-b1/mine.csv")) == ["cell"]
    said = run(small, PAIRS)
    found = re.search(r"100 % \| (\d+) of (\d+) jobs \| took", said)
    second = len(list((small / "results/cells/my-study/drawn-b2").glob("*.csv")))
    assert (
        found and second == 2 and found[1] == found[2] == str(1 + 1 + second + 2)
    )  # a cell, the look, two cells, runs and pairs
    assert executed(said) == []


def test_a_mistake_ends_a_run_with_one_line(small: Path) -> None:
    changed(small, sweep="all")
    process = started(small, "-n")
    said, _ = process.communicate(timeout=300)
    lines = [line for line in said.splitlines() if line.startswith("error: ")]
    assert process.returncode == 2 and len(lines) == 1 and "study.yaml, field sweep: 'all' is not one of" in lines[0]


def numbers_of(folder: Path) -> dict[str, str]:
    """Every number that the paper prints, by what it is called."""
    used = (folder / "paper/paper.tex").read_text()
    body = re.sub(r"(?m)(?<!\\)%.*$", "", used)
    rivals = set(re.findall(r"\\(?:against|onall)\{([a-z-]+)\}", body))
    asked = set(re.findall(r"\\rarlib\{([^}#]+)\}", body))
    asked |= {each.replace("#1", rival) for each in re.findall(r"\\rarlib\{([^}]*#1[^}]*)\}", body) for rival in rivals}
    files = [folder / "results/paper/numbers.tex", folder / "results/paper/numbers/my-study-pairs.tex"]
    text = "".join(file.read_text() for file in files)
    found = dict(re.findall(r"\\rarlib@number\{([^}]+)\}\{\\ensuremath\{([^}]*)\}\}", text))
    assert asked and asked <= found.keys()
    return {name: found[name] for name in asked}


@pytest.mark.release
def test_from_a_new_folder_to_a_paper(tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    """A scheduler of 30 lines, six baselines, three traces, intervals, figures, a PDF: within ten minutes."""
    write_new_folder(tmp_path / "my-study", study_files("my-study"))
    folder = tmp_path / "my-study"
    lines = [line for line in (folder / "scheduler.py").read_text().splitlines() if line.strip()]
    assert len(lines) <= 30
    before = time.monotonic()
    run(folder)
    seconds = time.monotonic() - before
    record_property("seconds", seconds)
    (tmp_path / "seconds").write_text(f"{seconds:.0f}")
    assert seconds < 600
    pdf, first = (folder / "results/paper.pdf").read_bytes(), numbers_of(folder)
    assert pdf.startswith(b"%PDF") and (folder / "results/report.html").is_file()
    claims = pd.read_csv(folder / "results/claims.csv")
    assert len(claims) == 8 and set(claims["verdict"]) <= {"holds", "does not hold"} and (claims["seeds"] >= 4).all()
    body = (folder / "paper/paper.tex").read_text().partition(r"\begin{document}")[2]
    typed = re.sub(r"(?m)(?<!\\)%.*$|\\includegraphics.*|\\begin\{[^}]*\}|\\rarlib\w*\{[^}]*\}", "", body)
    assert not re.search(r"\d", typed), typed
    text = (folder / "scheduler.py").read_text()
    (folder / "scheduler.py").write_text(
        text.replace("key=lambda job: (job.duration_s *", "key=lambda job: (-job.duration_s *")
    )
    said = run(folder, "--quiet", "host")
    assert "cell" in executed(said)
    second = numbers_of(folder)
    assert (folder / "results/paper.pdf").read_bytes() != pdf
    assert [name for name in first if first[name] == second[name]] == []
    assert "trace" not in executed(said)
