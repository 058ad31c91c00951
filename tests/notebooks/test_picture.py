"""Pictures of figure notebooks have their alternative text wherever they are shown."""

import re
from html import unescape

import matplotlib.pyplot as plt
import pytest

from rarlib.notebook.picture import display_picture

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
