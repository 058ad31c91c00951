"""What the syntax trees say of schedulers, against what importing says, and in every spelling that Python allows."""

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
from typing import ClassVar, Final
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
        'name: typing.ClassVar[str] = "mine"',
        'name: "ClassVar[str]" = "mine"',
        'name: str = "mine"',
        'name = "mine"',
        'name = "mi" "ne"',
        'name = "mi" + "ne"',
        'name = f"mine"',
        'name, label = "mine", "Mine"',
        "name = NAME",
        "name = OTHER",
        "name = FINAL",
        'name = ""; name = "mine"',
    ],
)
def test_every_spelling_is_found(folder, line):
    above = 'NAME = "mine"\nFINAL: Final = "mine"\nOTHER = NAME\n'
    where = folder(a=f"{above}\n@dataclass\nclass Mine:\n    {line}\n{DECIDE}")
    assert found(where) == [("mine", "rarlib.schedulers.a", "Mine")]
    assert inspect.getmodulename(str(declared(where)["mine"].path)) == "a"


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (f'class Base:\n    pass\n{DECIDE}class Mine(Base):\n    name = "mine"\n', ["mine"]),
        (f'class A:\n    name = "a"\n{DECIDE}class B(A):\n    name = "b"\n', ["a", "b"]),
        (f'class A:\n    name = "a"\n{DECIDE}@dataclass\nclass B(A):\n    size: int = 1\n', ["a"]),
        (f'class Named:\n    name = "a"\n@dataclass\nclass A(Named):\n    pass\n{DECIDE}', ["a"]),
        ('from rarlib.schedulers.fifo import Fifo\nclass A(Fifo):\n    name = "a"\n', ["a"]),
        ('from rarlib.schedulers import fifo\nclass A(fifo.Fifo):\n    name = "a"\n', ["a"]),
        ("from rarlib.schedulers.fifo import Fifo\nclass A(Fifo):\n    pass\n", ["fifo"]),
        (f"from rarlib.model.cluster import CPU\nclass A:\n    name = CPU\n{DECIDE}", ["cpu"]),
        ('from elsewhere import Base\nclass A(Base):\n    name = "a"\n', ["a"]),
        ('class Part:\n    name = "a part"\nclass Wrong(ValueError):\n    name = "wrong"\n', []),
        (f"class Helper:\n    name: ClassVar[str]\n{DECIDE}", []),
    ],
    ids=[
        "decide is inherited", "a subclass with a name of its own", "a dataclass that takes over a name is a variant",
        "the name is inherited from a class that decides nothing", "base of another file",
        "base by its package", "a name taken over from another file", "constant of another file",
        "base of another package", "classes that decide nothing", "no value",
    ],
)  # fmt: skip
def test_what_counts(folder, text, names):
    """The rule of `rarlib.declared`, case by case."""
    assert list(declared(folder(a=text))) == names


@pytest.mark.parametrize(
    ("body", "row"),
    [
        ('name = f"mine-{1 + 1}"', 7),
        ('name = "mine".lower()', 7),
        ('name = "a" if True else "b"', 7),
        ('if True:\n        name = "a"', 7),
        ("name = ELSEWHERE", 7),
        ("name = TWICE", 7),
        ("name = name", 6),
        ("name = 3", 7),
        ("@property\n    def name(self):\n        return 1", 8),
    ],
)
def test_a_name_that_only_running_tells_is_refused(folder, body, row):
    where = folder(a=f'TWICE = "a"; TWICE = "b"\nclass Mine:\n    {body}\n{DECIDE}')
    with pytest.raises(InputError, match="cannot be determined without running") as error:
        declared(where)
    assert (error.value.file, error.value.row) == (where / "a.py", row)


@pytest.mark.parametrize(
    "text",
    [
        f'if True:\n    class A:\n        name = "a"\n        {DECIDE.strip()}\n',
        f"from elsewhere import Base\nclass A(Base):\n{DECIDE}",
    ],
    ids=["a class inside a condition", "a name that another package may give"],
)
def test_a_class_that_only_running_tells_is_refused(folder, text):
    with pytest.raises(InputError, match=r"a\.py, row .*cannot be determined without running"):
        declared(folder(a=text.replace("return", "    return") if "if True" in text else text))


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
    assert scheduler_module("fifo") == "rarlib.schedulers.fifo"
    assert scheduler_module("from-another-package") is None
