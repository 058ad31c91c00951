"""Run a notebook with parameters, strictly: papermill only warns of an unknown parameter; here it is an error."""

import ast
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from shutil import copy, copytree
from tempfile import TemporaryDirectory
from typing import Any

import nbformat
import papermill
from jupyter_client.manager import AsyncKernelManager
from nbclient.exceptions import CellTimeoutError, DeadKernelError
from nbformat import NotebookNode
from papermill.exceptions import PapermillExecutionError
from traitlets import Float

from artifact.plot.learn.slider import PAGE
from artifact.run.forks import ONE_CORE
from artifact.run.jobs import limit
from rarlib.model.errors import InputError
from rarlib.traces.places import data_folder

_START_S = 600
"""A kernel has to answer within this time, s; on a machine under load it takes a minute."""

_STARTS = 3
_UNANSWERED = "died before replying"


def parameters_of(notebook: Path) -> dict[str, Any]:
    """Names that the notebook's `parameters` cell assigns, with their values.

    Raises:
        InputError: when the notebook cannot be read or has no such cell.
    """
    content = _read(notebook)
    if not any("parameters" in cell.metadata.get("tags", ()) for cell in content.cells):
        raise InputError("has no cell with the tag 'parameters'", file=notebook)
    found = papermill.inspect_notebook(str(notebook))
    return {name: _value(said["default"]) for name, said in found.items()}


def _value(text: str) -> Any:
    """The value of a literal; what is no literal stays as it is written."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def run_notebook(
    notebook: Path, executed: Path, parameters: Mapping[str, Any], log: Path | None = None, cell_s: int | None = None
) -> None:
    """Execute a notebook and keep the executed copy; a notebook that fails leaves its copy for inspection.

    Args:
        notebook: the source, which is not changed.
        executed: path of the executed copy, which appears only if the run succeeds.
        parameters: values for names in the notebook's parameters cell; only those that differ from it are injected.
        log: log of the job; a notebook that exceeds the job's time limit writes there where it was.
        cell_s: seconds after which a cell is ended; None: no limit.

    Raises:
        InputError: for an unknown parameter, a cell that fails or one that takes too long, or a copy that cannot be
            written.
    """
    known = parameters_of(notebook) if parameters else {}
    for name in parameters:
        if name not in known:
            raise InputError(
                f"unknown parameter {name!r}; known: {', '.join(sorted(known))}", file=notebook, field="parameters"
            )
    other = {name: value for name, value in parameters.items() if value != known[name]}
    part = executed.with_name(f"{executed.stem}.failed.ipynb")
    # The debugger's warning about frozen modules is irrelevant in a batch run.
    os.environ |= ONE_CORE | {"PYDEVD_DISABLE_FILE_VALIDATION": "1"} | dict(os.environ)
    try:
        executed.parent.mkdir(parents=True, exist_ok=True)
        _execute(notebook, part, other, cell_s, _limited(log.resolve()) if log else [])
    except PapermillExecutionError as error:
        raise InputError(
            f"cell {error.exec_count} failed: {error.ename}: {error.evalue} (see {part})", file=notebook
        ) from None
    except CellTimeoutError:
        raise InputError(f"a cell took longer than {cell_s} s (see {part})", file=notebook) from None
    except DeadKernelError:
        raise InputError(
            f"its kernel was ended from outside, or ran out of memory (see {part})", file=notebook
        ) from None
    except OSError as error:
        raise InputError(f"cannot write there: {error.strerror or error}", file=error.filename or part) from None
    part.replace(executed)


class _Kernel(AsyncKernelManager):
    """Starts `artifact.run.kernel` in the place of IPython's own program, and lets it end in peace."""

    shutdown_wait_time = Float(60.0)

    def format_kernel_cmd(self, extra_arguments: list[str] | None = None) -> list[str]:
        command = super().format_kernel_cmd(extra_arguments)
        return [sys.executable, "-m", "artifact.run.kernel", *command[command.index("-f") :]]


def _execute(
    notebook: Path, part: Path, parameters: Mapping[str, Any], cell_s: int | None, arguments: list[str]
) -> None:
    """Execute a notebook in a new kernel; one that ends before it answers is started again.

    A kernel is told free ports, which another program may have taken by the time that it listens.
    """
    for left in reversed(range(_STARTS)):
        try:
            papermill.execute_notebook(
                str(notebook),
                str(part),
                dict(parameters),
                kernel_name="python3",
                kernel_manager_class=_Kernel,
                progress_bar=False,
                log_output=False,
                start_timeout=_START_S,
                execution_timeout=cell_s,
                extra_arguments=arguments,
            )
        except RuntimeError as error:
            if not left or _UNANSWERED not in str(error):
                raise
        else:
            return


def run_tutorial(notebook: Path, executed: Path, log: Path | None = None) -> None:
    """Execute a tutorial that will become a page: without sliders, and on stand-ins."""
    outside = dict(os.environ)
    with TemporaryDirectory() as home:
        copytree(data_folder() / "standin", Path(home) / "standin")
        copy(data_folder() / "sources.tsv", home)
        os.environ |= {PAGE: "1", "RARLIB_DATA": home, "RARLIB_OFFLINE": "1", "RARLIB_MIRROR": ""}
        try:
            run_notebook(notebook, executed, {}, log)
        finally:
            os.environ.clear()
            os.environ |= outside


def _limited(log: Path) -> list[str]:
    """Arguments with which the kernel applies the limit to itself: it would outlive the process that waits for it."""
    limit(log, grace_s=60)
    return [f"--IPKernelApp.exec_lines=from artifact.run.jobs import limit as _limit; _limit({str(log)!r})"]


def _read(notebook: Path) -> NotebookNode:
    try:
        return nbformat.read(notebook, as_version=4)
    except FileNotFoundError:
        raise InputError("no such file", file=notebook) from None
    except (nbformat.reader.NotJSONError, nbformat.ValidationError) as error:
        raise InputError(f"is not a notebook: {str(error).splitlines()[0][:80]}", file=notebook) from None
