"""Sliders are an addition."""

import sys

import pytest

from rarlib.plot.learn.slider import ON_PAGE, PAGE, WITHOUT, slider


@pytest.fixture(autouse=True)
def _reader(monkeypatch):
    """Somebody has opened the notebook, as Jupyter Server says it."""
    monkeypatch.delenv(PAGE, raising=False)
    monkeypatch.setenv("JPY_SESSION_NAME", "a-notebook.ipynb")


def test_nobody_is_waited_for(monkeypatch):
    """Under `jupyter execute` sliders have no front end, and now and then the run would wait for one forever."""
    monkeypatch.delenv("JPY_SESSION_NAME")
    drawn = []
    assert slider(drawn.append, object=[1, 2, 3]) == ON_PAGE
    assert drawn == []
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    monkeypatch.setattr(sys, "platform", "emscripten")  # the kernel in a browser always has a reader
    assert slider(drawn.append, object=[1, 2, 3]) == WITHOUT


def test_without_ipywidgets_a_sentence_takes_their_place(monkeypatch):
    """A notebook must run in a kernel that has no ipywidgets."""
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    drawn = []
    assert slider(drawn.append, object=[1, 2, 3]) == WITHOUT
    assert drawn == []


def test_a_slider_for_each_argument_draws_what_it_is_moved_to():
    """The values offered, the middle one first."""
    drawn = []
    shown = slider(lambda n, alpha: drawn.append((n, alpha)), n=range(1, 6), alpha=[0.0, 0.3])
    n, alpha = shown.children[:2]
    assert (n.description, list(n.options), n.value) == ("n", [1, 2, 3, 4, 5], 3)
    assert (alpha.description, alpha.value) == ("alpha", 0.3)
    n.value = 5
    shown.update()
    assert drawn[-1] == (5, 0.3)
