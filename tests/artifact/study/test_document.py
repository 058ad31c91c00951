"""study.yaml: what is wrong is said with file, field and rule."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from artifact.study.document import read_study_file
from rarlib.model.errors import InputError
from tests.artifact.study.conftest import changed


def test_a_new_study_is_valid(new_folder: Path) -> None:
    study = read_study_file(new_folder)
    assert len(study.entrants) == 7 and len(study.sources) == 3 and study.looks == (4, 8, 12)
    assert [each.name for each in study.statements][:2] == ["jct-fifo", "jct-fifo-backfill"]
    assert study.entrants["mine"].label == "Mine" and study.entrants["fifo"].label == "FIFO"


@pytest.mark.parametrize(
    ("entries", "field", "rule"),
    [
        ({"nmae": "x"}, None, "unknown key 'nmae'; did you mean 'name'?"),
        ({"name": "My Study"}, "name", "does not match"),
        ({"schedulers": {"fifoo": {}}}, "schedulers.fifoo", "did you mean 'fifo'"),
        ({"schedulers": {"mine": {"file": "none.py"}}}, "schedulers.mine.file", "no such file"),
        ({"schedulers": {"las": {"parameters": {"levles": [1, 2]}}}}, "schedulers.las.parameters", "'levels'"),
        ({"schedulers": {"las": {"parameters": {"levels": [9, 2]}}}}, "schedulers.las.parameters", "ascend"),
        ({"traces": {"philly-polux": {"jobs": 5}}}, "traces.philly-polux", "philly-pollux"),
        ({"traces": {"philly-pollux": {"jobs": 0}}}, "traces.philly-pollux.jobs", "minimum of 2"),
        ({"traces": None}, "traces", "traces or workloads"),
        ({"workloads": {"drawn": {"jobs": 5}}}, "workloads.drawn", "'file' is a required property"),
        ({"clusters": {"small": "8by4"}}, "clusters.small", ""),
        ({"costs": {"links": {"model": "rong"}}}, "costs.links", "did you mean 'ring'"),
        ({"costs": {"links": {"model": "ring", "contention": {"alhpa": 1}}}}, "costs.links", "alhpa"),
        ({"costs": {"own": {"applications": "sai"}}}, "costs.own.applications", "is not one of ['sia'"),
        ({"costs": {"own": {"model": "ring", "applications": "sia"}}}, "costs.own.applications", "goodput"),
        ({"loads": [1.2]}, "loads", "overload"),
        ({"loads": [0.5, 0.5]}, "loads", "non-unique"),
        ({"sweep": "all"}, "sweep", "one-at-a-time"),
        ({"seeds": {"first": 9, "step": 1, "most": 4}}, "seeds.first", "from 2 to 4"),
        ({"metrics": ["mean_jtc"]}, "metrics", "mean_jct"),
        ({"statements": {"a": {"better": "mine", "worse": "mine"}}}, "statements.a.worse", "itself"),
        ({"statements": {"a": {"better": "mine", "worse": "sia"}}}, "statements.a.worse", "unknown scheduler"),
        ({"statements": {"a": {"better": "mine", "worse": "fifo", "on": "x"}}}, "statements.a.on", "unknown trace"),
        ({"figures": {"none": {"title": "t", "caption": "c", "alt": "a", "tables": ["runs"]}}},
         "figures.none", "ipynb"),
    ],
)  # fmt: skip
def test_bad_entries(new_folder: Path, entries: dict[str, Any], field: str, rule: str) -> None:
    changed(new_folder, **entries)
    with pytest.raises(InputError) as caught:
        read_study_file(new_folder)
    assert caught.value.field == field and rule in caught.value.rule
    assert Path(str(caught.value.file)).name == "study.yaml"


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("class A(:\n", "cannot be imported: SyntaxError"),
        ("x = 1\n", "found 0"),
        ("class A:\n    name = 'a'\n    def decide(self, view): ...\nclass B(A): ...\n", "found 2"),
        ("import nothing_of_this_name\n", "ModuleNotFoundError"),
    ],
)
def test_bad_schedulers(new_folder: Path, text: str, rule: str) -> None:
    (new_folder / "scheduler.py").write_text(text)
    with pytest.raises(InputError, match=rule) as caught:
        read_study_file(new_folder)
    assert "scheduler.py" in str(caught.value.file)


def test_no_file_is_overwritten(new_folder: Path, refused: Callable[..., str]) -> None:
    before = {path: path.read_bytes() for path in new_folder.rglob("*") if path.is_file()}
    assert "is there already" in refused("new", "study", "my-study", "--folder", new_folder.parent)
    assert before == {path: path.read_bytes() for path in new_folder.rglob("*") if path.is_file()}
