"""Every control of a figure notebook changes its picture, from where the controls stand at first."""

import io

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest

from benchmarks.answers import NOTEBOOKS, played
from tests.circles import first

_QUICKEST = "aiturbo-study"


def picture(draw, **values):
    drawn = io.BytesIO()
    draw(**values).savefig(drawn, format="svg", metadata={"Date": None})
    plt.close("all")
    return drawn.getvalue()


@pytest.mark.parametrize("path", first(1, sorted(NOTEBOOKS, key=lambda p: p.stem != _QUICKEST)), ids=lambda p: p.stem)
def test_every_control_changes_the_picture(path, monkeypatch, tmp_path):
    mpl.use("agg")
    monkeypatch.setenv("RARLIB_OFFLINE", "1")
    monkeypatch.setenv("RARLIB_RESULTS", str(tmp_path))
    draw, controls = played(path)
    at_first = {name: values[0] for name, values in controls.items()}
    usual = picture(draw, **at_first)
    idle = [
        name
        for name, values in controls.items()
        if all(picture(draw, **{**at_first, name: value}) == usual for value in values[1:])
    ]
    assert idle == []
