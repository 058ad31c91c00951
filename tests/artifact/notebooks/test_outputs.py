"""Outputs of notebooks: controls or a still picture, alternative texts, and what JupyterLab saves."""

import asyncio
import re
from html import unescape
from pathlib import Path
from shutil import copy

import matplotlib.pyplot as plt
import nbformat
import pytest
from traitlets.config import Config

from artifact.notebook import play as module
from artifact.notebook.figure import FIGURE_FILES
from artifact.notebook.picture import display_picture
from artifact.plot.learn.slider import PAGE
from tools.strip_outputs import stripped


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


ROOT = Path(__file__).parents[3]
BOOKS = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "notebooks").rglob("*.ipynb"))


@pytest.fixture(scope="module")
def settings():
    """What the file of settings says, and the names it defines."""
    path = ROOT / "config/jupyter/jupyter_lab_config.py"
    config = Config()
    names = {"get_config": lambda: config}
    exec(compile(path.read_text(encoding="utf-8"), path, "exec"), names)
    return names


def saved(settings, folder: Path, name: str) -> bytes:
    """Open a notebook as JupyterLab does, as if all its cells had run, save it, and return the file."""
    manager = settings["Contents"](root_dir=str(folder), config=settings["get_config"]())
    model = asyncio.run(manager.get(name))
    book = model["content"]
    for number, cell in enumerate(book["cells"]):
        cell["metadata"]["trusted"] = True
        if cell["cell_type"] == "code":
            cell["execution_count"] = number
            cell["outputs"] = [nbformat.v4.new_output("stream", text="said")]
            cell["metadata"]["execution"] = {"iopub.execute_input": "now"}
    book["metadata"]["language_info"] = {"name": "python", "version": "3.11.7", "file_extension": ".py"}
    asyncio.run(manager.save({"type": "notebook", "format": "json", "content": book}, name))
    return (folder / name).read_bytes()


@pytest.mark.parametrize("name", BOOKS)
def test_a_saved_notebook_keeps_its_outputs_and_git_sees_none(settings, tmp_path, name):
    """Whoever has run a notebook for an hour finds it as it was; nothing of it gets into a commit."""
    (tmp_path / name).parent.mkdir(parents=True)
    copy(ROOT / name, tmp_path / name)
    kept = saved(settings, tmp_path, name)
    assert b"said" in kept
    assert stripped(kept.decode()).encode() == (ROOT / name).read_bytes()
