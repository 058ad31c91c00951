"""Safe file access: text is written completely or not at all; text and JSON are read with one clear error."""

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from rarlib.model.errors import InputError


@contextmanager
def written(path: Path) -> Iterator[Path]:
    """Write a file under a temporary name, which is yielded, and rename it, so that it is never half-written.

    Raises:
        InputError: when `path` cannot be written: no such folder, no right to, no space left.
    """
    part = path.with_name(f".{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield part
        part.replace(path)
    except OSError as error:
        raise InputError(f"cannot write there: {error.strerror or error}", file=path) from None
    finally:
        with suppress(OSError):
            part.unlink()


def write_text(path: Path, text: str) -> None:
    """Write a file of text, completely or not at all.

    Raises:
        InputError: as `written`.
    """
    with written(path) as part:
        part.write_text(text, encoding="utf-8", newline="\n")


def read_text(path: Path, missing: str = "no such file") -> str:
    """Read a regular file of UTF-8 text; `missing` is the error message if there is none.

    Raises:
        InputError: a missing file, one that cannot be read, a folder, a pipe or a device, or one that is not text.
    """
    try:
        if not path.is_file():
            raise InputError("is not a regular file" if path.exists() else missing, file=path)
        text = path.read_bytes().decode("utf-8")
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=path) from None
    except UnicodeDecodeError:
        raise InputError("is not UTF-8 text", file=path) from None
    except ValueError:  # the path holds a NUL
        raise InputError(missing, file=path) from None
    if "\0" in text:
        raise InputError("is not text: it holds a NUL", file=path)
    return text


def read_json(path: Path, missing: str = "no such file") -> dict[str, Any]:
    """Read a JSON object; `missing` is the error message if there is no such file.

    Raises:
        InputError: if the file cannot be read as text, is not valid JSON (NaN and infinity are not) or holds no object.
    """
    text = read_text(path, missing)
    try:
        data = json.loads(text, parse_constant=_no_constant)
    except RecursionError:
        raise InputError("not valid JSON: nested too deeply", file=path) from None
    except ValueError as error:
        raise InputError(f"not valid JSON: {error}", file=path) from None
    if not isinstance(data, dict):
        raise InputError("must be a mapping", file=path)
    return data


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no number")
