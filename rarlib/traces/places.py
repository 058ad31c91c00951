"""Where data is looked for: the project's `data` folder and the mirrors a user names."""

import os
from pathlib import Path

from rarlib.model.inputs import is_folder


def data_folder() -> Path:
    """The folder with sources.tsv, standin/ and raw/: `RARLIB_DATA`, else `data` beside the package."""
    named = os.environ.get("RARLIB_DATA")
    return Path(named) if named else Path(__file__).resolve().parents[2] / "data"


def raw_folder() -> Path:
    """Where downloads are kept."""
    return data_folder() / "raw"


def mirrors() -> tuple[Path, ...]:
    """Folders named in `RARLIB_MIRROR` (a list as in PATH); those that do not exist are skipped."""
    named = os.environ.get("RARLIB_MIRROR", "").split(os.pathsep)
    return tuple(folder for folder in map(_home_named, filter(None, named)) if is_folder(folder))


def _home_named(name: str) -> Path:
    try:
        return Path(name).expanduser()
    except RuntimeError:  # nobody of that name
        return Path(name)


def switched_off() -> bool:
    """Whether `RARLIB_OFFLINE` turns the network off (any value but empty or 0)."""
    return os.environ.get("RARLIB_OFFLINE", "") not in ("", "0")
