"""A data folder of a user's own: the project's lists and stand-ins, with files of a case in the place of recorded ones.

A command that is given such a folder looks for data there only, so a case needs no mirror and no network.
"""

import csv
import io
import os
import shutil
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

from rarlib.model.project import ROOT
from rarlib.traces.digest import digest

LISTS = ("sources.tsv", "measured.tsv")
DATA, PROJECT = "data", "project"
"""Folders of a case: what lies below `data`, and what a changed checkout has in the place of the project's files."""


@contextmanager
def data_of(inputs: Path, mirror: str = "") -> Iterator[None]:
    """Let the data folder be one with the files of a case; lists that the case does not bring state their digests.

    Args:
        inputs: folder of the case.
        mirror: what `RARLIB_MIRROR` says.
    """
    home = Path(DATA).absolute()
    given = inputs / DATA
    shutil.copytree(ROOT / "data" / "standin", home / "standin")
    if given.is_dir():
        shutil.copytree(given, home, dirs_exist_ok=True)
    for name in LISTS:
        if not (home / name).exists():
            whole = (ROOT / "data" / name).read_text(encoding="utf-8")
            (home / name).write_text(with_digests(whole, home / "raw"), encoding="utf-8")
    with patch.dict(os.environ, {"RARLIB_DATA": str(home), "RARLIB_MIRROR": mirror}):
        yield


@contextmanager
def project_of(inputs: Path, parts: Collection[str], *where: str) -> Iterator[None]:
    """Let the project be one with the files of a case.

    Args:
        inputs: folder of the case.
        parts: files and folders of the project that are read.
        where: names of `ROOT` in the modules that read them.
    """
    home = Path(PROJECT).absolute()
    for part in parts:
        copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy
        (home / part).parent.mkdir(parents=True, exist_ok=True)
        copy(ROOT / part, home / part)
    if (inputs / PROJECT).is_dir():
        shutil.copytree(inputs / PROJECT, home, dirs_exist_ok=True)
    changed = [patch(name, home) for name in where]
    for each in changed:
        each.start()
    try:
        yield
    finally:
        for each in changed:
            each.stop()


def with_digests(listed: str, raw: Path) -> str:
    """A list of sources that states size and digest of the files that are there, as their owner would."""
    rows = list(csv.DictReader(io.StringIO(listed), delimiter="\t"))
    for row in rows:
        file = raw / row["file"]
        if file.is_file():
            row |= {"digest": digest(file, "sha256"), "bytes": str(file.stat().st_size), "member": "-"}
    out = io.StringIO()
    table = csv.DictWriter(out, list(rows[0]), delimiter="\t", lineterminator="\n")
    table.writeheader()
    table.writerows(rows)
    return out.getvalue()


def left_behind(*allowed: str) -> list[str]:
    """What lies in the folder of outputs, but for what the case itself has put there or may write."""
    return sorted(path.name for path in Path().iterdir() if path.name not in (DATA, PROJECT, *allowed))
