"""The manual as a site: no dead link, nothing from elsewhere, a search that works without a server, and phones."""

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import nbformat
import pytest

from tests.artifact.browser.conftest import PHONE, ROOT, visit

PYTHON = ROOT / ".venv-docs/bin/python"
NAMED = "RARLIB_SITE"
"""Environment variable: a site that is built already, with all tutorials executed."""

pytestmark = [
    pytest.mark.release,
    pytest.mark.skipif(
        not PYTHON.is_file() and NAMED not in os.environ, reason="needs .venv-docs: make .venv-docs/.built-from-lock"
    ),
]


class Found(HTMLParser):
    """Links and anchors of a page."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.anchors: set[str] = set()
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.anchors |= {given["id"]} if given.get("id") else set()
        if given.get("href"):
            (self.links if tag == "a" else self.fetched).append(given["href"])
        if given.get("src"):
            self.fetched.append(given["src"])


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    """Folder of a site, in which at least the first tutorial was executed."""
    if NAMED in os.environ:
        return Path(os.environ[NAMED]).resolve()
    folder = tmp_path_factory.mktemp("site") / "site"
    command = [sys.executable, "-m", "docs.site.build", "--sphinx", PYTHON, "--site", folder, "--execute", "01-*"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return folder


@pytest.fixture(scope="module")
def pages(site) -> dict[Path, Found]:
    return {path: Found(path) for path in sorted(site.rglob("*.html")) if "_static" not in path.parts}


def test_every_page_of_the_manual_is_in_the_menu(site, pages):
    front = pages[site / "docs" / "README.html"]
    listed = {unquote(link).partition("#")[0] for link in front.links}
    manual = {path.with_suffix(".html").name for path in (ROOT / "docs").glob("*.md")} - {"README.html"}
    tutorials = {f"../notebooks/learn/{path.stem}.html" for path in (ROOT / "notebooks/learn").glob("*.ipynb")}
    assert manual | tutorials <= listed


def test_no_link_is_dead_and_nothing_comes_from_elsewhere(site, pages):
    """Links between pages and into them, downloads, pictures, styles and scripts."""
    dead, remote = [], []
    for path, page in pages.items():
        remote += [(path.name, link) for link in page.fetched if re.match(r"(?:https?:)?//", link)]
        for link in page.links + page.fetched:
            if re.match(r"\w+:|//", link):
                continue
            name, _, anchor = unquote(link).partition("#")
            target = (path.parent / name.partition("?")[0]).resolve() if name else path
            missed = anchor and target in pages and anchor not in pages[target].anchors
            if not target.is_relative_to(site.resolve()) or not target.is_file() or missed:
                dead.append((path.name, link))
    assert dead == []
    assert remote == []


def test_tutorials_say_whether_they_were_executed(site, pages):
    executed = 0
    for path in sorted((ROOT / "notebooks").rglob("*.ipynb")):
        html = (site / path.relative_to(ROOT)).with_suffix(".html").read_text(encoding="utf-8")
        has_output = "cell_output" in html
        assert ("Executed when this site was built" in html) == has_output, path.name
        assert ("Not executed for this site" in html) != has_output, path.name
        executed += has_output
        if not has_output and path.parent.name == "figures":
            assert "_images/" in html, path.name
    first = nbformat.read(ROOT / "notebooks/learn/01-one-job.ipynb", as_version=4)
    assert "cell_output" in (site / "notebooks/learn/01-one-job.html").read_text(encoding="utf-8"), len(first.cells)
    assert executed >= (len(list((ROOT / "notebooks/learn").glob("*.ipynb"))) if NAMED in os.environ else 1)


def test_a_search_finds_the_page_from_files_alone(chromium, site):
    with visit(chromium, (site / "index.html").as_uri()) as seen:
        page = seen.page
        page.wait_for_url("**/docs/README.html")
        page.fill("input[name=q]", "timetable")
        page.press("input[name=q]", "Enter")
        page.wait_for_selector("ul.search li a")
        found = page.locator("ul.search li a").all_inner_texts()
        assert "Jobs that share links" in found
        page.click("ul.search li a:has-text('Jobs that share links')")
        page.wait_for_url("**/docs/fabric.html*")
        assert all(url.startswith(("file:", "data:")) for url in seen.requests)


def test_no_page_scrolls_sideways_on_a_phone(chromium, site, pages, screenshots):
    wide = {}
    with visit(chromium, (site / "docs/README.html").as_uri(), *PHONE) as seen:
        for path in pages.keys() - {site / "index.html"}:  # which leads to another page
            seen.page.goto(path.as_uri(), wait_until="domcontentloaded")
            width = seen.page.evaluate("document.documentElement.scrollWidth")
            if width > PHONE[0]:
                wide[path.name] = width
        seen.page.goto((site / "docs/fabric.html").as_uri())
        seen.page.screenshot(path=screenshots / "site-phone.png")
    assert wide == {}
