"""Compiled kernels: Numba where it is installed, plain Python where it is not (same code, same numbers).

The compiled code is kept between runs in a folder named after the digest of all kernel sources, because
Numba's own cache does not notice when a kernel imported from another file has changed.
"""

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])

try:
    import numba
except ImportError:  # the browser edition has no compiler
    numba = None  # type: ignore[assignment]


def _source_digest() -> str:
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.parent.rglob("*.py")):
        text = path.read_bytes()
        if b"kernel\n" in text:
            digest.update(text)
    return digest.hexdigest()[:16]


def _cache_folder() -> Path | None:
    try:
        home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "rarlib" / "kernels"
        folder = Path(os.environ.get("NUMBA_CACHE_DIR") or home) / _source_digest()
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, RuntimeError):  # no writable place, or no home at all
        return None
    return folder if os.access(folder, os.W_OK) else None


_CACHE = False
if numba is not None and (folder := _cache_folder()) is not None:
    numba.config.CACHE_DIR = str(folder)  # type: ignore[attr-defined]
    _CACHE = True

_LEAN: dict[str, Any] = {"cache": _CACHE, "nogil": True, "_nrt": False}


def kernel(function: F) -> F:
    """Compile a function that works on arrays and numbers only."""
    return function if numba is None else cast(F, numba.njit(cache=_CACHE, nogil=True)(function))


def hot_kernel(function: F) -> F:
    """Compile a function that neither allocates nor returns arrays, without reference counting.

    Numba counts references to every array it hands from function to function; with arrays grouped in tuples
    that costs far more than the work itself. Whoever calls from Python keeps the arrays alive.
    """
    return function if numba is None else cast(F, numba.njit(**_LEAN)(function))
