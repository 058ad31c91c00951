"""Safe file access: text is written completely or not at all, and JSON is read with one clear error."""

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

from rarlib.model.errors import InputError


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
        InputError: if the file is missing, is not valid JSON or holds no object.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(missing, file=path) from None
    except (OSError, ValueError) as error:
        raise InputError(f"not valid JSON: {error}", file=path) from None
    if not isinstance(data, dict):
        raise InputError("must be a mapping", file=path)
    return data
