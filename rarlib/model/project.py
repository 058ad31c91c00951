"""Where the files of the project are: data, configuration, and whatever else lies beside the packages."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[2]
"""Folder of the checkout; where only the library is installed, the folder of the installed packages."""

STUDY = "RARLIB_STUDY"
"""Environment variable that the pipeline of a study sets: the folder of what it states in place of the project."""

DERIVED = "study"
"""Folder of a study's results with what was derived from `study.yaml` in place of the project's files."""


def placed_file(path: str) -> Path:
    """Where a file of the project is: in the folder that `STUDY` names if it has one of this path, else in `ROOT`."""
    study = os.environ.get(STUDY)
    own = Path(study) / path if study else None
    return own if own is not None and own.exists() else ROOT / path


@contextmanager
def study_of(results: Path) -> Iterator[None]:
    """Let `placed_file` give the files of a study meanwhile, if a results folder is one of a study."""
    before = os.environ.get(STUDY)
    if (results / DERIVED).is_dir():
        os.environ[STUDY] = str((results / DERIVED).resolve())
    try:
        yield
    finally:
        if before is None:
            os.environ.pop(STUDY, None)
        else:
            os.environ[STUDY] = before


def cache_folder() -> Path:
    """The user's folder for what can be made or fetched again: below `XDG_CACHE_HOME`, else below `~/.cache`.

    Raises:
        RuntimeError: if the user has no home folder.
    """
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "rarlib"


def kernel_folder() -> Path:
    """Where compiled kernels are kept: the folder that `NUMBA_CACHE_DIR` names, else a part of `cache_folder`."""
    return Path(os.environ.get("NUMBA_CACHE_DIR") or cache_folder() / "kernels")
