"""Sliders are an addition."""

import sys

from rarlib.plot.learn.slider import WITHOUT, slider


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
