"""Where data is looked for: the project's `data` folder and the mirrors a user names."""

import os
from pathlib import Path

from rarlib.model.inputs import is_folder
from rarlib.model.project import IS_INSTALLED, ROOT, cache_folder


def data_folder() -> Path:
    """The folder with sources.tsv and standin/: `RARLIB_DATA`, else the project's `data`."""
    named = os.environ.get("RARLIB_DATA")
    return Path(named) if named else ROOT.resolve() / "data"


def raw_folder() -> Path:
    """Where downloads are kept: `raw` in the data folder, or in the user's cache if that is part of an installation."""
    if IS_INSTALLED and not os.environ.get("RARLIB_DATA"):
        return cache_folder() / "raw"
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
