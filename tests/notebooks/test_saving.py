"""JupyterLab saves a notebook of this project as it came: running one is no change under version control."""

import asyncio
from pathlib import Path
from shutil import copy

import nbformat
import pytest
from traitlets.config import Config

ROOT = Path(__file__).parents[2]
BOOK = "notebooks/00-start-here.ipynb"
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
def test_a_notebook_that_ran_is_saved_as_it_came(settings, tmp_path, name):
    (tmp_path / name).parent.mkdir(parents=True)
    copy(ROOT / name, tmp_path / name)
    assert name in settings["OURS"]
    assert saved(settings, tmp_path, name) == (ROOT / name).read_bytes()


def test_a_notebook_of_the_users_keeps_its_outputs(settings, tmp_path):
    copy(ROOT / BOOK, tmp_path / "mine.ipynb")
    assert b"said" in saved(settings, tmp_path, "mine.ipynb")
