"""Run a notebook with parameters, strictly: papermill only warns when a parameter is unknown, here it is an error."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import nbformat
import papermill
from nbformat import NotebookNode
from papermill.exceptions import PapermillExecutionError

from rarlib.model.errors import InputError


def parameters_of(notebook: Path) -> set[str]:
    """Names that the notebook's `parameters` cell assigns.

    Raises:
        InputError: when the notebook cannot be read or has no such cell.
    """
    content = _read(notebook)
    if not any("parameters" in cell.metadata.get("tags", ()) for cell in content.cells):
        raise InputError("has no cell with the tag 'parameters'", file=notebook)
    return set(papermill.inspect_notebook(str(notebook)))


def run_notebook(notebook: Path, executed: Path, parameters: Mapping[str, Any]) -> None:
    """Execute a notebook and keep the executed copy; a notebook that fails leaves its copy for reading.

    Args:
        notebook: the source, which stays as it is.
        executed: where the executed copy goes; it appears there only when the run succeeded.
        parameters: values for names in the notebook's parameters cell.

    Raises:
        InputError: for an unknown parameter or a cell that fails.
    """
    known = parameters_of(notebook)
    for name in parameters:
        if name not in known:
            raise InputError(
                f"unknown parameter {name!r}; known: {', '.join(sorted(known))}", file=notebook, field="parameters"
            )
    executed.parent.mkdir(parents=True, exist_ok=True)
    part = executed.with_name(f"{executed.stem}.failed.ipynb")
    _tame_threads()
    try:
        papermill.execute_notebook(
            str(notebook), str(part), dict(parameters), kernel_name="python3", progress_bar=False, log_output=False
        )
    except PapermillExecutionError as error:
        raise InputError(
            f"cell {error.exec_count} failed: {error.ename}: {error.evalue} (see {part})", file=notebook
        ) from None
    part.replace(executed)


def is_stripped(notebook: Path) -> bool:
    """Whether the source carries no outputs and no execution counts."""
    cells = [cell for cell in _read(notebook).cells if cell.cell_type == "code"]
    return all(not cell.outputs and cell.execution_count is None for cell in cells)


def _tame_threads() -> None:
    """One job, one core: numerical libraries in the kernel must not each start a thread per core."""
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    # The debugger's frozen-module warning is no concern of a batch run.
    os.environ.setdefault("PYDEVD_DISABLE_FILE_VALIDATION", "1")


def _read(notebook: Path) -> NotebookNode:
    try:
        return nbformat.read(notebook, as_version=4)
    except FileNotFoundError:
        raise InputError("no such file", file=notebook) from None
    except (nbformat.reader.NotJSONError, nbformat.ValidationError) as error:
        raise InputError(f"is no notebook: {str(error).splitlines()[0][:80]}", file=notebook) from None
