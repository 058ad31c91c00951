"""Pictures of figure notebooks have their alternative text wherever they are shown."""

import re
from html import unescape

import matplotlib.pyplot as plt
import nbformat
import pytest
import yaml

from rarlib.model.project import ROOT
from rarlib.notebook.picture import display_picture
from rarlib.workflow.report.notebook_pages import write_pages

ALT = 'Share of jobs > 50 %, "ours" & published.'


@pytest.fixture
def shown(monkeypatch):
    """The output of a cell that shows a picture."""
    outputs = []
    monkeypatch.setattr("IPython.display.display", lambda content, raw: outputs.append(content))
    display_picture(plt.figure(), ALT)
    return outputs.pop()


def test_an_output_holds_the_text_where_jupyterlab_shows_it(shown):
    """JupyterLab shows the HTML of an output; pictures of other types would have no text there."""
    assert shown["text/plain"] == ALT
    assert unescape(re.search(r'<img [^>]*alt="([^"]*)"', shown["text/html"])[1]) == ALT
    assert "image/png" not in shown


def test_a_page_keeps_the_text_of_each_picture(shown, tmp_path):
    """The picture below the controls is another one than the figure, and is told as such; nothing is stored twice."""
    name = next(iter(yaml.safe_load((ROOT / "workflow/report/figures.yaml").read_text(encoding="utf-8"))))
    output = nbformat.v4.new_output("display_data", data=shown)
    cell = nbformat.v4.new_code_cell("show()", outputs=[output])
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), tmp_path / f"{name}.ipynb")
    write_pages([tmp_path / f"{name}.ipynb"])
    page = (tmp_path / f"{name}.html").read_text(encoding="utf-8")
    assert [unescape(text) for _, text in re.findall(r"""<img alt=(["'])(.*?)\1""", page)] == [ALT]
    assert page.count("data:image/png;base64,") == 1
