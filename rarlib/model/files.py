"""Safe file access: files are written completely or not at all, and JSON is read with one clear error."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from rarlib.model import limits
from rarlib.model.errors import InputError
from rarlib.model.inputs import file_bytes, json_value


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


def read_json(path: Path, missing: str = "no such file") -> dict[str, Any]:
    """Read a JSON object; `missing` is the error message if there is no such file.

    Raises:
        InputError: if the file cannot be read, is not valid JSON or holds no object.
    """
    data = json_value(file_bytes(path, limits.JSON_BYTES, missing), file=path)
    if not isinstance(data, dict):
        raise InputError("must be a mapping", file=path)
    return data
