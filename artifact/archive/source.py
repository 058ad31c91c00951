"""The files that a deposit is made of: those of a commit, or of the folder of a study that is no checkout of git."""

import io
import os
import subprocess
import tarfile
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from artifact.archive.swhid import SourceFile, directory_id
from rarlib.model.errors import InputError

EPOCH = "SOURCE_DATE_EPOCH"
"""Environment variable: time of the files in an archive, in seconds since 1970, where no commit has one."""

_LEFT_OUT = ("results", "build", "__pycache__")
_NO_CHECKOUT = "is no checkout of git: a deposit is made of a commit"


@dataclass(frozen=True)
class Commit:
    """A commit, or files that no commit has.

    Attributes:
        commit: its digest, 40 digits; empty if there is none.
        seconds: its time, in seconds since 1970.
        day: its date, as YYYY-MM-DD in UTC.
    """

    commit: str
    seconds: int
    day: str
    files: dict[str, SourceFile]

    @property
    def directory(self) -> str:
        """Software Heritage identifier of the tree."""
        return directory_id(self.files)


def read_source(root: Path) -> Commit:
    """The commit that is checked out.

    Raises:
        InputError: no checkout of git, files that are not as committed, or a link among the files.
    """
    # Git would find the checkout around a deposit that was unpacked in one.
    if not (root / ".git").exists():
        raise InputError(_NO_CHECKOUT, file=root)
    try:
        if _git(root, "status", "--porcelain").strip():
            raise InputError("files differ from the commit: commit or remove them first, a deposit holds a commit only")
        commit, seconds = _git(root, "log", "-1", "--no-show-signature", "--format=%H %ct").decode().split()
        date = ["log", "-1", "--no-show-signature", "--date=format-local:%Y-%m-%d", "--format=%cd"]
        day = _git(root, *date).decode().strip()
        packed = _git(root, "archive", "--format=tar", commit)
    except (OSError, subprocess.CalledProcessError):
        raise InputError(_NO_CHECKOUT, file=root) from None
    files = {}
    with tarfile.open(fileobj=io.BytesIO(packed)) as tar:
        for member in tar:
            content = tar.extractfile(member) if member.isfile() else None
            if content is not None:
                files[member.name] = SourceFile(content.read(), bool(member.mode & 0o100))
            elif not member.isdir():
                raise InputError("is a link; a deposit holds files only", file=member.name)
    return Commit(commit, int(seconds), day, files)


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


def _git(root: Path, *arguments: str) -> bytes:
    command = ["git", "--no-optional-locks", "-C", str(root), *arguments]
    environment = {"PATH": os.environ.get("PATH", os.defpath), "TZ": "UTC", "HOME": os.environ.get("HOME", "/")}
    return subprocess.run(command, check=True, capture_output=True, env=environment).stdout
