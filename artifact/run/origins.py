"""When data have to be made again: what they come from, and whether a recorded file takes a stand-in's place."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from artifact.run.closure import files_digest
from artifact.run.pipeline import files_of, of_project
from rarlib.traces.places import mirrors, raw_folder
from rarlib.traces.sources import listed_sources, read_sources


def statistics() -> str:
    """Digest of the statistics from which stand-ins are drawn."""
    return files_digest(files_of("data/standin", "*.json"))


def sources() -> str:
    """Digest of these statistics and of the list of recorded files."""
    return files_digest([of_project("data/sources.tsv"), *files_of("data/standin", "*.json")])


def lists_of(names: Iterable[str]) -> str:
    """Digest of the lists that a profile set finds its files with; that of measurements has one of its own."""
    measured = Path(of_project("data/measured.tsv"))
    return sources() if set(names) <= read_sources().keys() or not measured.is_file() else files_digest([measured])


def has_files(names: Iterable[str]) -> bool:
    """Whether files with the right names are in data/raw or a mirror (the job verifies their checksums)."""
    listed = listed_sources()
    for source in (file for name in names for file in listed.get(name, ())):
        name = Path(source.file).name
        if not (raw_folder() / source.file).is_file() and not any(next(m.rglob(name), None) for m in mirrors()):
            return False
    return True


def origin_of(config: Mapping[str, Any], kind: str, data: str) -> str:
    """A parameter that changes only when a recorded file becomes available for data that were a stand-in so far.

    A downloaded file is available afterwards, so a download must not look like a change; nor must a mirror that is gone
    after its file has been read.

    Args:
        config: the configuration.
        kind: `trace` or `profile`.
        data: name of the trace or of the set of profiles.
    """
    names = [data] if kind == "trace" else config["profiles"][data]["sources"]
    path = Path(config["results"].rstrip("/")) / "logs" / kind / f"{data}.origin"
    last = path.read_text(encoding="utf-8").strip() if path.is_file() else "stand-in"
    if last in ("stand-in", "download"):
        return "at hand" if last == "stand-in" and has_files(names) else "download or stand-in"
    return "at hand"
