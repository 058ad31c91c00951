"""Compiled kernels: their cache stands for all the source that they reach; without a compiler they are Python."""

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from rarlib.model import jit
from rarlib.model.jit import Repeated, hot_kernel, kernel


@pytest.mark.parametrize("layout", ["from rarlib import {}\n", "from rarlib import (\n    {},\n)\n"])
def test_change_of_an_imported_module_changes_the_digest(tmp_path, monkeypatch, layout):
    monkeypatch.setattr(jit, "ROOT", tmp_path)
    package = tmp_path / "rarlib"
    package.mkdir()
    user, first, second = package / "user.py", package / "first.py", package / "second.py"
    user.write_text(layout.format("first") + layout.format("second"))
    digests = []
    for rule in ("return 1", "return 2"):
        for changed in (first, second):
            changed.write_text(rule)
            jit._read.cache_clear()
            digests.append(jit._source_digest(user))
    jit._read.cache_clear()
    assert len(set(digests)) == len(digests)


COMPILED = """
from numba.core import event
seen = []
class Listener(event.Listener):
    def on_start(self, event): seen.append(event)
    def on_end(self, event): pass
event.register("numba:compile", Listener())
import numpy as np
from rarlib.model.heap import before
print("ready", flush=True)
input()
before(np.zeros(4), 0, 1)
print(len(seen))
"""


def checkout(folder: Path, kernels: Path) -> "subprocess.Popen[str]":
    """A process in a checkout of its own that is about to call a kernel; then it prints how many it has compiled."""
    for file in ("__init__", "__init__.pyi", "model/__init__", "model/heap", "model/jit", "model/project"):
        path = folder / "rarlib" / (file if file.endswith(".pyi") else f"{file}.py")
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(jit.ROOT / path.relative_to(folder), path)
    where = {"NUMBA_CACHE_DIR": str(kernels), "PATH": "", "HOME": str(folder)}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    process = subprocess.Popen([sys.executable, "-c", COMPILED], cwd=folder, env=where, text=True, **pipes)
    assert process.stdout is not None and process.stdout.readline() == "ready\n"
    return process


def test_a_second_checkout_compiles_nothing(tmp_path):
    """The folder is named after the source alone; a path in it would make every clone compile again."""
    first, second = (int(checkout(tmp_path / name, tmp_path).communicate("\n")[0]) for name in ("first", "a second"))
    assert first > 0
    assert second == 0


def test_of_processes_that_need_a_kernel_at_once_one_compiles_it(tmp_path):
    alone = int(checkout(tmp_path / "alone", tmp_path / "kernels of one").communicate("\n")[0])
    both = [checkout(tmp_path / name, tmp_path / "kernels of two") for name in ("first", "second")]
    for process in both:
        assert process.stdin is not None
        print(file=process.stdin, flush=True)
    assert sum(int(process.communicate()[0]) for process in both) == alone


def test_who_waits_for_a_stopped_process_goes_on_at_last(tmp_path, monkeypatch):
    monkeypatch.setattr(jit, "_LONGEST_WAIT_S", 0.1)
    kept = jit._await_turn(tmp_path / "kernel.lock")
    assert kept is not None
    assert jit._await_turn(tmp_path / "kernel.lock") is None
    kept.close()
    assert jit._await_turn(tmp_path / "kernel.lock") is not None
    assert jit._await_turn(tmp_path / "no folder" / "kernel.lock") is None


def doubled(x: float) -> float:
    return 2.0 * x


def test_constants_of_a_caller_are_numbers_like_others():
    """Numba has a type for each constant, and would compile the kernel for it."""
    inner: Any = kernel(doubled)
    outer, for_kernels = kernel(lambda k: inner(3) + inner(k)), inner.get_overload.__self__
    assert outer(4) == 14.0 and len(for_kernels.signatures) == 1
    assert not inner.signatures and inner(4) == 8.0, "it is compiled for Python when Python calls it"


class Numbers(NamedTuple):
    each: NDArray[Any]


@kernel
def total(numbers: Numbers, start: float) -> float:
    return start + numbers.each.sum()


def test_a_repeated_kernel_notices_another_tuple():
    """Whole numbers, fractions and the two in turn; an array that changes in its tuple is read anew."""
    repeated = Repeated(total)
    for values in ([1, 2], [0.5, 0.25], [3, 4], np.ones((2, 3))[:, 1], [1, 2]):
        numbers = Numbers(np.array(values) if isinstance(values, list) else values)
        for start in (0.0, 1.5, 2.5):
            numbers.each[0] += 1
            assert repeated(numbers, start) == start + sum(numbers.each.tolist())


def test_without_a_compiler_kernels_are_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jit, "numba", None)
    assert kernel(doubled) is doubled and hot_kernel(doubled) is doubled
