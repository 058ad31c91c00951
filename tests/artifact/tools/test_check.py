"""Which tests `make check` runs: those that import or name what has changed, the nearest first."""

import pytest

from tools.check import Graph, chosen


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


def test_the_nearest_run_as_far_as_the_budget_goes():
    distances = {"a": 2, "b": 1, "c": 1, "d": 0}
    seconds = {"a": 1.0, "b": 30.0, "c": 5.0, "d": 99.0}
    assert chosen(distances, seconds, 110.0) == ["d", "c"]
    assert chosen(distances, seconds, 1000.0) == ["d", "c", "b", "a"]
    assert chosen(distances, seconds, 0.0) == ["d"]
