"""Controls where somebody can move them; a still picture elsewhere."""

import matplotlib.pyplot as plt
import pytest

from rarlib.notebook import play as module
from rarlib.notebook.figure import FIGURE_FILES
from rarlib.plot.learn.slider import PAGE


@pytest.fixture
def drawn(monkeypatch):
    """What has been drawn, and with which text; nothing says yet that anybody looks on."""
    for name in (PAGE, FIGURE_FILES, "JPY_SESSION_NAME"):
        monkeypatch.delenv(name, raising=False)
    shown = []
    monkeypatch.setattr(module, "display_picture", lambda figure, alt: shown.append(alt) or plt.close(figure))
    return shown


def draw(alpha, kind):
    return plt.figure()


def test_without_a_reader_the_first_values_are_drawn_once(drawn):
    assert module.play(draw, "A curve.", alpha=[0.3, 0.1], kind=["a", "b"]) == module.STATIC_PAGE
    assert drawn == ["A curve. Here: alpha 0.3, kind a."]


def test_a_reader_gets_a_control_for_each_value(drawn, monkeypatch):
    monkeypatch.setenv("JPY_SESSION_NAME", "a-notebook.ipynb")
    controls = module.play(draw, "A curve.", alpha=[0.3, 0.1], kind=["a", "b"]).children
    assert [control.description for control in controls[:2]] == ["alpha", "kind"]
    assert list(controls[0].options) == [0.1, 0.3]
    assert controls[0].value == 0.3
    monkeypatch.setenv(PAGE, "1")
    assert module.play(draw, "A curve.", alpha=[0.3, 0.1], kind=["a", "b"]) == module.STATIC_PAGE
