"""Compiled kernels: Numba if it is installed, otherwise plain Python (same code, same results).

Compiled code is cached between runs, outside the checkout. Numba's own cache does not notice when a kernel that is
imported from another file has changed, so each module has its own cache folder, named after the digest of its source
and of all modules that it imports. Nothing else counts: a second checkout of the same source compiles nothing.
"""

import hashlib
import os
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

from rarlib.model.project import ROOT, cache_folder

F = TypeVar("F", bound=Callable[..., Any])

try:
    import numba
    from numba.core.caching import UserProvidedCacheLocator
except ImportError:  # the browser edition has no compiler
    numba = None  # type: ignore[assignment]
    UserProvidedCacheLocator = object  # type: ignore[assignment,misc]

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
        folder = Path(_GIVEN or cache_folder() / "kernels") / f"{_source_digest(Path(file).resolve())}{_CHECKED}"
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, RuntimeError):  # no source file, no writable folder, or no home folder
        return None
    return folder if os.access(folder, os.W_OK) else None


_GIVEN = os.environ.get("NUMBA_CACHE_DIR")
_CHECKED = "-checked" if os.environ.get("NUMBA_BOUNDSCHECK") == "1" else ""
"""Code that checks the bounds of arrays is kept apart, or the faster code would be loaded in its place."""


class InFolder(UserProvidedCacheLocator):
    """Keeps a kernel in the folder that is named; Numba's would add one that is named after the path of the source."""

    def __init__(self, function: Callable[..., Any], file: str) -> None:
        super().__init__(function, file)
        self._cache_path = numba.config.CACHE_DIR  # type: ignore[attr-defined]


def _compile(function: F, **options: Any) -> F:
    if numba is None:
        return function
    options["no_cfunc_wrapper"] = True  # for callers in C, of which there are none, and 7 % of the time to compile
    folder = _cache_folder(function.__code__.co_filename)
    if folder is None:
        return cast(F, numba.njit(cache=False, nogil=True, **options)(function))
    # Both are read when the function is decorated.
    numba.config.CACHE_DIR = str(folder)  # type: ignore[attr-defined]
    numba.config.CACHE_LOCATOR_CLASSES = f"{__name__}.{InFolder.__name__}"  # type: ignore[attr-defined]
    try:
        return cast(F, numba.njit(cache=True, nogil=True, **options)(function))
    finally:
        numba.config.CACHE_LOCATOR_CLASSES = ""  # type: ignore[attr-defined]


def kernel(function: F) -> F:
    """Compile a function that works on arrays and numbers only."""
    return _compile(function)


def hot_kernel(function: F) -> F:
    """Compile a function that neither allocates nor returns arrays, without reference counting.

    Numba counts references to every array it hands from function to function; with arrays grouped in tuples, this costs
    far more than the work itself. Callers in Python must keep the arrays alive.
    """
    return _compile(function, _nrt=False)


def inlined(function: F) -> F:
    """Compile a hot kernel into its callers: where it takes little time, to hand over tuples of arrays takes more."""
    return _compile(function, _nrt=False, inline="always")
