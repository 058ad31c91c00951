"""Content of a file, plain or inside a zip, tar or gzip archive.

Members are read straight into memory and nothing is ever unpacked to disk, so a member's path cannot
reach outside a folder. How much one member may hold is bounded.
"""

import gzip
import tarfile
import zipfile
import zlib
from pathlib import Path, PurePosixPath
from typing import IO

from rarlib.model.errors import InputError

MAX_BYTES = 4 * 2**30
"""Most bytes one member may unpack to."""

_KNOWN_LOGS = ("cluster_job_log", "cluster_log.csv")
_BROKEN = (EOFError, zlib.error, zipfile.BadZipFile, tarfile.TarError, gzip.BadGzipFile)


def member_bytes(path: Path, member: str = "", *, max_bytes: int = MAX_BYTES) -> bytes:
    """Bytes of a file, or of one member of an archive.

    Args:
        path: plain file, `.gz`, `.zip`, `.tar.gz` or `.tgz`.
        member: end of the wanted member's path; empty: the job log or the only file in the archive.
        max_bytes: refuse members that unpack to more.

    Raises:
        InputError: no such file or member, a truncated or damaged archive, or too large a member.
    """
    try:
        if path.name.endswith((".tar.gz", ".tgz", ".tar")):
            return _from_tar(path, member, max_bytes)
        if path.suffix == ".zip":
            return _from_zip(path, member, max_bytes)
        if path.suffix == ".gz":
            with gzip.open(path) as stream:
                return _bounded(stream, path, max_bytes)
        return path.read_bytes()
    except (FileNotFoundError, IsADirectoryError):
        raise InputError("no such file", file=path) from None
    except PermissionError:
        raise InputError("cannot be read: permission denied", file=path) from None
    except _BROKEN as error:
        reason = str(error) or type(error).__name__
        raise InputError(f"truncated or damaged archive: {reason}", file=path) from None


def _from_zip(path: Path, member: str, max_bytes: int) -> bytes:
    with zipfile.ZipFile(path) as archive:
        name = _choose([i.filename for i in archive.infolist() if not i.is_dir()], member, path)
        with archive.open(name) as stream:
            return _bounded(stream, path, max_bytes)


def _from_tar(path: Path, member: str, max_bytes: int) -> bytes:
    with tarfile.open(path) as archive:
        name = _choose([m.name for m in archive if m.isfile()], member, path)
        stream = archive.extractfile(name)
        assert stream is not None  # only regular files are chosen
        with stream:
            return _bounded(stream, path, max_bytes)


def _choose(names: list[str], member: str, path: Path) -> str:
    visible = [n for n in names if not PurePosixPath(n).name.startswith(".") and "__MACOSX" not in n]
    if member:
        fits = [n for n in visible if f"/{n}".endswith(f"/{member}")]
    else:
        fits = [n for n in visible if PurePosixPath(n).name in _KNOWN_LOGS] or visible
    if len(fits) == 1:
        return fits[0]
    wanted = member or "exactly one job log"
    shown = ", ".join(sorted(fits or visible)[:6])
    raise InputError(f"should hold {wanted}, found {len(fits)}; unpack the one you want (seen: {shown})", file=path)


def _bounded(stream: IO[bytes] | gzip.GzipFile, path: Path, max_bytes: int) -> bytes:
    data = stream.read(max_bytes + 1)
    if len(data) > max_bytes:
        raise InputError(f"unpacks to more than {max_bytes:,} bytes", file=path)
    return data
