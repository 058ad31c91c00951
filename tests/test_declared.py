"""What the syntax trees say of schedulers, against what importing says."""

import importlib
import inspect
import pkgutil

import pytest

import rarlib.schedulers
from rarlib.declared import declared, scheduler_module
from rarlib.model.errors import InputError

HEAD = """
import typing
from dataclasses import dataclass
from typing import ClassVar
"""
DECIDE = "    def decide(self, view):\n        return []\n"


@pytest.fixture
def folder(tmp_path):
    """Writes files of schedulers and returns their folder."""

    def write(**files):
        for name, text in files.items():
            (tmp_path / f"{name}.py").write_text(HEAD + text)
        return tmp_path

    return write


def found(*folder):
    """What is declared, as (name, module, class)."""
    return [(name, entry.module, entry.cls) for name, entry in declared(*folder).items()]


def by_import():
    """The same for our own schedulers, told by importing all of them."""
    package = rarlib.schedulers
    modules = [m.name for m in pkgutil.iter_modules(package.__path__, f"{package.__name__}.") if not m.ispkg]
    classes = [(m, c) for m in modules for _, c in inspect.getmembers(importlib.import_module(m), inspect.isclass)]
    return sorted(
        (cls.name, module, cls.__name__)
        for module, cls in classes
        if cls.__module__ == module and isinstance(getattr(cls, "name", None), str) and hasattr(cls, "decide")
    )


def test_the_trees_say_what_importing_says():
    """The pipeline reads, a run imports: where they differed, a scheduler would be found by one of them only."""
    assert found() == by_import()
    assert len(by_import()) > 20


@pytest.mark.parametrize(
    "line",
    [
        'name: ClassVar[str] = "mine"',
        "name: ClassVar[str] = 'mine'",
        'name: str = "mine"',
        'name = "mine"  # as in the paper',
        'name = "mi" "ne"',
    ],
)
def test_every_spelling_is_found(folder, line):
    where = folder(a=f"@dataclass\nclass Mine:\n    {line}\n{DECIDE}")
    assert found(where) == [("mine", "rarlib.schedulers.a", "Mine")]
    assert inspect.getmodulename(str(declared(where)["mine"].path)) == "a"


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (f'class A:\n    name = "a"\n{DECIDE}class B(A):\n    name = "b"\n', ["a", "b"]),
        (f'class A:\n    name = "a"\n{DECIDE}@dataclass\nclass B(A):\n    size: int = 1\n', ["a"]),
        ('from elsewhere import Base\nclass A(Base):\n    name = "a"\n', ["a"]),
        (f"class Helper:\n    name: ClassVar[str]\n{DECIDE}", []),
        (f'class Helper:\n    name = ""\n{DECIDE}', []),
    ],
    ids=["a name of its own", "a variant", "base of another package", "no value", "empty"],
)
def test_what_counts(folder, text, names):
    assert list(declared(folder(a=text))) == names


@pytest.mark.parametrize("value", ['f"mine-{1 + 1}"', '"mine".lower()', "ELSEWHERE", "3"])
def test_a_name_that_only_running_tells_is_refused(folder, value):
    """With file and line: whoever dropped the file in must learn why it does not appear."""
    where = folder(a=f"class Mine:\n    name = {value}\n{DECIDE}")
    with pytest.raises(InputError, match="cannot be determined without running") as error:
        declared(where)
    assert (error.value.file, error.value.row) == (where / "a.py", 6)


def test_one_name_in_two_files_is_refused_with_both(folder):
    text = f'class Mine:\n    name = "mine"\n{DECIDE}'
    with pytest.raises(InputError, match=r"scheduler 'mine' is defined in .*a\.py, row 5 .* and in .*b\.py, row 6"):
        declared(folder(a=text, b=f"\n{text}"))


def test_one_name_twice_in_a_file_is_refused(folder):
    text = "".join(f'class {cls}:\n    name = "mine"\n{DECIDE}' for cls in "AB")
    with pytest.raises(InputError, match=r"row 5 \(A\) and in .*row 9 \(B\)"):
        declared(folder(a=text))


def test_a_file_that_is_no_python_is_named(folder):
    with pytest.raises(InputError, match=r"a\.py, row 5: is not valid Python"):
        declared(folder(a="class\n"))


def test_a_name_from_elsewhere_has_no_module():
    """Installed packages bring their own code, which is no input of a cell."""
    assert scheduler_module("fifo") == "rarlib.schedulers.fifo"
    assert scheduler_module("from-another-package") is None
