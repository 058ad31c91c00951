"""Safe file access: text is written completely or not at all, and JSON is read with one clear error."""

from contextlib import suppress
from pathlib import Path
from typing import Any

from rarlib.model import limits
from rarlib.model.errors import InputError
from rarlib.model.inputs import file_bytes, json_value


def write_text(path: Path, text: str) -> None:
    """Write a file under a temporary name and rename it, so that it is never half-written.

    Raises:
        InputError: when `path` cannot be written.
    """
    part = path.with_name(f".{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(text, encoding="utf-8", newline="\n")
        part.replace(path)
    except OSError as error:
        with suppress(OSError):
            part.unlink()
        raise InputError(f"cannot write there: {error.strerror}", file=path) from None


def read_json(path: Path, missing: str = "no such file") -> dict[str, Any]:
    """Read a JSON object; `missing` is the error message if there is no such file.

    Raises:
        InputError: if the file cannot be read, is not valid JSON or holds no object.
    """
    data = json_value(file_bytes(path, limits.JSON_BYTES, missing), file=path)
    if not isinstance(data, dict):
        raise InputError("must be a mapping", file=path)
    return data
