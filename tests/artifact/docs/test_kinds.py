"""The manual's pages are sorted by what their reader wants: to learn, to reach a goal, to look up, to understand."""

from collections import Counter

from tests.artifact.docs.pages import ROOT
from tests.artifact.docs.test_links import inline

KINDS = ("Tutorials", "How-to", "Reference", "Explanation")
INDEX = ROOT / "docs" / "README.md"


def sections() -> dict[str, list[str]]:
    """Kind -> pages of the manual that the index lists under it."""
    found: dict[str, list[str]] = {}
    current = ""
    for token in inline(INDEX):
        if token.type == "text" and ": " in token.content and token.content.partition(": ")[0] in KINDS:
            current = token.content.partition(": ")[0]
            found[current] = []
        target = str(token.attrs.get("href", "")).partition("#")[0]
        if target.endswith(".md") and "/" not in target:
            found[current].append(target)
    return found


def test_the_index_has_the_four_kinds_in_order() -> None:
    assert tuple(sections()) == KINDS


def test_every_page_is_of_one_kind() -> None:
    listed = Counter(page for pages in sections().values() for page in pages)
    pages = {page.name for page in (ROOT / "docs").glob("*.md")} - {INDEX.name}
    assert listed == dict.fromkeys(pages, 1)
