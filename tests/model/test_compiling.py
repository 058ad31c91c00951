"""How kernels are compiled: where results are kept, and what happens where there is no compiler."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from rarlib.model import jit
from rarlib.model.jit import hot_kernel, kernel


def doubled(x: float) -> float:
    return 2.0 * x


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What a compiler that only takes notes is told."""
    notes: list[dict[str, Any]] = []

    def njit(**options: Any) -> Callable[[Any], Any]:
        notes.append(options | {"folder": config.CACHE_DIR})
        return lambda function: ("compiled", function)

    config = SimpleNamespace(CACHE_DIR="before")
    monkeypatch.setattr(jit, "numba", SimpleNamespace(njit=njit, config=config))
    return notes


def test_without_a_folder_nothing_is_cached(told: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch) -> None:
    """Numba's own choice of a folder is left as it was."""
    monkeypatch.setattr(jit, "_cache_folder", lambda file: None)
    kernel(doubled)
    assert told == [{"cache": False, "nogil": True, "folder": "before"}]


def test_without_a_compiler_kernels_are_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """The very same function."""
    monkeypatch.setattr(jit, "numba", None)
    assert kernel(doubled) is doubled and hot_kernel(doubled) is doubled
