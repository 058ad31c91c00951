"""Whether anything has changed since a run ended well: if not, Snakemake need not be asked what there is to do."""

import json
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from artifact.run.commit import commit_in_words
from rarlib.model.files import write_text

ASKED = "RARLIB_ASKED"
"""Environment variable: the arguments of the run, as JSON."""

RECORD = Path(".snakemake/rarlib-unchanged")
_FOLDERS = ("CITATION.cff", "Snakefile", "artifact", "config", "data", "notebooks", "rarlib", "results", "workflow")
_VARIABLES = ("RARLIB_MIRROR", "RARLIB_DATA", "RARLIB_OFFLINE")
_PLAIN = ("--configfile", "--cores")
"""Options that say what is made; any other one may ask for more than what is missing."""


def state(arguments: Sequence[str]) -> str:
    """Digest of names, sizes and times of all files that a run reads or makes, and of what it was asked for.

    Args:
        arguments: of Snakemake.
    """
    folders = [*_FOLDERS, *filter(None, os.environ.get("RARLIB_MIRROR", "").split(os.pathsep))]
    asked = [*arguments, sys.version, commit_in_words(), *(os.environ.get(name, "") for name in _VARIABLES)]
    found = sorted(line for folder in folders for line in _files(folder))
    return sha256("\n".join([*asked, *found]).encode()).hexdigest()


def remember() -> None:
    """Record the state after a run that ended well, if it was started with plain options."""
    arguments = json.loads(os.environ.get(ASKED, "null"))
    if arguments is not None and _is_plain(arguments):
        write_text(RECORD, state(arguments))


def is_unchanged(arguments: Sequence[str]) -> bool:
    """Whether a run with these arguments has ended well, and nothing has changed since."""
    with suppress(OSError):
        return _is_plain(arguments) and RECORD.read_text(encoding="utf-8") == state(arguments)
    return False


def _is_plain(arguments: Sequence[str]) -> bool:
    """Whether all arguments are plain options and their values: configurations, numbers of cores."""
    return all(each in _PLAIN or each.isdigit() or each.endswith(".yaml") for each in arguments)


def _files(folder: str) -> Iterator[str]:
    for path in [Path(folder), *Path(folder).rglob("*")]:
        if "__pycache__" not in path.parts and path.is_file():
            facts = path.stat()
            yield f"{path} {facts.st_size} {facts.st_mtime_ns}"
