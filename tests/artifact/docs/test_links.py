"""Links and paths that the manual names lead somewhere."""

import re
from pathlib import Path
from urllib.parse import unquote

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from tests.artifact.docs.pages import PAGES, ROOT

MANUAL = (*PAGES, *(ROOT / name for name in ("config/README.md", "config/claims/README.md", "data/README.md")))
MADE = ("data/raw", "results")
"""Folders that are not in a fresh checkout."""

_PATH = re.compile(r"(?:rarlib|tests|workflow|config|docs|notebooks|benchmarks|profiles|data|results|\.ci)/[\w./-]*")


def short(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def inline(page: Path) -> list[Token]:
    """Links, images, text and code of a page, in order."""
    tokens = MarkdownIt().enable("table").parse(page.read_text(encoding="utf-8"))
    return [child for token in tokens for child in token.children or ()]


def anchors(page: Path) -> set[str]:
    """Anchors that code-hosting pages make of headings."""
    titles = re.findall(r"(?m)^#+ (.*)$", page.read_text(encoding="utf-8"))
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", MANUAL, ids=short)
def test_links_lead_somewhere(page: Path) -> None:
    dead = []
    for token in inline(page):
        target = str(token.attrs.get("href") or token.attrs.get("src") or "")
        if not target or target.startswith(("http://", "https://")):
            continue
        path, _, anchor = unquote(target).partition("#")
        file = (page.parent / path).resolve() if path else page
        if not file.exists() or (anchor and anchor not in anchors(file)):
            dead.append(target)
    assert dead == []


@pytest.mark.parametrize("page", MANUAL, ids=short)
def test_paths_in_code_letters_exist(page: Path) -> None:
    """`rarlib/model/scheduler.py` in a sentence is a link in all but name."""
    named = {token.content for token in inline(page) if token.type == "code_inline"}
    written = set(re.findall(r"(?m)^```\w+ file: (.+)$", page.read_text(encoding="utf-8")))
    paths = {name for name in named - written if _PATH.fullmatch(name) and not name.startswith(MADE)}
    assert sorted(name for name in paths if not (ROOT / name).exists()) == []
