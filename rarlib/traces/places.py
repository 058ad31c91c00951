"""Where data is looked for: the project's `data` folder and the mirrors a user names."""

import os
from pathlib import Path

from rarlib.model.errors import InputError
from rarlib.model.inputs import is_folder
from rarlib.model.project import ROOT


def data_folder() -> Path:
    """The folder with sources.tsv and standin/: `RARLIB_DATA`, else the project's `data`.

    Raises:
        InputError: if the library is installed without a checkout and `RARLIB_DATA` names no folder.
    """
    named = os.environ.get("RARLIB_DATA")
    if named:
        return Path(named)
    folder = ROOT.resolve() / "data"
    if not is_folder(folder):
        raise InputError("lies in a checkout only; name its folder `data` in RARLIB_DATA", file=folder)
    return folder


def raw_folder() -> Path:
    """Where downloads are kept: `raw` in the data folder."""
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
