"""Cells: sweeps, the same jobs for all schedulers, and what a cell depends on."""

import itertools
from pathlib import Path

import numpy as np
import pytest

from artifact.study.cells import run_cell
from artifact.study.code import outside_code
from artifact.study.document import read_study_file
from artifact.study.jobs import at_offered_load, draw_of, window_of
from artifact.study.plan import cell_settings, cells_of_batch, wanted_cells
from artifact.study.sweeps import FACTORIAL, ONE_AT_A_TIME, swept
from rarlib.declared import offers
from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError
from rarlib.traces.audit import write_clean
from rarlib.traces.load import load_trace
from tests.artifact.study.conftest import changed

LEVELS = {"cluster": ["c", "d"], "cost": ["t"], "load": ["0.5", "0.7", "0.9"], "error": ["0", "1"], "restart": [""]}


def test_sweeps() -> None:
    every, single = swept(LEVELS, FACTORIAL), swept(LEVELS, ONE_AT_A_TIME)
    assert set(every) == set(itertools.product(*LEVELS.values())) and len(every) == 12
    assert every[0] == single[0] and len(single) == 1 + 1 + 2 + 1
    assert all(sum(a != b for a, b in zip(single[0], each, strict=True)) == 1 for each in single[1:])
    assert set(single) <= set(every)


def test_all_schedulers_get_the_same_jobs(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """FIFO under two names gives the same numbers seed by seed, and other numbers for another seed."""
    changed(small, schedulers={"fifo": {}, "again": {"scheduler": "fifo"}},
            statements=None, errors=[0.5])  # fmt: skip
    monkeypatch.chdir(small)
    study = read_study_file(Path())
    one, other = (run_cell("drawn-b1", name, cell_settings(study, "drawn-b1", name)) for name in ("fifo", "again"))
    assert one["value"].equals(other["value"]) and set(one["seed"]) == {1, 2}
    by_seed = one[one["metric"] == "mean_jct"].set_index("seed")["value"]
    assert by_seed[1] != by_seed[2]


def test_own_jobs_under_a_scheduler_that_needs_goodput(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same option as on the command line: drawn jobs name no application, and Sia runs them on two GPU types."""
    changed(small, schedulers={"sia": {}}, statements=None, clusters={"two": "t4:2x4,rtx:1x8"},
            costs={"own": {"applications": "sia"}}, quantum_s=60)  # fmt: skip
    monkeypatch.chdir(small)
    study = read_study_file(Path())
    rows = run_cell("drawn-b1", "sia", cell_settings(study, "drawn-b1", "sia"))
    assert set(rows["seed"]) == {1, 2} and (rows.loc[rows["metric"] == "mean_jct", "value"] > 0).all()


def test_a_window_is_of_the_trace_and_has_the_load(tmp_path: Path) -> None:
    trace = load_trace("philly-pollux", network=False)
    write_clean(trace, tmp_path / "t.csv")
    jobs = window_of(tmp_path / "t.csv", "t", 50, 2, 16)
    assert len(jobs) == 50 and jobs.submit_s[0] == 0 and int(jobs.gpus.max()) <= 16
    cluster = Cluster.parse("4x4")
    loaded = at_offered_load(jobs, "0.8", cluster, overload=False)
    assert (jobs.gpus * jobs.duration_s).sum() / (16 * loaded.submit_s[-1]) == pytest.approx(0.8)
    with pytest.raises(InputError, match="fewer"):
        window_of(tmp_path / "t.csv", "t", 80_000, 2, 16)


def test_a_draw_keeps_what_fits(small: Path) -> None:
    jobs = draw_of(small / "laws.yaml", 40, 3, 2)
    assert len(jobs) == 40 and set(np.unique(jobs.gpus).tolist()) == {1, 2}


def test_only_open_statements_get_more_seeds(new_folder: Path, tmp_path: Path) -> None:
    study = read_study_file(new_folder)
    names = [each.name for each in study.statements]
    record = {name: {"decided": name != "jct-sjf"} for name in names}
    (tmp_path / "1.json").write_text(str(record).replace("'", '"').replace("True", "true").replace("False", "false"))
    (tmp_path / "2.json").write_text(
        str({n: {"decided": True} for n in names}).replace("'", '"').replace("True", "true")
    )
    cells = wanted_cells(study, lambda number: tmp_path / f"{number}.json")
    later = cells[len(cells_of_batch(study, 1, None)) :]
    assert later == [f"my-study/{s}-b2/{n}" for s in study.sources for n in ("mine", "sjf")]


def test_a_cell_depends_on_its_scheduler_only(new_folder: Path) -> None:
    study = read_study_file(new_folder)
    before = {name: outside_code(study, name) for name in study.entrants}
    (new_folder / "scheduler.py").write_text((new_folder / "scheduler.py").read_text() + "\n# more\n")
    assert [name for name in study.entrants if outside_code(study, name) != before[name]] == ["mine"]
    first = cell_settings(study, "philly-pollux-b1", "fifo")
    table = changed(new_folder, statements=None, metrics=["makespan"])
    assert cell_settings(read_study_file(table), "philly-pollux-b1", "fifo") == first


def test_a_scheduler_of_an_installed_package(small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It runs by its name, and its cells depend on the files of its package, wherever that lies."""
    package, facts = tmp_path / "site/theirs", tmp_path / "site/theirs-1.dist-info"
    package.mkdir(parents=True)
    facts.mkdir()
    text = (small / "scheduler.py").read_text().replace('"mine"', '"theirs"')
    (package / "__init__.py").write_text(text)
    (facts / "METADATA").write_text("Name: theirs\nVersion: 1\n")
    (facts / "entry_points.txt").write_text("[rarlib.schedulers]\ntheirs = theirs:Mine\n")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    offers.cache_clear()
    try:
        changed(small, schedulers={"theirs": {}, "mine": {"file": "scheduler.py"}}, statements=None)
        monkeypatch.chdir(small)
        study = read_study_file(Path())
        one, other = (run_cell("drawn-b1", n, cell_settings(study, "drawn-b1", n)) for n in ("theirs", "mine"))
        assert one["value"].equals(other["value"])
        before = outside_code(study, "theirs")
        (package / "__init__.py").write_text(f"{text}\n")
        after = outside_code(study, "theirs")
        assert before != after and [line.split()[0] for line in after] == ["theirs/__init__.py"]
    finally:
        offers.cache_clear()
