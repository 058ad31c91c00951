"""Every control of a figure notebook changes its picture, from where the controls stand at first."""

import io
from functools import partial

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd
import pytest

from artifact.notebook import play
from artifact.notebook.job import FIGURE_FILES
from artifact.plot.measured import errors_of_one
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


def test_values_without_an_answer_are_said_in_a_sentence(monkeypatch, capsys):
    monkeypatch.setattr(play, "is_watched", lambda: True)
    monkeypatch.delenv(FIGURE_FILES, raising=False)
    draw = partial(errors_of_one, pd.DataFrame({"goal": ["G4"], "grade": ["B"]}), accepted=False)
    play.play(draw, goal=["G4"], fitted=["hidden", "shown"]).update()
    said = capsys.readouterr().out
    assert "No picture for these values: " in said and "every predictor of G4 has fitted numbers" in said
