"""What runs the manual's blocks notices what is wrong with them."""

from pathlib import Path

import pytest

from tests.artifact.docs.pages import Block, Runner, blocks


def block(language: str, text: str, what: str = "", argument: str = "") -> Block:
    return Block(language, what, argument, text, 1)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (block("console", "$ rarlib --version\nrarlib of another year\n"), "the page says"),
        (block("sh", "true\nfalse  # the second of two\n"), "false"),
        (block("python", "assert 1 + 1 == 3, 'sums'\n"), "sums"),
        (block("yaml", "a: 1\n"), "nothing says how to run this"),
        (block("sh", "make tea\n", "no-run", "covered by .ci/run"), "not in .ci/run"),
        (block("sh", "make test\n", "no-run", "covered by tests/test_house.py::test_of_tea"), "test_of_tea"),
    ],
    ids=["other output", "second command", "python", "no directive", "script", "test"],
)
def test_wrong_blocks_are_noticed(wrong: Block, message: str, tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match=message):
        Runner(tmp_path).run(wrong)


@pytest.mark.parametrize("text", ["# A\n\n    indented = 1\n", "# A\n\n```python run: now\nx\n```\n"])
def test_blocks_that_say_nothing_are_refused(text: str, tmp_path: Path) -> None:
    """A block without a language, or with a misspelt directive, would silently not be run."""
    page = tmp_path / "page.md"
    page.write_text(text, encoding="utf-8")
    with pytest.raises(AssertionError, match=r"page\.md:3"):
        blocks(page)
