"""The list of sources, `data/sources.tsv`: one row per file, rows of one name belong together."""

import csv
import io
import re
from pathlib import Path
from typing import NamedTuple

from rarlib.model import limits
from rarlib.model.errors import InputError
from rarlib.model.inputs import file_text
from rarlib.traces.places import data_folder

_DIGEST = re.compile("sha256:[0-9a-f]{64}|git:[0-9a-f]{40}")


class Source(NamedTuple):
    """One file of a source, a row of sources.tsv (`-` there reads as empty here).

    Attributes:
        name: what `--trace` and `rarlib sources` call it.
        format: the reader for it; empty for tables that are not job traces.
        jobs: number of jobs in it, where that is known.
        standin: profile in data/standin that stands in for it; empty: none.
        bytes: size, where that is known.
        licence: the publisher's.
        citation: the paper to cite.
        file: path below data/raw; its last part is the name mirrors are searched for.
        member: end of a path inside the archive.
        digest: `sha256:<hex>`, or `git:<hex>` for a git blob id.
        url: where to download it, pinned to a commit where the host has commits.
        also: further addresses, separated by spaces, for the day on which the first is dead; `#PATH` after one names
            the end of the path of a member of the tar archive there. The checksum decides whether one is right.
    """

    name: str
    format: str
    jobs: int | None
    standin: str
    bytes: int | None
    licence: str
    citation: str
    file: str
    member: str
    digest: str
    url: str
    also: str = ""

    @property
    def addresses(self) -> tuple[str, ...]:
        """Where to download it, in the order in which the addresses are asked."""
        return (self.url, *self.also.split())


def read_sources(path: Path | None = None) -> dict[str, tuple[Source, ...]]:
    """All sources by name, in the order of the list.

    Raises:
        InputError: when the list is missing or a row breaks its rules.
    """
    path = path or data_folder() / "sources.tsv"
    text = file_text(path, limits.LIST_BYTES, "no such file; name the data folder in RARLIB_DATA")
    found: dict[str, list[Source]] = {}
    rows = csv.DictReader(io.StringIO(text, newline=""), delimiter="\t")
    try:
        if tuple(rows.fieldnames or ()) != Source._fields:
            raise InputError(f"columns must be {', '.join(Source._fields)}", file=path, row=1)
        for row in rows:
            found.setdefault(row["name"], []).append(_source(row, path, rows.line_num))
    except csv.Error as error:
        raise InputError(f"not a table: {error}", file=path, row=rows.line_num) from None
    return {name: tuple(files) for name, files in found.items()}


def listed_sources() -> dict[str, tuple[Source, ...]]:
    """Sources of both lists by name: job traces and profiles, and files with what others measured (`measured.tsv`).

    Raises:
        InputError: as `read_sources`.
    """
    measured = data_folder() / "measured.tsv"
    return read_sources() | (read_sources(measured) if measured.is_file() else {})


def _source(row: dict[str, str], path: Path, line: int) -> Source:
    if None in row.values() or None in row:
        raise InputError(f"must hold {len(Source._fields)} fields", file=path, row=line)
    values = {key: "" if value == "-" else value for key, value in row.items()}
    if not _DIGEST.fullmatch(values["digest"]):
        raise InputError("must be sha256:<64 hex digits> or git:<40 hex digits>", file=path, row=line, field="digest")
    if Path(values["file"]).is_absolute() or ".." in Path(values["file"]).parts:
        raise InputError("must stay below data/raw", file=path, row=line, field="file")
    counts = {field: int(values[field]) if values[field] else None for field in ("jobs", "bytes")}
    return Source(**{**values, **counts})  # type: ignore[arg-type]
