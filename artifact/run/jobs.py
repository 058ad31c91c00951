"""What every job of the pipeline has in common: a log of its own, a time limit, one line on the screen."""

import contextlib
import faulthandler
import os
import re
import resource
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TextIO

from rarlib.model.errors import InputError, ending

# Reading notebooks imports jsonschema, which would spend 2 s on a grammar of international addresses that is not used.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]

LIMIT = "RARLIB_MINUTES"
"""Environment variable: time limit of a job in minutes. As a parameter of the rules it would re-run finished jobs."""
LEFT_OUT = "LEFT OUT"
"""Begins a message that names a scheduler that failed; the run goes on without it."""
ENDED = "ended well"
"""Begins the last line of a successful job's log, with its costs; a job that was killed has not written it."""
ERASE = "\r\x1b[K"
"""Terminal code that clears the current line, which holds the progress line."""

# What faulthandler writes above the tracebacks.
_TOO_LONG = re.compile(r"^Timeout \((\d+):(\d+):(\d+(?:\.\d+)?)\)!$", re.MULTILINE)


@contextlib.contextmanager
def logged(path: str | Path) -> Iterator[Callable[[str], None]]:
    """Send everything the job prints, including the libraries' warnings, to its log.

    Yields a function that prints to the screen as well. A job that fails reports its error in one line on the screen
    and ends with the exit code of `rarlib.model.errors.ending`; the log has the traceback, except of an InputError.
    `limit` ends a job with 1.
    """
    path = Path(path)
    screen, began = os.dup(2), time.perf_counter()
    log: TextIO | None = None

    def say(text: str) -> None:
        with contextlib.suppress(OSError):
            if log is not None:
                log.write(f"{text}\n")
        os.write(screen, f"{ERASE if os.isatty(screen) else ''}{text}\n".encode(errors="backslashreplace"))

    try:
        log = _opened(path)
        # Compiled libraries write to the file descriptors, not to Python's streams.
        os.dup2(log.fileno(), 1)
        os.dup2(log.fileno(), 2)
        limit(path)
        yield say
        sys.stdout.flush()
        log.write(f"{ENDED}: {time.perf_counter() - began:.2f} s, {spent()}\n")
    except Exception as error:
        if isinstance(error, OSError) and error.filename is None:
            error.filename = str(path)  # nothing else is known of the disk
        code, line = ending(error)
        with contextlib.suppress(OSError):
            if log is not None and not isinstance(error, InputError):
                log.write(traceback.format_exc())
                line += f" (details in {path})"
        say(f"error: {' '.join(line.split())}")
        sys.exit(code)
    finally:
        faulthandler.cancel_dump_traceback_later()
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except OSError:  # what is left unwritten would end Python with a code of its own, 120
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        with contextlib.suppress(OSError):
            if log is not None:
                log.close()


def spent() -> str:
    """CPU seconds and peak memory of this process."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    unit = 1e6 if sys.platform == "darwin" else 1e3
    return f"{usage.ru_utime + usage.ru_stime:.2f} CPU s, {usage.ru_maxrss / unit:.1f} MB"


def _opened(log: Path) -> TextIO:
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_text("", encoding="utf-8")
    return log.open("a", encoding="utf-8", buffering=1, errors="backslashreplace")


def limit(log: str | Path, grace_s: float = 0.0) -> None:
    """End this process when it exceeds `LIMIT`, even inside compiled code; the log then shows where it was.

    Args:
        log: log of the job; it is written to only in that case.
        grace_s: extra seconds, for a process that waits for another one with the same limit.
    """
    if minutes := os.environ.get(LIMIT):
        # faulthandler needs the file to stay open.
        file = Path(log).open("a", encoding="utf-8")  # noqa: SIM115
        faulthandler.dump_traceback_later(60 * float(minutes) + grace_s, exit=True, file=file)


def failure(log: Path) -> str:
    """Why the job of a log failed, in one line; empty if it succeeded."""
    text = log.read_text(encoding="utf-8", errors="replace")
    lines = text.splitlines()
    if any(line.startswith(ENDED) for line in lines):
        return ""
    if found := _TOO_LONG.search(text):
        hours, minutes, seconds = map(float, found.groups())
        return f"error: took longer than {60 * hours + minutes + seconds / 60:.3g} minutes (where: {log})"
    errors = [line for line in lines if line.startswith("error: ")]
    if errors:
        return errors[-1]
    return f"error: ended from outside: stopped, killed, or out of memory (last words: {log})"


def left_out(logs: Path) -> list[str]:
    """Schedulers that failed in the last run of their cells, a line each."""
    lines = (
        line for path in sorted(logs.glob("cell/*.log")) for line in path.read_text("utf-8", "replace").splitlines()
    )
    return [line for line in lines if line.startswith(LEFT_OUT)]


def failed_cells(frames: Mapping[str, Any], found: Iterable[str]) -> list[str]:
    """Schedulers of a table that failed: those that were found, not named, and whose cells hold no row.

    Any other cell without rows has nothing to say, for want of its sources.

    Args:
        frames: member -> rows of its cell.
        found: cells (`experiment/part/member`) of schedulers that nobody named.
    """
    may_fail = {cell.rpartition("/")[2] for cell in found}
    return [member for member, frame in frames.items() if frame.empty and member in may_fail]


def failures(logs: Path, since: float) -> list[str]:
    """One line per failed job: its name, which is that of its log, and the error.

    Args:
        logs: folder of the jobs' logs.
        since: time of the file system (seconds since the epoch); older logs are ignored.
    """
    found = {path: failure(path) for path in sorted(logs.rglob("*.log")) if path.stat().st_mtime >= since}
    return [f"{path.relative_to(logs).with_suffix('')}: {reason}" for path, reason in found.items() if reason]
