"""The command line inside a process: exit code, and what it prints, as a shell would see them."""

import io
import sys
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from rarlib.cli.main import main
from rarlib.model.errors import InputError

_CONTROL = ("Cc", "Cs", "Zl", "Zp")
_CHECKING = ("verify", "doctor", "evaluate")
"""Commands whose exit code is 1 if what they check fails."""
_TURNS = ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")


class BadEndingError(Exception):
    """A command ended in a way that no page describes."""


class Told(NamedTuple):
    """Exit code and what was printed."""

    code: int
    out: str
    err: str


def run_command(words: Sequence[str]) -> None:
    """Run `rarlib` with these words.

    Raises:
        InputError: it refused them in one line, as it must.
        BadEndingError: exit code, traceback, a message that is not one line of printable text, or words of an input
            that would do something to a terminal.
    """
    told = _told(words)
    lines = [line for line in told.err.splitlines() if line.startswith("error: ")]
    if odd := [line for line in told.out.split("\n") if not is_plain(line)]:
        raise BadEndingError(f"prints what a terminal obeys: {odd[0][:300]!r}")
    if told.code not in (0, 1, 2) or "Traceback" in told.err:
        raise BadEndingError(f"exit code {told.code}: {told.err[-600:]}")
    if len(lines) != (told.code == 2):
        raise BadEndingError(f"{len(lines)} error lines with exit code {told.code}: {told.err[:600]!r}")
    if told.code == 2:
        _check_line(told.err.splitlines()[-1])
        raise InputError(lines[0])
    if told.code == 1 and words[0] not in _CHECKING:
        raise BadEndingError(f"exit code 1 of a command that checks nothing: {told.err[:600]!r}")


def is_plain(text: str) -> bool:
    """Whether text is one line that moves no cursor and turns no writing: no control, mark of direction, half pair."""
    return not any(unicodedata.category(c) in _CONTROL or unicodedata.bidirectional(c) in _TURNS for c in text)


def _check_line(last: str) -> None:
    if not (last.startswith("error: ") and is_plain(last) and len(last) < 2_500):
        raise BadEndingError(f"the last line is no short message: {last[:600]!r}")
    if "not enough memory" in last:
        raise BadEndingError(last)


def _told(words: Sequence[str]) -> Told:
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    with _streams(out, err):
        try:
            main(list(words))
        except SystemExit as end:
            code = end.code
    said = [each.buffer.getvalue().decode("utf-8", "replace") for each in (out, err)]
    return Told(code if isinstance(code, int) else 70, *said)


@contextmanager
def _streams(out: io.TextIOWrapper, err: io.TextIOWrapper) -> Iterator[None]:
    usual = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = out, err
    try:
        yield
    finally:
        sys.stdout, sys.stderr = usual
