"""Every control of a figure notebook changes its picture, from where the controls stand at first."""

import io
import re

import matplotlib as mpl
import matplotlib.pyplot as plt
import nbformat
import pytest

from artifact.notebook import play as module
from rarlib.model.project import ROOT
from tests.circles import first

NOTEBOOKS = sorted((ROOT / "notebooks/figures").glob("*.ipynb"))
PLAYED = [path for path in NOTEBOOKS if re.search(r"\bplay\(", path.read_text(encoding="utf-8"))]
_QUICKEST = "aiturbo-study"


def played(path, monkeypatch):
    """What a notebook draws at each move, and the values of its controls."""
    found = []
    monkeypatch.setattr(module, "play", lambda draw, alt="", **values: found.append((draw, values)))
    names = {}
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type == "code":
            exec(compile(cell.source, f"{path.stem}, {cell.id}", "exec"), names)
    plt.close("all")
    (only,) = found
    return only


def picture(draw, **values):
    drawn = io.BytesIO()
    draw(**values).savefig(drawn, format="svg", metadata={"Date": None})
    plt.close("all")
    return drawn.getvalue()


@pytest.mark.parametrize("path", first(1, sorted(PLAYED, key=lambda p: p.stem != _QUICKEST)), ids=lambda p: p.stem)
def test_every_control_changes_the_picture(path, monkeypatch, tmp_path):
    mpl.use("agg")
    monkeypatch.setenv("RARLIB_OFFLINE", "1")
    monkeypatch.setenv("RARLIB_RESULTS", str(tmp_path))
    draw, controls = played(path, monkeypatch)
    at_first = {name: values[0] for name, values in controls.items()}
    usual = picture(draw, **at_first)
    idle = [
        name
        for name, values in controls.items()
        if all(picture(draw, **{**at_first, name: value}) == usual for value in values[1:])
    ]
    assert idle == []
