"""Runs the notebooks of notebooks/learn as plain code, and draws their pictures for its README.

python tests/artifact/notebooks/learn.py [NAME...]    # after a change that moves a picture
"""

import io
import sys
from contextlib import redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import matplotlib as mpl
import matplotlib.pyplot as plt
import nbformat
import pytest
from matplotlib.figure import Figure

from rarlib.traces import places

FOLDER = Path(__file__).parents[3] / "notebooks" / "learn"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


class Ran(NamedTuple):
    """What a notebook left behind."""

    names: dict[str, Any]
    printed: str
    picture: Figure


def run(notebook: Path) -> Ran:
    """Run all code cells on a machine without recorded traces, network and ipywidgets.

    The picture is that of the cell tagged `picture`; without one, the last of the notebook.
    """
    mpl.use("agg")
    plt.close("all")
    with TemporaryDirectory() as empty, pytest.MonkeyPatch.context() as machine:
        machine.setenv("RARLIB_OFFLINE", "1")
        machine.delenv("RARLIB_MIRROR", raising=False)
        machine.setattr(places, "raw_folder", lambda: Path(empty))
        machine.setitem(sys.modules, "ipywidgets", None)
        return _run(notebook)


def _run(notebook: Path) -> Ran:
    names: dict[str, Any] = {}
    picture = None
    printed = io.StringIO()
    for cell in nbformat.read(notebook, as_version=4).cells:
        if cell.cell_type != "code":
            continue
        with redirect_stdout(printed):
            exec(compile(cell.source, f"{notebook.stem}, cell {cell.id}", "exec"), names)
        if "picture" in cell.metadata.get("tags", ()):
            picture = plt.gcf()
    return Ran(names, printed.getvalue(), picture or plt.gcf())


def picture_of(notebook: Path) -> Path:
    """Where the README's picture of a notebook is kept."""
    return FOLDER / "pictures" / f"{notebook.stem}.png"


def draw(figure: Figure, to: Any) -> None:
    """Write a picture, as wide as a page of a code-hosting site."""
    figure.savefig(to, format="png", dpi=90, metadata={"Software": None})


if __name__ == "__main__":
    for each in NOTEBOOKS:
        if not sys.argv[1:] or each.stem in sys.argv[1:]:
            picture_of(each).parent.mkdir(exist_ok=True)
            draw(run(each).picture, picture_of(each))
