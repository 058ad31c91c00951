"""Checksums of files: sha256, or git's blob id where a publisher states nothing else."""

import hashlib
import os
from pathlib import Path

from rarlib.model.errors import InputError
from rarlib.model.inputs import open_regular


def digest(path: Path, kind: str) -> str:
    """Checksum in the form `sources.tsv` writes it.

    Args:
        path: the file.
        kind: `sha256`, or `git` for sha1 of "blob <bytes>", a zero byte and the content.

    Returns:
        `sha256:<hex>` or `git:<hex>`.
    """
    state = hashlib.sha256()
    with open_regular(path) as stream:
        if kind == "git":
            state = hashlib.sha1(b"blob %d\0" % os.fstat(stream.fileno()).st_size, usedforsecurity=False)
        return f"{kind}:{hashlib.file_digest(stream, lambda: state).hexdigest()}"


def matches(path: Path, expected: str) -> bool:
    """Whether the file has the checksum `expected` (`kind:hex`)."""
    return digest(path, expected.partition(":")[0]) == expected


def verify_checksum(path: Path, expected: str, *, advice: str) -> None:
    """Raise InputError unless the file has the checksum; `advice` says what to do about it."""
    found = digest(path, expected.partition(":")[0])
    if found != expected:
        raise InputError(f"wrong checksum: expected {expected}, found {found}; {advice}", file=path)
