"""Compile the paper of a study, whose numbers are macros from its results."""

import os
import re
import shutil
import subprocess
from pathlib import Path

from rarlib.model.errors import InputError

_EPOCH = "0"
"""The date in a PDF: the same text and results give the same bytes."""
_PROBLEM = re.compile(r"^(?:! .*|.*:\d+: .*|LaTeX Warning: (?:Reference|Citation).*undefined.*)$", re.MULTILINE)


def compile_paper(source: Path, parts: Path) -> Path:
    """Compile a paper into the folder `build` of its results.

    `parts`: folder with numbers, tables, captions and figures (`results/paper`); searched besides that of the source.

    Returns:
        The PDF.

    Raises:
        InputError: LaTeX is missing, or its first error or undefined reference.
    """
    if shutil.which("pdflatex") is None or shutil.which("bibtex") is None:
        raise InputError("needs pdflatex and bibtex, which come with TeX Live", file=source)
    build = parts / "build"
    shutil.rmtree(build, ignore_errors=True)
    build.mkdir(parents=True)
    places = os.pathsep.join([f"{source.parent.resolve()}//", f"{parts.resolve()}//", ""])
    given = {"TEXINPUTS": places, "BIBINPUTS": places, "SOURCE_DATE_EPOCH": _EPOCH, "FORCE_SOURCE_DATE": "1"}
    latex = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-file-line-error", str(source.resolve())]
    for command in (latex, ["bibtex", source.stem], latex, latex):
        ended = subprocess.run(command, cwd=build, env=os.environ | given, capture_output=True, check=False)
        said = ended.stdout.decode("utf-8", "replace")
        if ended.returncode:
            raise InputError(_first(said) or f"{command[0]} failed", file=source)
    if undefined := _first(said):
        raise InputError(undefined, file=source)
    return build / f"{source.stem}.pdf"


def _first(said: str) -> str:
    found = _PROBLEM.search(said)
    return found[0] if found else ""
