"""The files of a study as a deposit holds them: those of its commit, or of its folder if it is no checkout of git."""

import os
from datetime import UTC, datetime
from pathlib import Path

from rarlib.archive.source import Commit, read_source
from rarlib.archive.swhid import SourceFile
from rarlib.model.errors import InputError

EPOCH = "SOURCE_DATE_EPOCH"
"""Environment variable: time of the files in an archive, in seconds since 1970, where no commit has one."""

_LEFT_OUT = ("results", "build", "__pycache__")


def read_study_source(folder: Path) -> Commit:
    """The files of a study; without git the commit is empty, and the day is that of the newest file, or of `EPOCH`.

    Folders with results and files whose names begin with a dot, except `.gitignore`, are left out.

    Raises:
        InputError: files that are not as committed, or a link among the files.
    """
    return read_source(folder) if (folder / ".git").exists() else read_folder(folder)


def read_folder(folder: Path) -> Commit:
    """The files of a study as they are, whether or not a commit has them; see `read_study_source`."""
    files, newest = {}, 0
    for place, inside, names in os.walk(folder):
        inside[:] = sorted(name for name in inside if not name.startswith(".") and name not in _LEFT_OUT)
        for name in sorted(name for name in names if not name.startswith(".") or name == ".gitignore"):
            path = Path(place) / name
            if path.is_symlink():
                raise InputError("is a link; a deposit holds files only", file=path.relative_to(folder))
            files[path.relative_to(folder).as_posix()] = SourceFile(path.read_bytes(), os.access(path, os.X_OK))
            newest = max(newest, int(path.stat().st_mtime))
    seconds = int(os.environ.get(EPOCH) or newest)
    return Commit("", seconds, datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d"), files)
