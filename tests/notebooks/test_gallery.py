"""The gallery shows every notebook, and all its links lead somewhere."""

import json
import re

import pytest
from PIL import Image

from rarlib.model.errors import InputError
from tools import gallery

LINK = re.compile(r"\]\(([^)\s]+)\)")
REMEDY = "remedy: python -m tools.gallery results/figures"


def test_committed_pages_are_those_of_the_notebooks():
    """A question that was reworded, or a notebook that is new, would be missing."""
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


def test_figures_have_small_thumbnails():
    """Nobody waits for a front door."""
    for entry in gallery.entries():
        if not entry.path.startswith("explore/"):
            assert entry.picture.stat().st_size <= gallery.MOST, REMEDY
            with Image.open(entry.picture) as picture:
                assert picture.width <= gallery.SIZE[0] and picture.height <= gallery.SIZE[1]
    listed = {entry.picture for entry in gallery.entries()}
    assert set(gallery.PICTURES.iterdir()) <= listed


@pytest.mark.parametrize("shape", [(1000, 300), (300, 1500)])
def test_a_thumbnail_keeps_the_shape_or_the_upper_part(shape, tmp_path):
    """A tall picture must not become a thread."""
    whole = Image.new("RGB", shape, "white")
    whole.paste("red", (0, 0, shape[0], 40))
    whole.save(tmp_path / "whole.png")
    gallery.shrink(tmp_path / "whole.png", tmp_path / "small.png")
    with Image.open(tmp_path / "small.png") as small:
        assert small.width == gallery.SIZE[0]
        assert small.height == min(gallery.SIZE[1], round(240 * shape[1] / shape[0]))
        assert small.convert("RGB").getpixel((small.width // 2, 0))[0] > 200


def test_a_figure_without_a_question_is_refused(tmp_path, monkeypatch):
    (tmp_path / "figures").mkdir()
    content = {"cells": [{"cell_type": "markdown", "source": ["# Title\n", "\n", "No question."]}]}
    (tmp_path / "figures" / "philly-jct.ipynb").write_text(json.dumps(content))
    listed = {"philly-jct": {"category": "C", "title": "T"}}
    monkeypatch.setattr(gallery, "NOTEBOOKS", tmp_path)
    monkeypatch.setattr(gallery, "_yaml", lambda file: {"sections": []} if "report." in file else listed)
    with pytest.raises(InputError, match="Question"):
        gallery.entries()
