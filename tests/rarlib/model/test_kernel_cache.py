"""Compiled kernels: their cache stands for all the source that they reach; without a compiler they are Python."""

import shutil
import subprocess
import sys

import pytest

from rarlib.model import jit
from rarlib.model.jit import hot_kernel, kernel


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
before(np.zeros(4), 0, 1)
print(len(seen))
"""


def test_a_second_checkout_compiles_nothing(tmp_path):
    """The folder is named after the source alone; a path in it would make every clone compile again."""
    printed = []
    for name in ("first", "a second"):
        for file in ("__init__", "__init__.pyi", "model/__init__", "model/heap", "model/jit", "model/project"):
            path = tmp_path / name / "rarlib" / (file if file.endswith(".pyi") else f"{file}.py")
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(jit.ROOT / path.relative_to(tmp_path / name), path)
        done = subprocess.run(
            [sys.executable, "-c", COMPILED],
            cwd=tmp_path / name,
            env={"NUMBA_CACHE_DIR": str(tmp_path / "kernels"), "PATH": "", "HOME": str(tmp_path)},
            capture_output=True,
            text=True,
            check=True,
        )
        printed.append(int(done.stdout))
    assert printed[0] > 0
    assert printed[1] == 0


def doubled(x: float) -> float:
    return 2.0 * x


def test_without_a_compiler_kernels_are_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jit, "numba", None)
    assert kernel(doubled) is doubled and hot_kernel(doubled) is doubled
