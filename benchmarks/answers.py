"""How long the figures' controls take to answer, each value of each control alone: `python benchmarks/answers.py`.

Results that are not there are made from a small part, as for a reader. Every notebook has a process of its own.
"""

import io
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import redirect_stdout
from multiprocessing import get_context
from pathlib import Path
from typing import Any
from unittest.mock import patch

import nbformat
import pandas as pd

from artifact.notebook import play
from rarlib.model.project import ROOT

_Controls = tuple[Callable[..., Any], dict[str, Sequence[Any]]]
NOTEBOOKS = [
    path
    for path in sorted((ROOT / "notebooks/figures").glob("*.ipynb"))
    if re.search(r"\bplay\(", path.read_text(encoding="utf-8"))
]


def played(notebook: Path) -> _Controls:
    """What a notebook draws at each move, and the values of its controls; all of its cells are run."""
    found: list[_Controls] = []
    names: dict[str, Any] = {}
    with patch.object(play, "play", lambda draw, alt="", **values: found.append((draw, values))):
        for cell in nbformat.read(notebook, as_version=4).cells:
            if cell.cell_type == "code":
                exec(compile(cell.source, f"{notebook.stem}, {cell.id}", "exec"), names)
    (only,) = found
    return only


def _answers(notebook: Path) -> Iterator[tuple[str, str, str, float]]:
    """Notebook, control, value and seconds of each answer but the first."""
    draw, controls = played(notebook)
    first = {name: values[0] for name, values in controls.items()}
    play._draw(draw, "", first)
    for name, values in controls.items():
        for value in values[1:]:
            begin = time.perf_counter()
            play._draw(draw, "", first | {name: value})
            yield notebook.stem, name, str(value), time.perf_counter() - begin


def measured(notebook: Path) -> list[tuple[str, str, str, float]]:
    """See `_answers`; what cells print is not shown."""
    with redirect_stdout(io.StringIO()):
        return list(_answers(notebook))


if __name__ == "__main__":
    with ProcessPoolExecutor(1, get_context("spawn"), max_tasks_per_child=1) as pool:
        rows = [row for each in pool.map(measured, NOTEBOOKS) for row in each]
    table = pd.DataFrame(rows, columns=["notebook", "control", "value", "seconds"]).sort_values("seconds")
    sys.stdout.write(f"{table.to_string(index=False)}\n{table['seconds'].describe()}\n")
