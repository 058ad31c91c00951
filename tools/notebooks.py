"""Runs notebooks as a reader does on a fresh checkout, without the pipeline's results: `python -m tools.notebooks`.

Each one must run to its end, offline, with at least one picture; a figure's notebook simulates a small part of its
figure by itself. The executed copies are not kept.
"""

import os
import re
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, NamedTuple

import nbformat
import typer

from artifact.notebook.tables import RESULTS
from artifact.run.notebooks import run_notebook
from rarlib.model.errors import InputError, shown
from rarlib.model.project import ROOT

SLOW_S = 30.0
"""A reader should not wait longer than this for a figure; notebooks that take longer are named."""

LIMIT_S = 300
"""A cell that takes longer than this is ended."""

FOLDERS = (".", "figures", "explore")


class Ran(NamedTuple):
    """How a notebook ran.

    Attributes:
        notebook: the source.
        seconds: from the start of the kernel to its end.
        error: empty if it ran to its end and has a picture.
    """

    notebook: Path
    seconds: float
    error: str


def ran(notebook: Path, folder: Path) -> Ran:
    """Run a notebook into a folder."""
    start = time.monotonic()
    try:
        run_notebook(notebook, folder / notebook.name, {}, cell_s=LIMIT_S)
        error = "" if pictures(folder / notebook.name) else "has no picture"
    except InputError as failed:
        error = str(failed)
    return Ran(notebook, time.monotonic() - start, error)


def pictures(executed: Path) -> int:
    """Number of pictures among the outputs of an executed notebook."""
    cells = [cell for cell in nbformat.read(executed, as_version=4).cells if cell.cell_type == "code"]
    shown = [output.get("data", {}) for cell in cells for output in cell.outputs]
    return sum("image/png" in data or "data:image/png" in "".join(data.get("text/html", "")) for data in shown)


def of_part(notebooks: list[Path], part: str) -> list[Path]:
    """Every N-th notebook from the K-th on, so that the parts hold some of each paper and every notebook is in one.

    Args:
        notebooks: all of them.
        part: `K/N`, with K from 1 to N.

    Raises:
        InputError: not of this form.
    """
    said = re.fullmatch(r"([1-9]\d{0,2})/([1-9]\d{0,2})", part, re.ASCII)
    if said is None or int(said[1]) > int(said[2]):
        raise InputError(f"must be K/N with K from 1 to N, found {shown(part)}", field="--part")
    return notebooks[int(said[1]) - 1 :: int(said[2])]


def main(
    names: Annotated[list[str] | None, typer.Argument(help="Notebooks (without .ipynb); all if none is named.")] = None,
    part: Annotated[str, typer.Option(help="K/N: of N parts of all notebooks, run the K-th only.")] = "1/1",
    workers: Annotated[int, typer.Option(help="Notebooks that run side by side.")] = 1,
) -> None:
    """Run the start page and the notebooks of figures/ and explore/, and list their times; exit code 1 if one fails."""
    found = [path for folder in FOLDERS for path in sorted((ROOT / "notebooks" / folder).glob("*.ipynb"))]
    chosen = of_part([path for path in found if not names or path.stem in names], part)
    if missing := set(names or ()) - {path.stem for path in found}:
        raise InputError(f"no such notebook; known: {', '.join(path.stem for path in found)}", field=min(missing))
    os.environ["RARLIB_OFFLINE"] = "1"
    with TemporaryDirectory() as folder:
        os.environ[RESULTS] = folder
        done = []
        # One notebook for each process: a client that shares its process with others sometimes misses its kernel's end.
        pool = ProcessPoolExecutor(workers, mp_context=get_context("spawn"), max_tasks_per_child=1)
        for each in pool.map(partial(ran, folder=Path(folder)), chosen):
            done.append(each)
            print(f"{each.seconds:6.1f} s  {each.notebook.stem}  {each.error}".rstrip(), flush=True)
    slow = [each.notebook.stem for each in done if each.seconds > SLOW_S]
    left_out = len(found) - len(done)
    if left_out:
        print(f"LEFT OUT: {left_out} of {len(found)} notebooks")
    print(f"{len(done)} notebooks, {sum(each.seconds for each in done):.0f} s; more than {SLOW_S:g} s: {len(slow)}")
    if any(each.error for each in done):
        raise typer.Exit(1)


if __name__ == "__main__":
    typer.run(main)
