"""Content of a file, plain or inside a zip, tar or gzip archive.

Members are read straight into memory and nothing is ever unpacked to disk, so a member's path cannot
reach outside a folder. How much one member may hold, and how far an archive may unpack, is bounded.
"""

import gzip
import io
import lzma
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import IO, Any

from rarlib.model import limits
from rarlib.model.errors import InputError, shown
from rarlib.model.inputs import Readable, bounded, file_bytes, open_regular

_KNOWN_LOGS = ("cluster_job_log", "cluster_log.csv")
_FREE_BYTES = 16 * 2**20
"""Bytes that any archive may unpack to, however small it is."""
_DIRECTORY_BYTES = 16 * 2**20
"""Longest table of contents of a zip that is read."""

DAMAGED = (
    EOFError, OSError, RuntimeError, ValueError, LookupError, ArithmeticError, struct.error, zlib.error, lzma.LZMAError,
    zipfile.BadZipFile, tarfile.TarError,
)  # fmt: skip
"""What libraries raise for archives that are damaged, encrypted, or packed in a way they do not know."""


def member_bytes(path: Path, member: str = "", *, max_bytes: int = limits.FILE_BYTES.most) -> bytes:
    """Bytes of a file, or of one member of an archive.

    Args:
        path: plain file, `.gz`, `.zip`, `.tar.gz` or `.tgz`.
        member: end of the wanted member's path; empty: the job log or the only file in the archive.
        max_bytes: refuse members that unpack to more.

    Raises:
        InputError: no such file or member, a truncated, damaged or encrypted archive, or too large a member.
    """
    reader = _reader(path.name)
    if reader is None:
        return file_bytes(path)
    with open_regular(path) as stream:
        size = stream.seek(0, io.SEEK_END)
        stream.seek(0)
        try:
            return reader(stream, path, member, min(max_bytes, _unpacked(size)))
        except DAMAGED as error:
            reason = shown(str(error))[1:-1] or type(error).__name__
            raise InputError(f"truncated or damaged archive: {reason}", file=path) from None


def open_zip(stream: IO[bytes], file: object) -> zipfile.ZipFile:
    """Open a zip whose table of contents is of a bounded size.

    Raises:
        InputError: too many members.
    """
    size = stream.seek(0, io.SEEK_END)
    stream.seek(max(0, size - 2**16 - 22))
    tail = stream.read()
    end = tail.rfind(b"PK\x05\x06")
    if 0 <= end <= len(tail) - 20 and int.from_bytes(tail[end + 12 : end + 16], "little") > _DIRECTORY_BYTES:
        limits.ARCHIVE_MEMBERS.check(limits.ARCHIVE_MEMBERS.most + 1, file=file)
    archive = zipfile.ZipFile(stream)
    limits.ARCHIVE_MEMBERS.check(len(archive.infolist()), file=file)
    return archive


def _unpacked(size: int) -> int:
    return max(_FREE_BYTES, limits.UNPACKING.most * size)


def _reader(name: str) -> Callable[[IO[bytes], Path, str, int], bytes] | None:
    if name.endswith((".tar.gz", ".tgz", ".tar")):
        return _from_tar
    return {".zip": _from_zip, ".gz": _from_gzip}.get(Path(name).suffix)


def _from_gzip(stream: IO[bytes], path: Path, member: str, most: int) -> bytes:
    with gzip.GzipFile(fileobj=stream) as unpacked:
        return bounded(unpacked, path, most, "unpacks to")


def _from_zip(stream: IO[bytes], path: Path, member: str, most: int) -> bytes:
    with open_zip(stream, path) as archive:
        name = _choose([i.filename for i in archive.infolist() if not i.is_dir()], member, path)
        with archive.open(name) as unpacked:
            return bounded(unpacked, path, most, "unpacks to")


def _from_tar(stream: IO[bytes], path: Path, member: str, most: int) -> bytes:
    size = stream.seek(0, io.SEEK_END)

    def scan() -> tarfile.TarFile:
        stream.seek(0)
        packed: Readable = stream if path.name.endswith(".tar") else gzip.GzipFile(fileobj=stream)
        counted: Any = _Counted(packed, _unpacked(size), path)  # a stream of which nothing but `read` is used
        return tarfile.open(fileobj=counted, mode="r|")

    names = []
    with scan() as archive:
        for number, info in enumerate(archive, 1):
            limits.ARCHIVE_MEMBERS.check(number, file=path)
            if info.isfile():
                names.append(info.name)
    name = _choose(names, member, path)
    with scan() as archive:
        unpacked = next(archive.extractfile(info) for info in archive if info.name == name and info.isfile())
        assert unpacked is not None  # only regular files are chosen
        with unpacked:
            return bounded(unpacked, path, most, "unpacks to")


class _Counted:
    """A stream that refuses to give more than a number of bytes."""

    def __init__(self, stream: Readable, most: int, path: Path) -> None:
        self._stream, self._left, self._most, self._path = stream, most, most, path

    def read(self, size: int) -> bytes:
        data = self._stream.read(size)
        self._left -= len(data)
        if self._left < 0:
            raise InputError(f"unpacks to more than {self._most:,} bytes (see rarlib/model/limits.py)", file=self._path)
        return data


def _choose(names: list[str], member: str, path: Path) -> str:
    visible = [n for n in names if not PurePosixPath(n).name.startswith(".") and "__MACOSX" not in n]
    if member:
        fits = [n for n in visible if f"/{n}".endswith(f"/{member}")]
    else:
        fits = [n for n in visible if PurePosixPath(n).name in _KNOWN_LOGS] or visible
    if len(fits) == 1:
        return fits[0]
    wanted = member or "exactly one job log"
    listed = ", ".join(shown(name)[1:-1] for name in sorted(fits or visible)[:6])
    raise InputError(f"should hold {wanted}, found {len(fits)}; unpack the one you want (seen: {listed})", file=path)
