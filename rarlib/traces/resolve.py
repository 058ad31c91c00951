"""Where a source's file comes from: raw file, mirror, or its addresses in order; if none has it, the stand-in is used.

A file of the right name but with the wrong checksum is an error, in data/raw and in a mirror alike: going on with
another origin would hide the damage. In a mirror, files that other rows of the lists describe, under any name, are
no error: many workload files share a name, and Sia's profiles hold a copy of one table under the name of Morphling's.
"""

import os
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from rarlib.model.errors import InputError
from rarlib.model.inputs import is_regular
from rarlib.traces import places
from rarlib.traces.digest import digest, matches, verify_checksum
from rarlib.traces.download import NowhereError, download
from rarlib.traces.network import reachable
from rarlib.traces.sources import Source, listed_sources, read_sources


class _Found(NamedTuple):
    """A file's origin.

    Attributes:
        path: the verified file; None when it is not available.
        origin: `raw`, `mirror`, `download`, or why it is not available.
        tried: why each address does not give it, one line for each, if all were asked in vain.
    """

    path: Path | None
    origin: str
    tried: tuple[str, ...] = ()


def at_hand(source: Source) -> _Found | None:
    """The verified file in data/raw or a mirror, without asking the network; None when there is none.

    Raises:
        InputError: a file of that name has the wrong checksum.
    """
    raw = places.raw_folder() / source.file
    if is_regular(raw):
        verify_checksum(raw, source.digest, advice="delete it and run: rarlib sources fetch " + source.name)
        return _Found(raw, "raw")
    mirrored = _in_mirrors(source)
    return _Found(mirrored, "mirror") if mirrored else None


def obtain(source: Source, network: bool | None = None) -> _Found:
    """The verified file from the first origin that has it.

    Args:
        source: the file wanted.
        network: whether downloading is allowed; None: yes, unless RARLIB_OFFLINE forbids it.

    Raises:
        InputError: a wrong checksum anywhere, or a download that broke off.
    """
    found = at_hand(source)
    if found:
        return found
    allowed = not places.switched_off() if network is None else network
    if not allowed:
        return _Found(None, "not at hand, and the network is switched off")
    hosts = [address for files in read_sources().values() for s in files for address in s.addresses]
    try:
        path = download(source, places.raw_folder() / source.file, answers=lambda url: reachable(url, hosts))
    except NowhereError as error:
        return _Found(None, "not at hand, and none of its addresses gives it", error.tried)
    return _Found(path, "download")


def _in_mirrors(source: Source) -> Path | None:
    name = Path(source.file).name
    candidates = [path for folder in places.mirrors() for path in _index(folder).get(name, ())]
    for path in candidates:
        if source.bytes in (None, path.stat().st_size) and matches(path, source.digest):
            return path
    for path in candidates:
        if not _listed(path):
            raise InputError(
                f"wrong checksum for {source.name}: expected {source.digest}, found {digest(path, _kind(source))}; "
                "repair the mirror or remove it from RARLIB_MIRROR",
                file=path,
            )
    return None


def _listed(path: Path) -> bool:
    """Whether a row of the lists describes this file; publishers keep the same content under several names."""
    known = {row.digest for files in listed_sources().values() for row in files}
    return any(digest(path, kind) in known for kind in ("sha256", "git"))


def _kind(source: Source) -> str:
    return source.digest.partition(":")[0]


@lru_cache(maxsize=16)
def _index(folder: Path) -> dict[str, tuple[Path, ...]]:
    """Files below a mirror by name, in a fixed order."""
    found: dict[str, list[Path]] = {}
    for where, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            if is_regular(Path(where) / name):  # neither a pipe nor a link in a loop
                found.setdefault(name, []).append(Path(where) / name)
    return {name: tuple(paths) for name, paths in found.items()}
