"""The files that a deposit is made of: those of a commit."""

import io
import os
import subprocess
import tarfile
from dataclasses import dataclass
from pathlib import Path

from artifact.archive.swhid import SourceFile, tree_digest
from rarlib.model.errors import InputError

_NO_CHECKOUT = "is no checkout of git: a deposit is made of a commit"


@dataclass(frozen=True)
class Commit:
    """A commit.

    Attributes:
        commit: its digest, 40 digits.
        seconds: its time, in seconds since 1970.
        day: its date, as YYYY-MM-DD in UTC.
        files: its files by path.
    """

    commit: str
    seconds: int
    day: str
    files: dict[str, SourceFile]

    @property
    def directory(self) -> str:
        """Software Heritage identifier of the tree, `swh:1:dir:...`."""
        return f"swh:1:dir:{tree_digest(self.files)}"


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


def _git(root: Path, *arguments: str) -> bytes:
    command = ["git", "--no-optional-locks", "-C", str(root), *arguments]
    environment = {"PATH": os.environ.get("PATH", os.defpath), "TZ": "UTC", "HOME": os.environ.get("HOME", "/")}
    return subprocess.run(command, check=True, capture_output=True, env=environment).stdout
