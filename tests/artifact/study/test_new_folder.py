"""The files of a new package: their names, and the names that are refused."""

import ast
import tomllib
from pathlib import Path

import pytest

from artifact.study.new_folder import NEW_FOLDERS, plugin_files
from rarlib.model.errors import InputError
from rarlib.model.plugins import EntryGroup
from rarlib.records.outputs import write_new_folder


def test_every_template_becomes_a_file(tmp_path: Path) -> None:
    """Python that parses, a project with all groups, and no placeholder left."""
    files = write_new_folder(tmp_path / "least-gpu-time", plugin_files("least-gpu-time"))
    assert len(files) == len([path for path in (NEW_FOLDERS / "plugin").rglob("*") if path.is_file()])
    texts = {path: path.read_text(encoding="utf-8") for path in files}
    assert [path for path, text in texts.items() if "$" in text] == []
    for path, text in texts.items():
        if path.suffix == ".py":
            assert ast.get_docstring(ast.parse(text))
            assert max(map(len, text.splitlines())) <= 120
    project = tomllib.loads(texts[tmp_path / "least-gpu-time" / "pyproject.toml"])["project"]
    assert project["entry-points"].keys() == set(EntryGroup)
    assert project["entry-points"][EntryGroup.SCHEDULERS] == {"least-gpu-time": "least_gpu_time.scheduler:LeastGpuTime"}


NO_NAMES = ("", "Mine", "my policy", "my_policy", "-mine", "mine-", "class", "rarlib", "../x", "x" * 41)
RULES = dict.fromkeys(NO_NAMES, "must be lower-case words joined by hyphens") | dict.fromkeys(
    ("numpy", "test", "json"), "Python imports something else"
)


@pytest.mark.parametrize("name", RULES)
def test_names_that_cannot_be_used(name: str) -> None:
    """No names of packages, ways out of the folder, and what everybody's `import numpy` would find instead."""
    with pytest.raises(InputError, match=RULES[name]):
        plugin_files(name)


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    with pytest.raises(InputError, match="is there already"):
        write_new_folder(tmp_path / "mine", plugin_files("mine"))
    assert list((tmp_path / "mine").iterdir()) == []
    with pytest.raises(InputError, match="a scheduler 'fifo' is there already"):
        plugin_files("fifo")
