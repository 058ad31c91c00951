"""Takes one file from one address, or from an archive at that address, within limits of size, pace and waiting."""

import http
import http.client
import re
import tarfile
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import IO, Any
from urllib.parse import urldefrag

from tqdm import tqdm

from rarlib.model import limits
from rarlib.model.errors import InputError
from rarlib.traces.archive import DAMAGED
from rarlib.traces.network import open_url
from rarlib.traces.sources import Source

TIMEOUT_S = 20.0
"""Longest wait for an answer, and for the next bytes of it."""
PATIENCE_S = 60.0
"""Seconds before the pace of a transfer counts."""
SLOWEST_BYTES_PER_S = 10_000
_CHUNK = 2**18
_WHOLE = re.compile("[0-9]{1,15}")
_DAMAGED = tuple(error for error in DAMAGED if error is not OSError)
"""A disk that is full is no fault of the archive."""


class UnavailableError(Exception):
    """The host cannot be reached, or does not have the file."""


def transfer(url: str, part: Path, source: Source, *, progress: bool) -> None:
    """Write what an address sends to `part`; what is there already is continued.

    Args:
        url: where to ask. A fragment (`https://host/all.tar.gz#folder/file`) names the end of the path of a member of
            the tar archive at the address, which is read up to that member and never kept.
        part: the file to write to or to continue.
        source: the file's row in the list.
        progress: whether to show a bar.

    Raises:
        UnavailableError: the host refuses or cannot be reached, or its archive has no such member; nothing is kept.
        InputError: the transfer broke off or was too slow (`part` is kept, to be continued), or the host sent more than
            the source has (`part` is deleted).
    """
    address, member = urldefrag(url)
    if member:
        part.unlink(missing_ok=True)  # an archive can only be read from its beginning
    have = part.stat().st_size if part.exists() else 0
    answer = _ask(address, have)
    if answer is None:
        return
    have = have if answer.status == http.HTTPStatus.PARTIAL_CONTENT else 0  # without ranges, everything comes again
    length = answer.headers.get("Content-Length", "")
    total = have + int(length) if _WHOLE.fullmatch(length) else None if member else source.bytes
    bar: tqdm[Any] = tqdm(total=total, initial=have, unit="B", unit_scale=True, desc=source.name, disable=not progress)
    with answer, bar:
        stream = _Metered(answer, bar, url)
        if member:
            _write_member(stream, member, part, source, url)
        else:
            _write(stream, have, part, source, url)
            got, most = part.stat().st_size, _most(source)
            if total is not None and got < min(total, most):
                raise InputError(f"download broke off after {got:,} of {total:,} bytes; run again to resume", file=url)


def _ask(url: str, have: int) -> http.client.HTTPResponse | None:
    """The server's answer for the bytes from `have` on; None when it says that there are no more."""
    try:
        request = urllib.request.Request(url, headers={"Range": f"bytes={have}-"} if have else {})
        return open_url(request, TIMEOUT_S)
    except urllib.error.HTTPError as error:
        if have and error.code == http.HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
            return None
        raise UnavailableError(f"{url} answered {error.code} {' '.join(str(error.reason).split())}") from None
    except (OSError, ValueError, http.client.HTTPException) as error:
        raise UnavailableError(f"{url}: {error}") from None


def _most(source: Source) -> int:
    return source.bytes if source.bytes is not None else limits.DOWNLOAD_BYTES.most


def _write(stream: IO[bytes] | "_Metered", have: int, part: Path, source: Source, url: str) -> None:
    most = _most(source)
    with part.open("ab" if have else "wb") as out:
        got = out.tell()
        while got <= most and (chunk := stream.read(_CHUNK)):
            out.write(chunk)
            got += len(chunk)
    if got > most:
        part.unlink()
        raise InputError(f"sends more than {most:,} bytes, which the download was stopped for", file=url)


def _write_member(stream: "_Metered", member: str, part: Path, source: Source, url: str) -> None:
    try:
        # Only `read` of the stream is used.
        with tarfile.open(fileobj=stream, mode="r|*") as archive:  # type: ignore[call-overload]
            for number, info in enumerate(archive, 1):
                limits.SNAPSHOT_MEMBERS.check(number, file=url)
                if info.isfile() and f"/{info.name}".endswith(f"/{member}"):
                    content = archive.extractfile(info)
                    assert content is not None  # a regular file
                    return _write(content, 0, part, source, url)
    except _DAMAGED as error:
        part.unlink(missing_ok=True)
        raise UnavailableError(f"{url}: truncated or damaged archive ({type(error).__name__})") from None
    raise UnavailableError(f"{url}: the archive has no such member")


class _Metered:
    """The bytes of an answer, counted; a transfer that is too long or too slow is ended."""

    def __init__(self, answer: http.client.HTTPResponse, bar: "tqdm[Any]", url: str) -> None:
        self._answer, self._bar, self._url = answer, bar, url
        self._got, self._start = 0, time.monotonic()

    def read(self, size: int) -> bytes:
        """At most `size` bytes, as soon as any are there; none at the end, and where the connection broke.

        Raises:
            InputError: more than any snapshot holds, or too slow.
        """
        try:
            data = self._answer.read1(size)
        except (OSError, http.client.HTTPException):
            return b""  # the caller reports it, with the bytes received so far
        self._got += len(data)
        self._bar.update(len(data))
        limits.SNAPSHOT_BYTES.check(self._got, file=self._url)
        elapsed = time.monotonic() - self._start
        if data and elapsed > PATIENCE_S and self._got < SLOWEST_BYTES_PER_S * elapsed:
            raise InputError(
                f"download too slow: {self._got:,} bytes in {elapsed:.0f} s; run again to resume, "
                "or set RARLIB_OFFLINE=1 to do without",
                file=self._url,
            )
        return data
