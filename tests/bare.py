"""A machine that has nothing but the project: its list of sources and stand-ins, no raw file, mirror or network."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from rarlib.traces import places


@contextmanager
def bare_machine(home: Path) -> Iterator[Path]:
    """Such a machine, with its data folder at `home`."""
    shutil.copytree(places.data_folder() / "standin", home / "standin")
    shutil.copy(places.data_folder() / "sources.tsv", home / "sources.tsv")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RARLIB_DATA", str(home))
        patch.setenv("RARLIB_OFFLINE", "1")
        patch.delenv("RARLIB_MIRROR", raising=False)
        yield home
