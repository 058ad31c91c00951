"""How files that others made are read: regular files only, in chunks, up to a cap; JSON of bounded size.

Whatever a file holds, its reader gets a value or one `InputError` that names the file.
"""

import contextlib
import io
import json
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn, Protocol

from rarlib.model import limits
from rarlib.model.errors import InputError
from rarlib.model.limits import Cap

_CHUNK = 2**20
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
"""The escape of half of a surrogate pair, or of a whole one."""
_SPACE = re.compile(r"[ \t\n\r]*")


def is_regular(path: str | Path) -> bool:
    """Whether there is a regular file; False, not an error, for a path that no file can have."""
    return os.path.isfile(path)  # noqa: PTH113 - Path.is_file raises for names that are too long


def is_folder(path: str | Path) -> bool:
    """Whether there is a folder; False, not an error, for a path that no folder can have."""
    return os.path.isdir(path)  # noqa: PTH112 - as above


def is_there(path: str | Path) -> bool:
    """Whether there is anything; False, not an error, for a path that nothing can have."""
    return os.path.lexists(path) if "\0" not in str(path) else False


def open_regular(path: Path, missing: str = "no such file") -> io.BufferedReader:
    """Open a regular file; a pipe, a device or a folder is refused without waiting for it.

    Args:
        path: the file.
        missing: message of the error if there is none.

    Raises:
        InputError: no such file, not a regular file, or one that cannot be read.
    """
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        try:
            kind = os.fstat(handle).st_mode
            if not stat.S_ISREG(kind):
                what = "is a folder, not a file" if stat.S_ISDIR(kind) else "is not a regular file"
                raise InputError(what, file=path)
            return os.fdopen(handle, "rb")
        except BaseException:
            os.close(handle)
            raise
    except (FileNotFoundError, NotADirectoryError):
        raise InputError(missing, file=path) from None
    except OSError as error:
        raise InputError(f"cannot be read: {(error.strerror or 'unknown error').lower()}", file=path) from None
    except ValueError:
        raise InputError("a path must not hold a NUL", file=path) from None


class Readable(Protocol):
    """What bytes can be read from."""

    def read(self, size: int, /) -> bytes:
        """The next bytes, at most `size`; none at the end."""


def bounded(stream: Readable, file: object, most: int, rule: str = "holds") -> bytes:
    """All that is left in a stream, read in chunks.

    Args:
        stream: the stream.
        file: named in errors.
        most: bytes that are accepted.
        rule: what the stream does if it has more.

    Raises:
        InputError: the stream has more than `most` bytes.
    """
    chunks: list[bytes] = []
    held = 0
    while chunk := stream.read(_CHUNK):
        held += len(chunk)
        if held > most:
            raise InputError(f"{rule} more than {most:,} bytes (see rarlib/model/limits.py)", file=file)
        chunks.append(chunk)
    return b"".join(chunks)


def file_bytes(path: Path, cap: Cap = limits.FILE_BYTES, missing: str = "no such file") -> bytes:
    """Content of a regular file.

    Args:
        path: the file.
        cap: the most bytes that are accepted.
        missing: message of the error if there is no such file.

    Raises:
        InputError: see `open_regular`; a file that is too large.
    """
    with open_regular(path, missing) as stream:
        try:
            return bounded(stream, path, cap.most)
        except OSError as error:
            raise InputError(f"cannot be read: {(error.strerror or 'unknown error').lower()}", file=path) from None


def file_text(path: Path, cap: Cap = limits.FILE_BYTES, missing: str = "no such file") -> str:
    """Content of a regular file of UTF-8 text, line ends as they are; arguments as `file_bytes`.

    Raises:
        InputError: see `file_bytes`; a file that is not text.
    """
    try:
        return file_bytes(path, cap, missing).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError("is not UTF-8 text", file=path) from None


def json_value(text: str | bytes, file: object = None) -> Any:
    """Plain data from JSON text: no NaN, no infinity, no half of a surrogate pair.

    Raises:
        InputError: if the text is not such JSON.
    """
    limits.JSON_BYTES.check(len(text), file=file)
    with _json_errors(file):
        whole = text.decode("utf-8-sig") if isinstance(text, bytes) else text
        value = _JSON.decode(whole)
        if _SURROGATE.search(whole):
            json.dumps(value, ensure_ascii=False).encode()
    return value


def json_entries(data: bytes, file: object) -> Iterator[Any]:
    """The entries of a JSON array, parsed one after the other, so that they are never held all at once.

    Raises:
        InputError: if the data are not a JSON array; inside of it, the row is the 1-based position of the entry.
    """
    window, number = _Window(data, file), 0
    if window.take() != "[":
        raise InputError("must be a JSON array of jobs", file=file)
    mark = window.look()
    if mark == "]":
        window.take()
    while mark != "]":
        number += 1
        yield window.entry(number)
        mark = window.take()
        if mark not in (",", "]"):
            raise InputError("not valid JSON (truncated?): must be followed by ',' or ']'", file=file, row=number)
    if window.look():
        raise InputError("not valid JSON: text after the end of the array", file=file)


class _Window:
    """A part of a JSON text, as long as the longest entry at least, that moves on as entries are taken from it."""

    def __init__(self, data: bytes, file: object) -> None:
        self._rest = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8-sig", newline="")
        self._file, self._ended = file, False
        self._text, self._at = "", 0

    def look(self) -> str:
        """The next character that is not white space; empty at the end."""
        while True:
            self._refill()
            space = _SPACE.match(self._text, self._at)
            self._at = space.end() if space is not None else self._at
            if self._at < len(self._text) or self._ended:
                return self._text[self._at : self._at + 1]

    def take(self) -> str:
        """The same, moving on."""
        mark = self.look()
        self._at += 1
        return mark

    def entry(self, number: int) -> Any:
        """The next value, moving on."""
        self.look()
        most = f" (or an entry of more than {limits.ENTRY_CHARACTERS.most:,} characters)"
        with _json_errors(self._file, number, "" if self._ended else most):
            value, end = _JSON.raw_decode(self._text, self._at)
            if _SURROGATE.search(self._text, self._at, end):
                json.dumps(value, ensure_ascii=False).encode()
        self._at = end
        return value

    def _refill(self) -> None:
        if not self._ended and len(self._text) - self._at < limits.ENTRY_CHARACTERS.most:
            with _json_errors(self._file):
                more = self._rest.read(limits.ENTRY_CHARACTERS.most)
            self._text, self._at, self._ended = self._text[self._at :] + more, 0, not more


@contextlib.contextmanager
def _json_errors(file: object, row: int | None = None, otherwise: str = "") -> Iterator[None]:
    try:
        yield
    except RecursionError:
        raise InputError("not valid JSON: nested too deeply", file=file, row=row) from None
    except UnicodeDecodeError:
        raise InputError("is not UTF-8 text", file=file, row=row) from None
    except UnicodeEncodeError:
        raise InputError("not valid JSON: half of a surrogate pair is no character", file=file, row=row) from None
    except ValueError as error:
        raise InputError(f"not valid JSON (truncated?): {error}{otherwise}", file=file, row=row) from None


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")


_JSON = json.JSONDecoder(parse_constant=_no_constant)
