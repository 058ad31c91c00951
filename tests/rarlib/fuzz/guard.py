"""What a case may take and touch: time, memory, files. Whoever goes beyond is stopped, and it is noted."""

import os
import resource
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

MOST_S, MOST_BYTES = 20.0, 2**30
"""Seconds of a processor, and bytes of memory beyond what the process had, that no input may take."""
_MORE_BYTES = 3 * 2**30
"""Address space beyond what the process has; more is refused by the system, so that the machine survives."""
_FOREVER_S = 10**6
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_PATHS = {"os.remove": 1, "os.rmdir": 1, "os.mkdir": 1, "os.rename": 2, "os.link": 2, "os.symlink": 2, "os.truncate": 1,
          "os.chmod": 1, "os.utime": 1}  # fmt: skip
"""Events that change files -> number of paths among their first arguments."""


class OverrunError(BaseException):
    """More than the time allowed; no `except Exception` of the artifact may swallow it."""


class Guard:
    """Watches this process; made once, since what Python audits cannot be taken back.

    Args:
        seconds: time of the processor that a case may take.
    """

    def __init__(self, seconds: float = MOST_S) -> None:
        self._seconds = seconds
        self._writable: tuple[str, ...] | None = None
        self.touched: list[str] = []
        self._held = 0
        self._caches = tuple(map(os.path.realpath, _caches()))
        sys.dont_write_bytecode = True
        sys.addaudithook(self._audit)
        signal.signal(signal.SIGPROF, _overrun)
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + _MORE_BYTES, used + _MORE_BYTES))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    @contextmanager
    def watching(self, outputs: Path, scratch: Path) -> Iterator[None]:
        """One case, in the folder of its outputs; nothing else may be written but temporary files in `scratch`."""
        home, self.touched = Path.cwd(), []
        Path("/proc/self/clear_refs").write_text("5")
        self._held = _bytes("VmRSS")
        os.chdir(outputs)
        tempfile.tempdir = str(scratch)
        self._writable = (*(os.path.realpath(each) for each in (outputs, scratch)), *self._caches)
        signal.setitimer(signal.ITIMER_PROF, min(self._seconds, _FOREVER_S))
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0.0)
            self._writable = tempfile.tempdir = None
            os.chdir(home)

    def taken_bytes(self) -> int:
        """Most memory that the last case took, beyond what the process had when it began."""
        return _bytes("VmHWM") - self._held

    def _audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self._writable is None:
            return
        if event == "open" and arguments[2] & _WRITES and (arguments[1] is None or set(arguments[1]) & set("wax+")):
            self._check(event, arguments[:1])
        elif event in _PATHS:
            self._check(event, arguments[: _PATHS[event]])
        elif event == "socket.connect":
            self._refuse(f"{event} {arguments[1]}")

    def _check(self, event: str, paths: tuple[Any, ...]) -> None:
        for path in paths:
            if not isinstance(path, str | bytes | os.PathLike):
                continue  # an open file
            real = os.path.realpath(os.fsdecode(path))
            if not any(os.path.commonpath([real, each]) == each for each in self._writable or ()):
                self._refuse(f"{event} {real}")

    def _refuse(self, what: str) -> None:
        self.touched.append(what)
        raise PermissionError(1, "kept from doing this by the harness", what)


def _caches() -> tuple[str | Path, ...]:
    """Folders of the libraries' own, which they fill as they need."""
    matplotlib = os.environ.get("MPLCONFIGDIR") or Path.home() / ".config" / "matplotlib"
    return Path.home() / ".cache", matplotlib, os.environ.get("NUMBA_CACHE_DIR") or "/dev/null"


def _bytes(entry: str) -> int:
    """Memory of this process: `VmRSS`, now, or `VmHWM`, at most."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(entry))


def _overrun(*_: Any) -> None:
    raise OverrunError
