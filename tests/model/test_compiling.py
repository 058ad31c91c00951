"""How kernels are compiled: what Numba is told, where it keeps its results, and what happens where there is none."""

import hashlib
from collections.abc import Callable
from pathlib import Path
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


def test_kernels_release_the_lock_and_hot_ones_count_no_references(
    told: list[dict[str, Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both are cached in the folder of the module's digest."""
    monkeypatch.setattr(jit, "_cache_folder", lambda file: tmp_path if file == __file__ else None)
    assert kernel(doubled) == hot_kernel(doubled) == ("compiled", doubled)
    plain = {"cache": True, "nogil": True, "folder": str(tmp_path)}
    assert told == [plain, plain | {"_nrt": False}]


def test_without_a_folder_nothing_is_cached(told: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch) -> None:
    """Numba's own choice of a folder is left as it was."""
    monkeypatch.setattr(jit, "_cache_folder", lambda file: None)
    kernel(doubled)
    assert told == [{"cache": False, "nogil": True, "folder": "before"}]


def test_without_a_compiler_kernels_are_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """The very same function."""
    monkeypatch.setattr(jit, "numba", None)
    assert kernel(doubled) is doubled and hot_kernel(doubled) is doubled


def test_the_folder_is_named_after_the_digest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Below the one that Numba's variable names, else the user's cache; none if it cannot be made or written to."""
    source = tmp_path / "alone.py"
    source.write_bytes(b"x = 1\n")
    digest = hashlib.sha256(b"x = 1\n\0").hexdigest()[:16]
    monkeypatch.setattr(jit, "cache_folder", lambda: tmp_path / "cache")
    for given, place in (("", tmp_path / "cache" / "kernels"), (str(tmp_path / "a" / "b"), tmp_path / "a" / "b")):
        monkeypatch.setattr(jit, "_GIVEN", given)
        for _ in range(2):
            assert jit._cache_folder.__wrapped__(str(source)) == place / digest
            assert (place / digest).is_dir()
    assert jit._cache_folder.__wrapped__(str(tmp_path / "absent.py")) is None
    monkeypatch.setattr(jit, "_GIVEN", str(source))
    assert jit._cache_folder.__wrapped__(str(source)) is None
    monkeypatch.setattr(jit, "_GIVEN", "")
    monkeypatch.setattr(jit.os, "access", lambda folder, mode: False)
    assert jit._cache_folder.__wrapped__(str(source)) is None


def test_a_digest_is_that_of_all_files_that_are_reached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In order of their paths, each once, however often and in whatever form they are imported; circles end."""
    monkeypatch.setattr(jit, "CODE_ROOT", tmp_path)
    folder = tmp_path / "rarlib"
    (folder / "inner").mkdir(parents=True)
    texts = {
        "user.py": b"import numpy\nfrom rarlib import a, b as c\nfrom rarlib.inner import (\n    d,\n    e,\n)\n",
        "a.py": b"import rarlib.b\nfrom rarlib.a import thing\n",
        "b.py": b"from rarlib.inner.d import name  # rarlib.unread\n",
        "inner/d.py": b"    from rarlib.user import later\n",
        "inner/e.py": b"x = 'from rarlib import unread'\n",
        "unread.py": b"y = 1\n",
    }
    for name, text in texts.items():
        (folder / name).write_bytes(text)
    jit._read.cache_clear()
    reached = sorted(folder / name for name in texts if name != "unread.py")
    expected = hashlib.sha256(b"".join(path.read_bytes() + b"\0" for path in reached)).hexdigest()[:16]
    assert jit._source_digest(folder / "user.py") == expected
    jit._read.cache_clear()
