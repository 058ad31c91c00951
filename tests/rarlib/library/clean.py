"""Environments that hold a wheel of the project and what pip brings with it, and nothing of this checkout."""

import fcntl
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[3]
EPOCH = "1700000000"
DATA = str(ROOT / "data")
"""What lists the public traces and stands in for them is part of the checkout."""


class Clean(NamedTuple):
    """An environment: its folder, and one to run commands in that holds nothing of the project."""

    folder: Path
    elsewhere: Path

    @property
    def python(self) -> Path:
        return self.folder / "bin" / "python"

    @property
    def packages(self) -> Path:
        return next((self.folder / "lib").glob("python3.*")) / "site-packages"

    def run(self, *words: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run a program of the environment. Kernels are not compiled: that would take longer than the runs."""
        kept = {name: os.environ[name] for name in ("HOME", "LANG", "XDG_CACHE_HOME") if name in os.environ}
        path = f"{self.folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
        given = kept | {"PATH": path, "RARLIB_OFFLINE": "1", "NUMBA_DISABLE_JIT": "1", "RARLIB_DATA": DATA} | variables
        return subprocess.run(
            [self.folder / "bin" / words[0], *words[1:]],
            cwd=self.elsewhere, env=given, text=True, capture_output=True, check=False,
        )  # fmt: skip


def environment(folder: Path, *wanted: str, python: str = "") -> Clean:
    """A new environment with these packages."""
    clean = Clean(folder / "environment", folder / "elsewhere")
    clean.elsewhere.mkdir(parents=True)
    subprocess.run([python or base_python(), "-m", "venv", clean.folder], check=True)
    install(clean, *wanted)
    return clean


def kept(folder: Path, *wanted: str) -> Clean:
    """The environment with these packages in a folder that test processes share; the first one makes it."""
    with Shared(folder) as made:
        if not made:
            environment(folder, *wanted)
    return Clean(folder / "environment", folder / "elsewhere")


def install(clean: Clean, *wanted: str) -> None:
    """Install packages by pip, as a user does."""
    if wanted:
        pip = [clean.python, "-m", "pip", "install", "--quiet", "--no-compile", "--disable-pip-version-check"]
        subprocess.run([*pip, *wanted], check=True, capture_output=True, text=True)


def installed_mb(clean: Clean) -> float:
    """Size of what was installed, without the bytecode that Python writes anyway, and the pip that was there before."""
    files = [path for path in clean.packages.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    ours = [path for path in files if not path.relative_to(clean.packages).parts[0].startswith(("pip", "setuptools"))]
    return sum(path.stat().st_size for path in ours) / 1e6


def base_python() -> str:
    """The interpreter that this environment was made from."""
    return str(getattr(sys, "_base_executable", sys.executable))


def built(builder: Clean, source: Path, out: Path, kinds: Sequence[str] = ("wheel", "sdist")) -> list[Path]:
    """Build distributions of a source tree, with the backend that `builder` holds."""
    out.mkdir()
    for kind in kinds:
        subprocess.run(
            [builder.python, "-m", "hatchling", "build", "--target", kind, "--directory", out],
            cwd=source, env={**os.environ, "SOURCE_DATE_EPOCH": EPOCH, "PYTHONPATH": ""},
            check=True, capture_output=True,
        )  # fmt: skip
    return sorted(out.iterdir())


class Shared:
    """Something that is made once although several test processes ask for it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def __enter__(self) -> bool:
        """Wait for the others; whether it is made already."""
        self._lock = (self.folder / "lock").open("w")
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        return (self.folder / "made").exists()

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            (self.folder / "made").touch()
        self._lock.close()
