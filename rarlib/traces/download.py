"""Downloads: resumed where they stopped, checked, then renamed into place."""

import http.client
import urllib.error
import urllib.request
from pathlib import Path

from tqdm import tqdm

from rarlib.model.errors import InputError
from rarlib.traces.digest import verify
from rarlib.traces.sources import Source

TIMEOUT_S = 30.0
_CHUNK = 2**18


class UnavailableError(Exception):
    """The host cannot be reached, or no longer has the file."""


def download(source: Source, target: Path, *, progress: bool = True) -> Path:
    """Fetch one file to `target`; an earlier partial download beside it (`.part`) is continued.

    Raises:
        UnavailableError: the host refuses or cannot be reached; nothing was received.
        InputError: the transfer broke off (kept, to be resumed) or the content has the wrong checksum (deleted).
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(target.name + ".part")
    try:
        _transfer(source, part, progress)
    except urllib.error.HTTPError as error:
        if error.code != 416:  # 416: the partial file is already as long as the whole
            raise UnavailableError(f"{source.url} answered {error.code} {error.reason}") from None
    except urllib.error.URLError as error:
        raise UnavailableError(f"{source.url}: {error.reason}") from None
    try:
        verify(part, source.digest, advice=f"the download of {source.url} is damaged and was deleted")
    except InputError:
        part.unlink()
        raise
    return part.replace(target)


def _transfer(source: Source, part: Path, progress: bool) -> None:
    have = part.stat().st_size if part.exists() else 0
    request = urllib.request.Request(source.url, headers={"Range": f"bytes={have}-"} if have else {})
    with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:
        have = have if answer.status == 206 else 0  # a server without ranges sends everything again
        length = answer.headers.get("Content-Length")
        total = have + int(length) if length else source.bytes
        bar = tqdm(total=total, initial=have, unit="B", unit_scale=True, desc=source.name, disable=not progress)
        with bar, part.open("ab" if have else "wb") as out:
            try:
                while chunk := answer.read(_CHUNK):
                    out.write(chunk)
                    bar.update(len(chunk))
            except (OSError, http.client.HTTPException):
                pass  # told below, with how far it came
            got = out.tell()
    if total is not None and got < total:
        raise InputError(f"download broke off after {got:,} of {total:,} bytes; run again to resume", file=source.url)
