"""Downloads: resumed where they stopped, checked, then renamed into place."""

import http
import http.client
import re
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tqdm import tqdm

from rarlib.model import limits
from rarlib.model.errors import InputError
from rarlib.traces.digest import verify_checksum
from rarlib.traces.network import open_url
from rarlib.traces.sources import Source

TIMEOUT_S = 20.0
_CHUNK = 2**18
_WHOLE = re.compile("[0-9]{1,15}")


class UnavailableError(Exception):
    """The host cannot be reached, or no longer has the file."""


def download(source: Source, target: Path, *, progress: bool = True) -> Path:
    """Fetch one file to `target`; an earlier partial download beside it (`.part`) is continued.

    Raises:
        UnavailableError: the host refuses or cannot be reached; nothing was received.
        InputError: the transfer broke off (kept, to be resumed), sent more than the source has, or the content has the
            wrong checksum (both deleted).
    """
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with _alone(target):
            if not target.is_file():  # another process may have fetched it meanwhile
                _fetch(source, target, progress)
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror or error}", file=target) from None
    return target


@contextmanager
def _alone(target: Path) -> Iterator[None]:
    """One process at a time: two writing to one partial file would damage it."""
    import fcntl  # noqa: PLC0415 - not every platform that can read traces has it

    with target.with_name(f".{target.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _fetch(source: Source, target: Path, progress: bool) -> None:
    part = target.with_name(target.name + ".part")
    have = part.stat().st_size if part.exists() else 0
    answer = _ask(source.url, have)
    if answer is not None:
        with answer:
            _transfer(answer, have, part, source, progress)
    try:
        verify_checksum(part, source.digest, advice=f"the download of {source.url} is damaged and was deleted")
    except InputError:
        part.unlink()
        raise
    part.replace(target)


def _ask(url: str, have: int) -> http.client.HTTPResponse | None:
    """The server's answer for the bytes from `have` on; None when it says that there are no more."""
    try:
        request = urllib.request.Request(url, headers={"Range": f"bytes={have}-"} if have else {})
        return open_url(request, TIMEOUT_S)
    except urllib.error.HTTPError as error:
        if error.code == http.HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
            return None
        raise UnavailableError(f"{url} answered {error.code} {error.reason}") from None
    except (OSError, ValueError, http.client.HTTPException) as error:
        raise UnavailableError(f"{url}: {error}") from None


def _transfer(answer: http.client.HTTPResponse, have: int, part: Path, source: Source, progress: bool) -> None:
    have = have if answer.status == http.HTTPStatus.PARTIAL_CONTENT else 0  # without ranges, everything comes again
    length = answer.headers.get("Content-Length", "")
    total = have + int(length) if _WHOLE.fullmatch(length) else source.bytes
    most = source.bytes if source.bytes is not None else limits.DOWNLOAD_BYTES.most
    bar = tqdm(total=total, initial=have, unit="B", unit_scale=True, desc=source.name, disable=not progress)
    with bar, part.open("ab" if have else "wb") as out:
        got = out.tell()
        while got <= most and (chunk := _next_chunk(answer)):
            out.write(chunk)
            bar.update(len(chunk))
            got += len(chunk)
    if got > most:
        part.unlink()
        raise InputError(f"sends more than {most:,} bytes, which the download was stopped for", file=source.url)
    if total is not None and got < min(total, most):
        raise InputError(f"download broke off after {got:,} of {total:,} bytes; run again to resume", file=source.url)


def _next_chunk(answer: http.client.HTTPResponse) -> bytes:
    try:
        return answer.read(_CHUNK)
    except (OSError, http.client.HTTPException):
        return b""  # the caller reports it, with the bytes received so far
