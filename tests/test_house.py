"""Rules of the house that no other tool checks."""

import ast
import re
from pathlib import Path

import nbformat
import papermill
import pytest
import yaml

from artifact.run.settings import configuration, values_of
from rarlib.discovery import schedulers
from tools.strip_outputs import stripped

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").rglob("*.ipynb"))
DRIVEN = [path for path in NOTEBOOKS if path.parent.name in ("figures", "tables")]
FOLDERS = ("rarlib", "artifact", "tests", "workflow", "config", "docs", "notebooks")
FOLDERS += ("benchmarks", "profiles", ".ci", "data")
TEXTS = [
    path
    for folder in FOLDERS
    for path in sorted((ROOT / folder).rglob("*"))
    if path.suffix in {".py", ".smk", ".yaml", ".yml", ".md", ".sh", ".rst", ".tsv", ".ipynb", ".json", ""}
    and path.is_file()
    and not {"raw", "__pycache__"} & set(path.parts)
]


MOST_CELLS, MOST_LINES = 5, 8
"""Code cells of a notebook that the pipeline drives, and lines of each but the parameters."""


def short(path):
    return path.relative_to(ROOT).as_posix()


def test_package_init_files_hold_a_docstring_only():
    """Code in them would make every scheduler stand on all others. That of rarlib itself finds names; see test_api."""
    for path in (path for package in ("rarlib", "artifact") for path in (ROOT / package).rglob("*/__init__.py")):
        code = [line for line in path.read_text().splitlines() if re.match(r"\s*(import|from|def|class)\b", line)]
        assert code == [], short(path)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=short)
def test_notebook_sources_are_stripped(path):
    text = path.read_text(encoding="utf-8")
    assert text == stripped(text)


@pytest.mark.parametrize("path", DRIVEN, ids=short)
def test_parameters_of_a_figure_are_settings_of_its_tables(path):
    """Paths and flags are no parameters; a reader sees the values that the configuration gives the figure."""
    tables = yaml.safe_load((ROOT / "workflow/report/figures.yaml").read_text())[path.stem]["tables"]
    declared = papermill.inspect_notebook(str(path))
    assert declared
    said = {name: ast.literal_eval(rule["default"]) for name, rule in declared.items()}
    assert said == values_of(tables, declared, configuration())


@pytest.mark.parametrize("path", DRIVEN, ids=short)
def test_driven_notebooks_are_arguments_not_programs(path):
    """Drawing and computing belong into rarlib, where they are tested."""
    cells = [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
    assert len(cells) <= MOST_CELLS
    drawn = [cell for cell in cells if "parameters" not in cell.metadata.get("tags", ())]
    assert [cell.id for cell in drawn if len(cell.source.splitlines()) > MOST_LINES] == []
    code = "\n".join(cell.source for cell in cells)
    assert not re.findall(r"^\s*(?:def|class)\b|\b(?:matplotlib|seaborn|scipy)\b", code, re.MULTILINE)


def test_every_figure_of_the_report_has_its_notebook():
    figures = yaml.safe_load((ROOT / "workflow/report/figures.yaml").read_text())
    assert {path.stem for path in (ROOT / "notebooks/figures").glob("*.ipynb")} == figures.keys()


def test_every_figure_of_the_report_is_told_to_those_who_do_not_see_it():
    """An alt text says what is seen, axes first; the caption read out twice is no help."""
    figures = yaml.safe_load((ROOT / "workflow/report/figures.yaml").read_text())
    for name, figure in figures.items():
        assert 80 <= len(figure.get("alt", "")) <= 500, name
        assert figure["alt"] != figure["caption"], name


def test_scheduler_papers_are_in_the_citation_file():
    references = yaml.safe_load((ROOT / "CITATION.cff").read_text())["references"]
    keys = {str(reference["notes"]).removeprefix("key: ") for reference in references}
    assert keys >= {"sjf-bco", "gadget", "aiturbo", "sia", "pipedream"}
    for name, scheduler in schedulers().items():
        assert scheduler.paper in keys | {""}, name


def test_no_path_of_a_machine_is_written_down():
    pattern = re.compile(r"(?<![\w.])/(?:home|root|Users|work|mnt)/\w")
    assert [short(path) for path in TEXTS if pattern.search(path.read_text(encoding="utf-8"))] == []


def test_nothing_that_executes_data_is_used():
    pattern = re.compile(r"\b(?:pickle|cPickle|joblib)\b|\byaml\.(?:load|unsafe_load)\(|(?<![\w.])(?:eval|exec)\(")
    found = [
        short(p)
        for p in sorted(path for package in ("rarlib", "artifact") for path in (ROOT / package).rglob("*.py"))
        if pattern.search(p.read_text())
    ]
    assert found == []


def test_files_that_claims_and_notebooks_name_exist():
    """A reason that names a program, or a notebook that names a page, must not outlive it."""
    texts = [*(ROOT / "config").rglob("*.yaml"), *(ROOT / "notebooks").rglob("*.ipynb")]
    named = {
        (path.name, name)
        for path in texts
        for name in re.findall(
            r"(?<!/)\b(?:benchmarks|tools|tests|docs|rarlib|artifact|notebooks|config)/[\w./-]+\.(?:py|md|ipynb|yaml)\b",
            path.read_text(encoding="utf-8"),
        )
    }
    assert len(named) > 20
    assert {each for each in named if not (ROOT / each[1]).is_file()} == set()


@pytest.mark.parametrize("cells", sorted((ROOT / "artifact/papers").glob("*/cells.py")), ids=short)
def test_a_paper_could_be_deleted(cells):
    """Code outside of its folder does not name it; the configuration and its notebooks do."""
    folder = cells.parent
    code = [path for place in ("rarlib", "artifact", "workflow") for path in (ROOT / place).rglob("*.[ps][ym]*")]
    outside = [path for path in code if folder not in path.parents and "__pycache__" not in path.parts]
    assert [short(path) for path in outside if f"papers.{folder.name}" in path.read_text(encoding="utf-8")] == []
