"""The entry point to traces: reads a path or a named source into the job table, with its provenance."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any, NamedTuple

from rarlib.model import plugins
from rarlib.model.errors import InputError, nearest, shown
from rarlib.model.inputs import is_folder, is_regular, is_there
from rarlib.model.jobs import Jobs
from rarlib.model.plugins import EntryGroup
from rarlib.traces import standin
from rarlib.traces.archive import member_bytes
from rarlib.traces.digest import digest
from rarlib.traces.formats import (
    acme,
    aiturbo,
    helios,
    hydra,
    own,
    pai,
    philly_log,
    philly_table,
    swf,
    tiresias,
    workload,
)
from rarlib.traces.resolve import obtain
from rarlib.traces.sources import Source, read_sources
from rarlib.traces.table import ParsedTrace

_log = logging.getLogger("rarlib.traces")


class _Format(NamedTuple):
    fits: Callable[[bytes], bool]
    read: Callable[[bytes, str], ParsedTrace]
    header: frozenset[str] = frozenset()


def _table(columns: frozenset[str], read: Callable[[bytes, str], ParsedTrace]) -> _Format:
    return _Format(_headed(columns), read, columns)


def _headed(columns: frozenset[str]) -> Callable[[bytes], bool]:
    return lambda data: columns <= set(_first_line(data).split(","))


def _first_line(data: bytes) -> str:
    line = data[:4096].removeprefix(b"\xef\xbb\xbf").lstrip().partition(b"\n")[0]
    return line.decode("utf-8", "replace").strip().replace('"', "")


_READERS: dict[str, _Format] = {
    philly_log.FORMAT: _Format(lambda data: data[:64].lstrip().startswith((b"[", b"{")), philly_log.read),
    aiturbo.FORMAT: _Format(lambda data: data.startswith(b"PK"), aiturbo.read),
    swf.FORMAT: _Format(swf.fits_swf, swf.read),
    own.FORMAT: _table(own.HEADER, own.read),
    philly_table.FORMAT: _table(philly_table.HEADER, philly_table.read),
    workload.FORMAT: _table(workload.HEADER, workload.read),
    helios.FORMAT: _table(helios.HEADER, helios.read),
    acme.FORMAT: _table(acme.HEADER, acme.read),
    tiresias.FORMAT: _table(tiresias.HEADER, tiresias.read),
    hydra.FORMAT: _table(hydra.HEADER, hydra.read),
}
_ACCEPTED: dict[str, tuple[str, ...]] = {
    **{name: (name,) for name in _READERS},
    "philly": ("philly", "philly-table"),
    "pollux": ("philly-table", "sia"),
}
"""Format a user names -> readers that may take the file, recognised by its first line."""


@cache
def _all_readers() -> dict[str, _Format]:
    """Readers by format, those of installed packages last.

    Raises:
        InputError: two readers of one format, or a package that offers something else.
    """
    own = dict.fromkeys([*_READERS, *_ACCEPTED, pai.FORMAT], "rarlib itself")
    points = plugins.added(EntryGroup.TRACES, own)
    return _READERS | {name: _offered(point) for name, point in points.items()}


def _offered(point: EntryPoint) -> _Format:
    reader = plugins.loaded(point)
    header = getattr(reader, "HEADER", None)
    if getattr(reader, "FORMAT", None) != point.name or not header or not callable(getattr(reader, "read", None)):
        rule = f"must offer FORMAT = {point.name!r}, HEADER (a set of columns) and read(data, file)"
        raise InputError(f"{plugins.whereabouts(point)} {rule}")
    return _table(frozenset(header), reader.read)


def known_formats() -> tuple[str, ...]:
    """Formats that a user may name: `FORMATS`, and those that installed packages read."""
    return (*FORMATS, *(name for name in _all_readers() if name not in _READERS))


_MOST_COMPARED = 40
"""Columns of an unknown header that are compared with those of the formats."""

FORMATS = (*sorted(_ACCEPTED), pai.FORMAT)
"""Formats of rarlib that a user may name."""


@dataclass(frozen=True)
class Trace:
    """A job table and its provenance.

    Attributes:
        jobs: the table.
        provenance: name, format, file (base name), sha256, standin (whether the jobs are made up), read, kept,
            dropped (reason -> rows), starts (calendar time of the first submission), note and limit. The same on
            every machine that has the same file.
        origin: where this machine got it from: raw, mirror, download, file or stand-in. Not part of a result.
    """

    jobs: Jobs
    provenance: dict[str, Any]
    origin: str = "file"


def load_trace(
    trace: str | Path,
    format: str | None = None,
    *,
    seed: int = 0,
    limit: int | None = None,
    network: bool | None = None,
) -> Trace:
    """Read a trace.

    Args:
        trace: name of a source (`rarlib sources list`), or path of a file (or of PAI's folder).
        format: `rarlib` (a CSV file of your own), or that of a public trace (`rarlib simulate --help`); None: found
            from the first line.
        seed: for a stand-in, if one has to replace the source.
        limit: keep the first jobs by submission only.
        network: whether downloading is allowed; None: yes, unless RARLIB_OFFLINE forbids it.

    Raises:
        InputError: what is wrong, with file, row and field.
    """
    if format is not None and format not in known_formats():
        raise InputError(f"unknown format {shown(format)}; known: {', '.join(known_formats())}", file="--format")
    if limit is not None and limit < 1:
        raise InputError(f"must be at least 1, found {limit}", file="--limit")
    sources = {} if is_regular(trace) else read_sources()
    if str(trace) in sources:
        made = _from_source(sources[str(trace)], seed, network)
    elif is_there(trace):
        made = _from_path(Path(trace), format)
    else:
        raise InputError("neither a file nor a source's name; see: rarlib sources list", file=trace)
    cut = made.jobs if limit is None or limit >= len(made.jobs) else made.jobs.take(slice(0, limit))
    return Trace(cut, {**made.provenance, "limit": limit}, made.origin)


def _from_source(files: tuple[Source, ...], seed: int, network: bool | None) -> Trace:
    first = files[0]
    if not first.format:
        raise InputError("this source is a table, not a job trace", file=first.name)
    if first.format not in FORMATS or (first.format == pai.FORMAT and len(files) != 3):
        raise InputError(f"no reader for this source, format {shown(first.format)}", file=first.name)
    found = [obtain(file, network) for file in files]
    missing = [each.origin for each in found if each.path is None]
    if missing:
        for line in (line for each in found for line in each.tried):
            _log.warning("%s: %s", first.name, line)
        if not first.standin:
            raise InputError(f"{missing[0]}; it has no stand-in", file=first.name)
        _log.warning("STAND-IN for %s (%s): these jobs are drawn from statistics, not recorded", first.name, missing[0])
        return _facts(standin.draw(first.standin, seed=seed, jobs=first.jobs), first.name, "stand-in", True)
    paths = [each.path for each in found if each.path is not None]
    if first.format == pai.FORMAT:
        return _pai(dict(zip(("job", "task", "group"), paths, strict=True)), first.name, found[0].origin)
    return _single(paths[0], _ACCEPTED[first.format], first.name, found[0].origin, first.member)


def _from_path(path: Path, format: str | None) -> Trace:
    if format == pai.FORMAT or is_folder(path) or path.name.startswith("pai_"):
        return _pai(pai.tables_in(path), path.name, "file")
    readers = _ACCEPTED.get(format, (format,)) if format else tuple(_all_readers())
    return _single(path, readers, path.name, "file")


def _single(path: Path, readers: tuple[str, ...], name: str, origin: str, member: str = "") -> Trace:
    data = member_bytes(path, member)
    if not data or data.isspace():
        raise InputError("the file is empty", file=path)
    known = _all_readers()
    fitting = [reader for reader in readers if known[reader].fits(data)]
    if not fitting and len(readers) == len(known):
        raise InputError(f"format not recognised{_nearest(data)}; name one of {', '.join(known_formats())}", file=path)
    # If the user named the format, a file that does not fit is still read: the reader says what is missing.
    reader = (fitting or list(readers))[0]
    reading = known[reader].read(data, str(path))
    return _facts((reading, reader, path), name, origin, False)


def _nearest(data: bytes) -> str:
    """Which format's header the first line nearly is, and what it lacks; empty if too much is missing from each."""
    found = [column.strip() for column in _first_line(data).split(",")][:_MOST_COMPARED]
    best, found_near = 0.6, ""
    for name, each in _all_readers().items():
        missing, others = sorted(each.header - set(found)), [column for column in found if column not in each.header]
        likely = {column: nearest(column, others) for column in missing}
        share = 1.0 - sum(0.25 if near else 1.0 for near in likely.values()) / max(len(each.header), 1)
        if each.header and share > best:
            lacks = [f"{column}{f' (is it {near!r}?)' if near else ''}" for column, near in likely.items()]
            best, found_near = share, f": nearly {name}, but without column {', '.join(lacks)}"
    return found_near


def _pai(tables: dict[str, Path], name: str, origin: str) -> Trace:
    return _facts((pai.read(tables), pai.FORMAT, tables["job"]), name, origin, False)


def _facts(made: tuple[ParsedTrace, str, Path], name: str, origin: str, is_standin: bool) -> Trace:
    reading, format, path = made
    provenance = {
        "name": name,
        "format": format,
        "file": path.name,
        "sha256": digest(path, "sha256").partition(":")[2],
        "standin": is_standin,
        "read": reading.read,
        "kept": len(reading.jobs),
        "dropped": reading.dropped,
        "starts": reading.starts,
        "note": reading.note,
    }
    return Trace(reading.jobs, provenance, origin)
