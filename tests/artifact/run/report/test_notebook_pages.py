"""Pages of executed notebooks: parameters at the end, formulas as pictures."""

import re

import pytest
from nbformat import read as read_notebook
from nbformat import write as write_notebook
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from artifact.report.formulas import draw_formulas
from artifact.report.notebook_pages import write_pages
from rarlib.model.project import ROOT


def test_parameters_stand_at_the_end_of_a_notebook_s_page(tmp_path):
    """The page opens with the picture, not with settings."""
    cells = [
        new_markdown_cell("# First"),
        new_code_cell("SEEDS = 30", metadata={"tags": ["parameters"]}),
        new_code_cell("SEEDS = 5", metadata={"tags": ["injected-parameters"]}),
        new_code_cell("draw(SEEDS)"),
    ]
    write_notebook(new_notebook(cells=cells), tmp_path / "philly-jct.ipynb")
    write_pages([tmp_path / "philly-jct.ipynb"])
    shown, _, last = (tmp_path / "philly-jct.html").read_text(encoding="utf-8").partition("Parameters of this run")
    first, given = (re.sub("<.*?>", "", text) for text in (shown, last))
    assert "draw(SEEDS)" in first and "SEEDS = " not in first
    assert re.findall(r"SEEDS = (\d+)", given) == ["30", "5"]


def test_formulas_are_pictures_that_say_what_they_are():
    """In running text and on lines of their own; not in code, and never lost; the same each time."""
    page = "<p>If $k &lt; 2$ then</p><p>$$\\underbrace{a}_{\\text{cost}}$$</p>"
    page += "<pre>echo $HOME $PATH</pre><p>$\\nowhere$</p>"
    shown = draw_formulas(page)
    assert re.findall('<img [^>]*alt="(.*?)"', shown) == ["k &lt; 2", "\\underbrace{a}_{\\text{cost}}"]
    assert "<pre>echo $HOME $PATH</pre>" in shown and "<code>\\nowhere</code>" in shown
    assert shown == draw_formulas(page)


@pytest.mark.parametrize("notebook", sorted((ROOT / "notebooks").glob("*/*.ipynb")), ids=lambda path: path.stem)
def test_all_formulas_of_the_notebooks_can_be_drawn(notebook):
    for cell in read_notebook(notebook, as_version=4).cells:
        if cell.cell_type == "markdown":
            text = re.sub("`.*?`", "", cell.source)
            assert "<code>" not in draw_formulas(text) and "$" not in draw_formulas(text)
