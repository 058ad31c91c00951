"""Runs the code cells of a notebook as plain code."""

import io
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import nbformat


def run_cells(notebook: Path, **given: Any) -> tuple[dict[str, Any], str]:
    """Run all code cells with parameters replaced; the names they leave, and what they print."""
    mpl.use("agg")
    names: dict[str, Any] = {}
    printed = io.StringIO()
    for cell in nbformat.read(notebook, as_version=4).cells:
        if cell.cell_type == "code":
            with redirect_stdout(printed):
                exec(compile(cell.source, f"{notebook.stem}, {cell.id}", "exec"), names)
            if "parameters" in cell.metadata.get("tags", ()):
                assert given.keys() <= names.keys()
                names.update(given)
    plt.close("all")
    return names, printed.getvalue()
