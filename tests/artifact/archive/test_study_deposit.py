"""The deposit of a study: it verifies elsewhere, a changed digit is named, and it says what is still to be stated."""

import json
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from artifact.archive.build import CRATE_PYTHON, build_deposit, crate_python
from artifact.archive.contents import collect
from artifact.archive.source import EPOCH, read_study_source
from artifact.archive.study import StudySubject, study_subject
from artifact.archive.study_documents import missing_terms, study_citation, study_documents
from artifact.archive.swhid import tree_digest
from artifact.ledger import ledger
from artifact.ledger.sequential import evaluate_below
from artifact.plot.study import draw_ratios
from artifact.run.closure import cell_modules, files_digest, import_closure
from artifact.run.manifest import write_manifest
from artifact.run.settings import recorded_remarks, section_of, settings_of
from artifact.study.cells import run_cell
from artifact.study.code import outside_code
from artifact.study.derived import write_derived
from artifact.study.document import Study, read_study_file
from artifact.study.new_folder import study_files
from artifact.study.pairs import paired
from artifact.study.plan import cell_settings, cells_of_batch
from rarlib.model.errors import InputError
from rarlib.model.project import STUDY
from rarlib.records.outputs import write_new_folder
from rarlib.records.tidy import sha256, write_table
from tests.artifact.archive.conftest import draw_figure, write
from tests.artifact.archive.test_corruptions import replace, sealed
from tests.artifact.archive.test_names import git
from tests.artifact.study.conftest import LAWS, changed

ROOT = Path(__file__).parents[3]
PAIRS, RUNS = "my-study-pairs", "my-study-runs"
with_rocrate = pytest.mark.skipif(
    not crate_python(ROOT).is_file(), reason="needs .venv-archive: make .venv-archive/.built-from-lock"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of a study, which is the working folder; two batches of seeds, results as the pipeline leaves them."""
    place = tmp_path_factory.mktemp("study")
    write_new_folder(place / "my-study", study_files("my-study"))
    folder = place / "my-study"
    (folder / "laws.yaml").write_text(LAWS)
    changed(
        folder,
        schedulers={"mine": {"file": "scheduler.py"}, "fifo": {}, "srtf": {}},
        traces=None,
        workloads={"drawn": {"file": "laws.yaml", "jobs": 8}, "other": {"file": "laws.yaml", "jobs": 6}},
        clusters={"one": "1x4"},
        loads=[0.5, 0.8],
        seeds={"first": 2, "step": 1, "most": 3},
        metrics=["mean_jct"],
        statements={
            "jct": {"better": "mine", "worse": ["fifo", "srtf"]},
            "one": {"better": "mine", "worse": "srtf", "than": 2, "on": "other"},
        },
        figures={"ratios": {"title": "Ratios", "caption": "Ratios.", "alt": "Ratios.", "tables": ["pairs"]}},
    )
    patch = pytest.MonkeyPatch()
    patch.chdir(folder)
    patch.setenv(STUDY, str(folder / "results/study"))
    patch.setenv(EPOCH, "1700000000")
    make_results(read_study_file(Path()), folder / "results")
    yield folder
    patch.undo()


def make_results(study: Study, results: Path) -> None:
    """Run cells, join and pair them, draw the figure, write ledger and manifest."""
    config = write_derived(study, "results", results / "study")
    cells = cells_of_batch(study, 1, None) + cells_of_batch(study, 2, ["jct-srtf"])
    frames, made = [], {}
    for cell in cells:
        _, part, member = cell.split("/")
        frame = run_cell(part, member, cell_settings(study, part, member))
        write_table(frame, results / f"cells/{cell}.csv")
        frames.append(frame)
        files = import_closure(*cell_modules("artifact.study.cells", study.entrants[member].scheduler))
        made[f"{cell}.csv"] = " ".join([files_digest(files), *outside_code(study, member)])
    settings = settings_of(section_of(config, study.name), "runs")
    record = {"module": "artifact.study.cells", "settings": settings, "code": made}
    facts = {"cells": [Path(cell).stem for cell in cells], "left_out": [], "standin": False, "traces": []}
    runs = pd.concat(frames, ignore_index=True)
    for table, frame in ((RUNS, runs), (PAIRS, paired(runs, study.statements, study.name))):
        write_table(frame, results / f"tables/{table}.csv")
        for place, content in ((f"tables/{table}.json", facts), (f"provenance/{table}.json", record)):
            (results / place).parent.mkdir(exist_ok=True)
            (results / place).write_text(json.dumps(content, indent=1, sort_keys=True) + "\n")
    published = Path("results/study/data/published.csv")
    draw_figure(results, "ratios", PAIRS, lambda run: run.show(draw_ratios, run.tables[PAIRS], "mean_jct"), published)
    data, claims = results / "study/data", results / "study/config/claims"
    table = ledger.build(data, claims, results / "tables", recorded_remarks(results))
    ledger.write_ledger(table, results / "claims.csv")
    write_manifest(results, results / "manifest.json")
    for name in ("report.html", "paper.pdf"):
        (results / name).write_text(f"{name}\n")


def subject_in(folder: Path) -> StudySubject:
    """The study of a folder, as it is deposited."""
    return study_subject(read_study_file(folder), read_study_source(folder), folder / "results")


@pytest.fixture
def deposited(folder: Path, tmp_path: Path) -> Path:
    """The deposit without its RO-Crate, in another folder."""
    deposit = collect(subject_in(folder), folder / "results")
    deposit.finish()
    return write(deposit, tmp_path / "elsewhere")


def test_it_verifies_elsewhere_without_packages(deposited: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-I", "-S", str(deposited / "verify.py")]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, env={})
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "2 tables, 3 claims" in ended.stdout


def test_it_holds_what_made_the_results(deposited: Path, folder: Path) -> None:
    """The scheduler and the engine that ran, the packages, the files of the study; no results among its files."""
    assert (deposited / "source/scheduler.py").read_bytes() == (folder / "scheduler.py").read_bytes()
    engine = "rarlib/simulator/engine.py"
    assert (deposited / "code" / engine).read_bytes() == (ROOT / engine).read_bytes()
    assert f"numpy=={np.__version__}\n" in (deposited / "environment.txt").read_text()
    assert (deposited / "results/paper.pdf").is_file() and not (deposited / "source/results").exists()


def flip_value(text: str) -> str:
    """Another digit in the first value with six of them, the third last."""
    return re.sub(r"(\d\.?\d{3,})(\d)(\d\d),", lambda found: f"{found[1]}{9 - int(found[2])}{found[3]},", text, count=1)


@pytest.mark.parametrize(
    ("name", "edit", "says"),
    [
        (f"results/tables/{PAIRS}.csv", flip_value, f"table {PAIRS}: mine, "),
        (f"results/tables/{RUNS}.csv", flip_value, f"table {RUNS}: its rows are not those of its cells"),
        ("results/cells/my-study/drawn-b1/mine.csv", flip_value, f"table {RUNS}: its rows are not those of its cells"),
        (
            "results/claims.csv",
            lambda text: text.replace("does not hold", "holds", 1),
            "claim ",
        ),
        ("source/scheduler.py", lambda text: text.replace("power: float = 1.0", "power: float = 2.0"), "node code/"),
    ],
)
def test_a_changed_digit_is_named(name, edit, says, deposited: Path, verifier) -> None:
    """By its digest; and if somebody makes the digests follow, by what does not follow from anything else."""
    replace(deposited / name, edit((deposited / name).read_text()).encode())
    code, lines = verifier(deposited)
    assert code == 1 and f"file {name}: differs from its digest" in lines
    sealed(deposited)
    code, lines = verifier(deposited)
    assert code == 1 and any(line.startswith(says) for line in lines), lines


@pytest.mark.usefixtures("verifier")
def test_statements_are_decided_as_by_the_ledger() -> None:
    """The ledger asks scipy for Student's quantiles, the verifier finds them itself."""
    below = sys.modules["verify_study"].below
    rng, seen = np.random.default_rng(5), set()
    for _ in range(300):
        looks = sorted(set(rng.integers(2, 30, rng.integers(1, 5)).tolist()))
        ratios = rng.lognormal(rng.normal(0, 0.3), rng.choice([0.05, 0.5]), rng.integers(1, looks[-1] + 1))
        want = evaluate_below(ratios, 1.0, looks)
        formula = {"than": 1, "looks": looks}
        found = below(formula, {str(at): value for at, value in enumerate(ratios.tolist())})
        assert (found.seeds, found.holds) == (want.seeds, want.holds)
        assert found.value == pytest.approx(want.value, rel=1e-12)
        assert found.spread == pytest.approx(want.spread, rel=1e-9, nan_ok=True)
        seen |= {(want.holds, "open" in want.summary)}
    assert seen == {(True, False), (False, False), (False, True)}


def test_what_is_to_be_stated_is_said(folder: Path) -> None:
    """Authors and a licence are placeholders in a new study; none is made up."""
    study, source = read_study_file(Path()), read_study_source(folder)
    citation = study_citation(study, source)
    assert len(missing_terms(citation)) == 2
    done = citation | {"authors": [{"family-names": "A", "given-names": "B"}], "license": "CC-BY-4.0"}
    assert missing_terms(done) == []
    assert "states no licence" in study_documents(study, source)["README.md"].data.decode()


def test_a_study_under_git_is_deposited_as_committed(tmp_path: Path) -> None:
    """The tree has the name that git gives it; changes that are not committed are refused."""
    write_new_folder(tmp_path / "my-study", study_files("my-study"))
    folder = tmp_path / "my-study"
    plain = read_study_source(folder)
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "study")
    found = read_study_source(folder)
    assert found.commit == git(folder, "rev-parse", "HEAD").strip() and plain.commit == ""
    assert found.directory == plain.directory == f"swh:1:dir:{tree_digest(found.files)}"
    (folder / "scheduler.py").write_text("")
    with pytest.raises(InputError, match="differ from the commit"):
        read_study_source(folder)


@with_rocrate
def test_the_same_study_gives_the_same_archive(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CRATE_PYTHON, str(crate_python(ROOT)))
    for name in ("one", "two"):
        line = build_deposit(subject_in(folder), folder / "results", tmp_path / name)
    one, two = (tmp_path / name / "my-study.zip" for name in ("one", "two"))
    assert sha256(one) == sha256(two) and "root digest" in line
    with zipfile.ZipFile(one) as packed:
        packed.extractall(tmp_path / "unpacked")
    made = tmp_path / "unpacked/my-study"
    assert (made / "verify.py").read_bytes() == (ROOT / "workflow/archive/verify.py").read_bytes()
    command = [crate_python(ROOT), ROOT / "workflow/archive/check_crate.py", made, tmp_path / "cache"]
    ended = subprocess.run(command, check=False, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_without_rocrate_the_command_that_brings_it_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CRATE_PYTHON, str(folder / "no-python"))
    with pytest.raises(InputError, match="make archive"):
        build_deposit(subject_in(folder), folder / "results", folder / "deposit")


def test_results_of_other_code_are_refused(folder: Path) -> None:
    path = folder / "scheduler.py"
    text = path.read_text()
    try:
        path.write_text(f"{text}\n# edited\n")
        with pytest.raises(InputError, match="made by other code"):
            collect(subject_in(folder), folder / "results")
    finally:
        path.write_text(text)
