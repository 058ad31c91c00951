"""Display of a run started by `make`: one progress line instead of Snakemake's output; warnings and errors in full.

On a terminal the line is rewritten in place; in a file a new line is written now and then. Snakemake's log file stays
as it is.
"""

import logging
import os
import shutil
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TextIO

from snakemake.logging import ColorizingTextHandler, DefaultFilter, DefaultFormatter
from snakemake.settings.enums import Quietness
from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

from artifact.run.jobs import ERASE, failure
from artifact.run.progress import Planned, Progress, clock
from rarlib.model.project import kernel_folder

_BETWEEN_S = 60.0
"""In a file: time between lines."""

_RECENT_S = 5.0
"""Kernels count as being compiled until so long after the last one."""

# Snakemake's messages below the level of warnings that are useful to somebody who started `make`.
_KNOWN = ("Nothing to be done", "Terminating processes", "Will exit after finishing")


class Screen:
    """The stream that shows the progress line; any other text replaces the line, which is then shown again below."""

    def __init__(self, stream: TextIO, clock_s: float) -> None:
        self._stream = stream
        self._terminal = stream.isatty() and os.environ.get("TERM") != "dumb"
        self._last_s = clock_s

    def erase(self) -> None:
        """Clear the progress line for a message."""
        if self._terminal:
            self._stream.write(ERASE)
            self._stream.flush()

    def write(self, text: str) -> None:
        """Write a line that stays."""
        self.erase()
        self._stream.write(f"{text}\n")
        self._stream.flush()

    def show(self, progress: Progress, now: float) -> None:
        """Show the progress line if it is due. The cursor stays at its beginning, so a job's message overwrites it."""
        if self._terminal:
            width = shutil.get_terminal_size().columns - 1
            line = _line(progress, now)
            line = line if len(line) <= width else f"{line[: max(width - 1, 0)]}…"
            self._stream.write(f"{ERASE}{line}\r")
            self._stream.flush()
        elif progress.running and now - self._last_s >= _BETWEEN_S:
            self._last_s = now
            self.write(_line(progress, now))


def _line(progress: Progress, now: float) -> str:
    """The progress line; it begins with the reason why a first run is slow, as long as that holds."""
    with suppress(OSError, RuntimeError):
        last = max((folder.stat().st_mtime for folder in kernel_folder().iterdir()), default=0.0)
        if time.time() - last < _RECENT_S:
            return f"compiling, once | {progress.line(now)}"
    return progress.line(now)


class LogHandler(LogHandlerBase):
    """Snakemake's logger plugin; `artifact.run.forecast.plan` gives it the jobs of the run."""

    writes_to_stream, writes_to_file = True, False
    has_filter, has_formatter, needs_rulegraph = True, True, False

    def __post_init__(self) -> None:
        # On a full disk, Snakemake cannot write its own log, and each line of it would show a traceback.
        logging.raiseExceptions = False
        settings = self.common_settings
        usual = (settings.quiet, settings.debug_dag, settings.verbose, settings.dryrun, settings.printshellcmds)
        self._usual = ColorizingTextHandler(
            nocolor=settings.nocolor,
            stream=sys.stderr,
            formatter=DefaultFormatter(settings.quiet, settings.show_failed_logs),
            filter=DefaultFilter(*usual),
        )
        self._screen = Screen(sys.stderr, time.monotonic())
        self._progress: Progress | None = None
        self._renewed: Callable[[], list[Planned]] = list
        self._last = ""
        self._began = time.monotonic()
        self._over = threading.Event()
        self._writing = threading.Lock()

    def emit(self, record: logging.LogRecord) -> None:
        """Handle one log record of Snakemake: count it, show it, or ignore it."""
        with self._writing:
            if self.common_settings.dryrun:
                self._usual.handle(record)
                return
            now = time.monotonic()
            if hasattr(record, "plan"):
                self._progress = Progress(record.plan, record.cores)  # type: ignore[attr-defined]
                self._renewed = getattr(record, "renewed", list)
                threading.Thread(target=self._tick, daemon=True).start()
            self._count(record, now)
            if self._is_known(record):
                self._screen.erase()
                self._usual.handle(record)
            self._show(now)

    def _count(self, record: logging.LogRecord, now: float) -> None:
        event, progress = getattr(record, "event", None), self._progress
        if progress is None:
            return
        if event == LogEvent.JOB_INFO:
            if not progress.knows(record.jobid):  # type: ignore[attr-defined]
                progress.renew(self._renewed())
            progress.start(record.jobid, now)  # type: ignore[attr-defined]
        elif event == LogEvent.JOB_FINISHED:
            progress.end(record.job_id, now)  # type: ignore[attr-defined]
        elif event == LogEvent.JOB_ERROR:
            number = record.jobid  # type: ignore[attr-defined]
            message = f"failed after {clock(progress.elapsed(number, now))}: {progress.label(number)}"
            self._screen.write(": ".join([message, *_unsaid(record.log)]))  # type: ignore[attr-defined]
            progress.end(number, now, failed=True)

    def _is_known(self, record: logging.LogRecord) -> bool:
        """Whether to show a message: warnings and errors, except those on a script that has reported its own error."""
        if record.levelno < logging.WARNING:
            if not (record.getMessage().startswith(_KNOWN) or self._failed_and_says_where(record)):
                return False
            # Snakemake repeats this message on every turn of its loop while a run is being stopped.
            last, self._last = self._last, record.getMessage()
            return last != self._last
        event = getattr(record, "event", None)
        if event == LogEvent.ERROR and self._progress is not None:
            return not ("CalledProcessError" in record.getMessage() and "/scripts/" in record.getMessage())
        return event != LogEvent.JOB_ERROR

    def _failed_and_says_where(self, record: logging.LogRecord) -> bool:
        failed = self._progress is not None and bool(self._progress.failed)
        return failed and record.getMessage().startswith("Complete log")

    def _show(self, now: float) -> None:
        if self._progress is not None and not self._over.is_set():
            self._screen.show(self._progress, now)

    def _tick(self) -> None:
        while not self._over.wait(1.0):
            with self._writing:
                self._show(time.monotonic())

    def close(self) -> None:
        """Write the last line, with the total time."""
        with self._writing:
            if self._progress is not None and not self._over.is_set():
                now = time.monotonic()
                self._screen.write(f"{self._progress.line(now)} | took {clock(now - self._began)}")
            self._over.set()
        super().close()


def attach_display(manager: Any) -> None:
    """Show progress in a run that was started by `snakemake` alone, unless it asked for rules or another display."""
    if manager.get_log_handlers() or Quietness.RULES not in (manager.settings.quiet or ()):
        return
    for handler in [each for each in manager.logger.handlers if each.name == "DefaultStreamHandler"]:
        manager.logger.removeHandler(handler)
    shown = LogHandler(manager.settings, None)
    manager.logger.addHandler(shown)
    manager.plugin_handlers.append(shown)


def _unsaid(logs: list[str]) -> list[str]:
    """Why a job failed that could not report its own error."""
    found = [Path(path) for path in logs if path.endswith(".log") and Path(path).is_file()]
    whys = {log: failure(log) for log in found}
    return [
        why.removeprefix("error: ")
        for log, why in whys.items()
        if why and why not in log.read_text(encoding="utf-8", errors="replace")
    ]
