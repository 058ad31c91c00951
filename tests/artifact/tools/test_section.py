"""A section is put between its comments, and nothing else of the page changes."""

import pytest

from rarlib.model.errors import InputError
from tools import section
from tools.section import Section

PAGE = (
    "# Page\n\nBefore.\n\n<!-- map: begin (made by `python -m tools.map`) -->\n\nold\n\n<!-- map: end -->\n\nAfter.\n"
)


@pytest.fixture
def made(tmp_path, monkeypatch):
    monkeypatch.setattr(section, "_ROOT", tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "page.md").write_text(PAGE)
    return Section("page.md", "map", "tools.map")


def test_only_the_section_changes(made):
    assert made.stated() == "old"
    made.write("new\n")
    assert made.stated() == "new"
    assert made.path.read_text() == PAGE.replace("old", "new")


@pytest.mark.parametrize("missing", ["<!-- map: begin (made by `python -m tools.map`) -->", "<!-- map: end -->"])
def test_a_page_without_a_place_is_left_as_it_is(made, missing):
    text = PAGE.replace(missing, "")
    made.path.write_text(text)
    with pytest.raises(InputError, match="has no place"):
        made.write("new")
    assert made.path.read_text() == text
