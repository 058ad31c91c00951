"""Compiled kernels: Numba if it is installed, otherwise plain Python (same code, same results).

Compiled code is cached between runs, outside the checkout. Numba's own cache does not notice when a kernel that is
imported from another file has changed, so each module has its own cache folder, named after the digest of its source
and of all modules that it imports. Nothing else counts: a second checkout of the same source compiles nothing. A
kernel that several processes need at the same time is compiled by one of them.
"""

import hashlib
import os
import re
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO, TypeVar, cast

from rarlib.model.project import ROOT, kernel_folder

F = TypeVar("F", bound=Callable[..., Any])

try:
    import numba
    from numba.core.caching import CompileResultCacheImpl, FunctionCache, InTreeCacheLocator
except ImportError:  # the browser edition has no compiler
    numba = None  # type: ignore[assignment]
    CompileResultCacheImpl = FunctionCache = InTreeCacheLocator = object  # type: ignore[assignment,misc]

_IMPORT = re.compile(
    rb"^\s*(?:from|import) ((?:rarlib|artifact)[\w.]*)(?: import (?:\(([^)]*)|([^#\n]*)))?", re.MULTILINE
)


@cache
def _read(path: Path) -> tuple[bytes, tuple[Path, ...]]:
    """Source of a file, and the modules of the two packages that it imports."""
    source = path.read_bytes()
    named = [(base.decode(), (many or few).decode()) for base, many, few in _IMPORT.findall(source)]
    modules = [module for base, names in named for module in (base, *_members(base, names))]
    paths = (ROOT.resolve().joinpath(*module.split(".")).with_suffix(".py") for module in modules)
    return source, tuple(path for path in paths if path.is_file())


def _members(base: str, names: str) -> list[str]:
    return [f"{base}.{name.split()[0]}" for name in names.split(",") if name.strip()]


def _source_digest(path: Path) -> str:
    """Digest of a file and of all modules of the two packages that it imports, directly or indirectly."""
    pending, sources = [path], {}
    while pending:
        path = pending.pop()
        if path not in sources:
            sources[path], imports = _read(path)
            pending += imports
    digest = hashlib.sha256()
    for path in sorted(sources):
        digest.update(sources[path] + b"\0")
    return digest.hexdigest()[:16]


@cache
def _cache_folder(file: str) -> Path | None:
    try:
        folder = kernel_folder() / f"{_source_digest(Path(file).resolve())}{_CHECKED}"
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, RuntimeError):  # no source file, no writable folder, or no home folder
        return None
    return folder if os.access(folder, os.W_OK) else None


_CHECKED = "-checked" if os.environ.get("NUMBA_BOUNDSCHECK") == "1" else ""
"""Code that checks the bounds of arrays is kept apart, or the faster code would be loaded in its place."""


class _InFolder(InTreeCacheLocator):
    """Keeps a kernel in the folder of its module's source."""

    def __init__(self, function: Callable[..., Any], file: str) -> None:
        super().__init__(function, file)
        self._cache_path = str(_cache_folder(file))


class _Stored(CompileResultCacheImpl):
    _locator_classes = [_InFolder]  # noqa: RUF012 - Numba declares a list


class _CompiledOnce(FunctionCache):
    """A kernel's cache. Who finds nothing in it compiles the kernel, and meanwhile other processes wait."""

    _impl_class = _Stored
    _turn: BinaryIO | None = None
    inner = False
    """Whether the kernel is the one that other kernels call."""

    def _index_key(self, sig: Any, codegen: Any) -> tuple[Any, ...]:
        return (*super()._index_key(sig, codegen), self.inner)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled kernel for a signature, or None: then compile it and save it."""
        found = super().load_overload(sig, target_context)
        if found is None and self._turn is None:
            self._turn = _await_turn(Path(self.cache_path) / f"{self._py_func.__qualname__}.lock")
            found = super().load_overload(sig, target_context)
            if found is not None:
                self._end_turn()
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        """Save a compiled kernel."""
        super().save_overload(sig, data)
        self._end_turn()

    def _end_turn(self) -> None:
        if self._turn is not None:
            self._turn.close()
            self._turn = None


_LOOK_S, _LONGEST_WAIT_S = 0.02, 120.0
"""Whoever holds a kernel for longer has stopped, or has failed to compile it."""


def _await_turn(path: Path) -> BinaryIO | None:
    """The file, locked; None where locks are unknown, or if another process keeps it (a dead one does not)."""
    try:
        import fcntl  # noqa: PLC0415 - not every platform has it

        file = path.open("ab")
    except (ImportError, OSError):
        return None
    for _ in range(int(_LONGEST_WAIT_S / _LOOK_S)):
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return file
        except BlockingIOError:
            time.sleep(_LOOK_S)
        except OSError:
            break
    file.close()
    return None


def _compile(function: F, **options: Any) -> F:
    if numba is None or numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        return function
    # Callers in C would need a wrapper; there are none, and it takes 7 % of the time to compile.
    options |= {"nogil": True, "no_cfunc_wrapper": True}
    compiled = numba.njit(**options)(function)
    # What other kernels call has no wrapper for Python either: a fifth of the time to compile.
    inner = numba.njit(**options | {"no_cpython_wrapper": True})(function)
    compiled.get_overload = inner.get_overload
    # A caller's constants have types of their own, for each of which Numba would compile the kernel again.
    template, without_value = inner.get_call_template, numba.types.unliteral
    compiled.get_call_template = lambda args, kws: template([without_value(kind) for kind in args], kws)
    if _cache_folder(function.__code__.co_filename) is not None:
        compiled._cache, inner._cache = _CompiledOnce(function), _CompiledOnce(function)
        inner._cache.inner = True
    return cast(F, compiled)


def kernel(function: F) -> F:
    """Compile a function that works on arrays and numbers only."""
    return _compile(function)


def hot_kernel(function: F) -> F:
    """Compile a function that neither allocates nor returns arrays, without reference counting.

    Numba counts references to every array it hands from function to function; with arrays grouped in tuples, this costs
    far more than the work itself. Callers in Python must keep the arrays alive.
    """
    return _compile(function, _nrt=False)


class Repeated:
    """A kernel whose tuples of arrays are mostly those of the last call, for callers in Python.

    Numba looks at every array of every tuple at each call, which takes longer than most kernels do; here only if a
    tuple is another one. The types of all other arguments must stay the same.
    """

    def __init__(self, kernel: Callable[..., Any]) -> None:
        self._kernel, self._compiled, self._tuples = kernel, kernel, [(0, object())]

    def __call__(self, *arguments: Any) -> Any:
        """As the kernel."""
        for at, one in self._tuples:
            if arguments[at] is not one:
                return self._first(arguments)
        return self._compiled(*arguments)

    def _first(self, arguments: tuple[Any, ...]) -> Any:
        result, kernel = self._kernel(*arguments), cast(Any, self._kernel)
        if hasattr(kernel, "overloads"):
            self._tuples = [(at, one) for at, one in enumerate(arguments) if isinstance(one, tuple | None)]
            known = list(kernel.overloads.values())
            used = known[0] if len(known) == 1 else kernel.overloads[tuple(map(kernel.typeof_pyval, arguments))]
            self._compiled = used.entry_point
        return result


def inlined(function: F) -> F:
    """Compile a hot kernel into its callers: where it takes little time, to hand over tuples of arrays takes more."""
    return _compile(function, _nrt=False, inline="always")
