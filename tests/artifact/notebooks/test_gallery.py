"""The gallery shows every notebook, and all its links lead somewhere."""

import json
import re

from tools import gallery

LINK = re.compile(r"\]\(([^)\s]+)\)")
REMEDY = "remedy: python -m tools.gallery results/figures"


def test_committed_pages_are_those_of_the_notebooks():
    listed = gallery.entries()
    assert gallery.PAGE.read_text(encoding="utf-8") == gallery.page(listed), REMEDY
    start = gallery.START.read_text(encoding="utf-8")
    assert start == gallery.filled(start, listed), REMEDY


def test_every_notebook_is_listed_and_every_link_exists():
    links = LINK.findall(gallery.PAGE.read_text(encoding="utf-8"))
    start = "\n".join("".join(cell["source"]) for cell in json.loads(gallery.START.read_text())["cells"])
    assert [link for link in {*links, *LINK.findall(start)} if not (gallery.NOTEBOOKS / link).is_file()] == []
    found = {path.relative_to(gallery.NOTEBOOKS).as_posix() for path in gallery.NOTEBOOKS.rglob("*.ipynb")}
    assert {path for path in found if ".ipynb_checkpoints" not in path} == {x for x in links if x.endswith(".ipynb")}
