"""What the manual says that the software cannot do, or does not yet do: a test shows each such sentence."""

import re

import pytest

from tests.artifact.docs.pages import PAGES, ROOT

SHOWN = {
    "a package that cannot be imported is one for": "tests/test_plugins.py::test_a_package_that_cannot_be_imported",
    "Agents cannot act under goodput": "tests/rarlib/env/test_core.py::test_what_cannot_be_used_is_refused",
    "Concert cannot be told apart from Sia": (
        "tests/artifact/tools/test_readme.py::test_readme_shows_the_badges_and_findings_of_today"
    ),
    "Gavel, Themis and Shockwave cannot learn": "tests/artifact/arena/test_knowledge.py::test_who_plays_and_as_what",
    "The law cannot know phases": "docs/fabric.md::end_15_s",
    "a goal cannot hold with one": "tests/artifact/ledger/test_measured.py::test_verdicts",
    "Readings whose loss cannot be told": (
        "tests/artifact/ledger/test_committed_readings.py::test_the_tables_and_the_page_are_those_of_the_reading"
    ),
    "not yet run": "tests/artifact/docs/test_limits.py::test_not_yet_run_is_said_of_no_claim",
}
"""Words of a sentence, and where it is shown: a test, or lines of a page that are run."""


def told():
    """Sentences of the manual that say so, outside of blocks of code."""
    pages = [*PAGES, *(ROOT / folder / "README.md" for folder in ("config", "config/claims", "data", "notebooks"))]
    for page in pages:
        text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        sentences = re.split(r"(?<=[.!?])\s+|\n\n|\n\||\n- ", text)
        yield from (" ".join(each.split()) for each in sentences if re.search(r"\b(cannot|not yet)\b", each))


def test_every_such_sentence_is_shown():
    unshown = [sentence for sentence in told() if not any(words in sentence for words in SHOWN)]
    assert unshown == []


@pytest.mark.parametrize("words", SHOWN)
def test_where_it_is_shown_exists_and_it_is_still_said(words):
    assert any(words in sentence for sentence in told())
    file, _, name = SHOWN[words].partition("::")
    assert name in (ROOT / file).read_text(encoding="utf-8")


def test_not_yet_run_is_said_of_no_claim():
    """The words explain a verdict that a run of one's own may give; the accepted run answers everything."""
    assert "not yet run" not in (ROOT / "results/expected/claims.csv").read_text(encoding="utf-8")
