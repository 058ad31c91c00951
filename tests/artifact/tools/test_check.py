"""Which tests `make check` runs: those that import or name what has changed, the nearest first."""

import subprocess

import pytest

from tools.check import CORE, ROOT, Graph, changed_files, chosen


@pytest.fixture(scope="module")
def graph():
    return Graph()


@pytest.mark.parametrize(
    ("changed", "concerned", "others"),
    [
        ("rarlib/allocate/rings.py", "tests/artifact/papers/gadget/test_inference.py", "tests/test_environment.py"),
        ("rarlib/schedulers/sia.py", "tests/rarlib/property/test_every_scheduler.py", "tests/test_environment.py"),
        ("docs/glossary.md", "tests/artifact/docs/test_glossary.py", "tests/rarlib/bounds/test_bounds.py"),
        ("tests/circles.py", "tests/rarlib/bounds/test_bounds.py", "tests/artifact/docs/test_links.py"),
        (
            "tests/artifact/archive/conftest.py",
            "tests/artifact/archive/test_names.py",
            "tests/rarlib/bounds/test_bounds.py",
        ),
        ("config/config.yaml", "tests/artifact/run/test_config.py", "tests/rarlib/plot/test_style.py"),
    ],
)
def test_what_imports_or_names_a_file_is_concerned(graph, changed, concerned, others):
    """Schedulers are found by name, conftest.py by its place, pages and settings by their paths."""
    distances = graph.distances([changed])
    assert concerned in distances
    assert others not in distances


def test_a_changed_test_is_nearest_and_its_helpers_next(graph):
    distances = graph.distances(["tests/rarlib/bounds/test_bounds.py"])
    assert distances == {"tests/rarlib/bounds/test_bounds.py": 0}
    assert graph.distances(["tests/rarlib/ilp/cases.py"])["tests/rarlib/bounds/test_bounds.py"] == 1


def test_the_nearest_run_as_far_as_the_budget_goes():
    distances = {"a": 2, "b": 1, "c": 1, "d": 0}
    seconds = {"a": 1.0, "b": 30.0, "c": 5.0, "d": 99.0}
    assert chosen(distances, seconds, 110.0) == ["d", "c"]
    assert chosen(distances, seconds, 1000.0) == ["d", "c", "b", "a"]
    assert chosen(distances, seconds, 0.0) == ["d"]


def test_the_core_exists():
    assert [path for path in CORE if not (ROOT / path).exists()] == []


def test_changes_are_told_from_the_last_commit_that_is_shared_with_main(tmp_path):
    def git(*words):
        person = ("-c", "user.name=x", "-c", "user.email=x@example.org")
        subprocess.run(["git", *person, *words], cwd=tmp_path, check=True, capture_output=True)

    def commit(name):
        (tmp_path / name).write_text(name)
        git("add", "-A")
        git("commit", "-m", name)

    git("init", "-b", "main")
    commit("first")
    commit("second")
    assert changed_files(tmp_path) == ["second"]
    (tmp_path / "first").write_text("changed")
    assert changed_files(tmp_path) == ["first"]
    git("checkout", "-b", "idea")
    commit("third")
    (tmp_path / "new file").write_text("")
    assert changed_files(tmp_path) == ["first", "new file", "third"]
