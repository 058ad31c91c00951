"""One trial: a child process in which one module has the error runs the tests that reach it."""

import importlib.abc
import importlib.machinery
import importlib.util
import os
import resource
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tools.mutation import KILLED, ROOT, SURVIVED, TIMED_OUT, UNREACHED
from tools.mutation.sites import Mutant

LIMIT_S = 120
"""An error with which the tests have not ended after so much processor time counts as killed; the tests alone take half
of it at most. The clock says little on a machine with other work.
"""

_WAIT_S = 3_600.0
"""The same for tests that wait for something."""

_MEMORY_BYTES = 8 * 2**30


class _Finder(importlib.abc.MetaPathFinder):
    """Finds the one module that has the error; no file is changed."""

    def __init__(self, mutant: Mutant) -> None:
        parts = Path(mutant.file).with_suffix("").parts
        self._package = parts[-1] == "__init__"
        self._name = ".".join(parts[:-1] if self._package else parts)
        self._path, self._source = str(ROOT / mutant.file), mutant.source()

    def find_spec(
        self, fullname: str, path: Any, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """A specification for this module, None for all others."""
        if fullname != self._name:
            return None
        loader = _Loader(fullname, self._path)
        loader.source = self._source
        return importlib.util.spec_from_file_location(fullname, self._path, loader=loader)


class _Loader(importlib.machinery.SourceFileLoader):
    source = ""

    def get_code(self, fullname: str) -> Any:
        return compile(self.source, self.path, "exec", dont_inherit=True)


class Trial:
    """A child process that runs tests with an error in one module.

    Attributes:
        mutant: the error.
        tests: those that run, until one fails.
        seconds: time taken so far, or in all, s.
    """

    def __init__(self, mutant: Mutant, tests: Sequence[str]) -> None:
        self.mutant, self.tests, self.seconds = mutant, tests, 0.0
        self._start, self._outcome = time.monotonic(), "" if tests else UNREACHED
        self._child = self._begin() if tests else 0

    def outcome(self) -> str:
        """Killed, timed out, survived or unreached; empty while the tests run."""
        if self._outcome:
            return self._outcome
        self.seconds = time.monotonic() - self._start
        ended, status = os.waitpid(self._child, os.WNOHANG)
        if ended:
            late = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU
            self._outcome = TIMED_OUT if late else KILLED if status else SURVIVED
        elif self.seconds > _WAIT_S:
            self.end()
            self._outcome = TIMED_OUT
        return self._outcome

    def end(self) -> None:
        """Kill the child and all that it started."""
        os.killpg(self._child, signal.SIGKILL)
        os.waitpid(self._child, 0)

    def _begin(self) -> int:
        child = os.fork()
        if child:
            return child
        code = 70
        try:
            os.setsid()
            resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
            resource.setrlimit(resource.RLIMIT_CPU, (LIMIT_S, LIMIT_S + 1))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            silent = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):
                os.dup2(silent, stream)
            sys.meta_path.insert(0, _Finder(self.mutant))
            code = int(pytest.main(["-x", "-q", *self.tests]))
        finally:
            os._exit(code)
