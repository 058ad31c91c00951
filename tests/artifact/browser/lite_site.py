"""Builds the browser edition for a test, with what of Pyodide can be had from package registries, and serves it.

The npm registry has Pyodide's core, PyPI the pure-Python wheels that its kernel starts with. Compiled packages (NumPy
and others) are on Pyodide's content network only; `RARLIB_PYODIDE` may name a folder with the full distribution.
"""

import functools
import hashlib
import json
import os
import shutil
import subprocess
import tarfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[3]
TOOLS = ROOT / ".venv-lite" / "bin" / "python"
STAMP = ROOT / ".venv-lite" / ".built-from-lock"
KERNEL = ("micropip", "ipython", "packaging", "jedi", "pyodide-http", "tqdm")
"""What a kernel loads when it starts; `tqdm` stands for rarlib's pure-Python needs."""


class Site(NamedTuple):
    """A built site.

    Attributes:
        folder: its files.
        lock: name -> file of the packages of its Pyodide.
        complete: whether these are served as well.
    """

    folder: Path
    lock: dict[str, str]
    complete: bool


def build_site(folder: Path) -> Site:
    """Build into an empty folder.

    Raises:
        OSError, subprocess.SubprocessError: something of it cannot be had.
    """
    environment = {**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    if not STAMP.exists() or STAMP.stat().st_mtime < (ROOT / "notebooks/lite/tools.lock").stat().st_mtime:
        subprocess.run(["make", "-s", STAMP.relative_to(ROOT)], cwd=ROOT, env=environment, check=True)
    named = os.environ.get("RARLIB_PYODIDE")
    pyodide = Path(named) if named else _core(folder)
    arguments = ["--site", folder / "site", "--pyodide", pyodide]
    subprocess.run(
        [TOOLS, ROOT / "notebooks/lite/build.py", *arguments], env=environment, check=True, capture_output=True
    )
    lock = json.loads((pyodide / "pyodide-lock.json").read_text(encoding="utf-8"))["packages"]
    return Site(folder / "site", {name: each["file_name"] for name, each in lock.items()}, bool(named))


def _core(folder: Path) -> Path:
    asked = "from jupyterlite_pyodide_kernel.constants import PYODIDE_VERSION; print(PYODIDE_VERSION)"
    version = subprocess.run([TOOLS, "-c", asked], check=True, capture_output=True, text=True).stdout.strip()
    subprocess.run(["npm", "pack", "--silent", f"pyodide@{version}"], cwd=folder, check=True, capture_output=True)
    with tarfile.open(folder / f"pyodide-{version}.tgz") as archive:
        for member in (each for each in archive if each.isfile()):  # the filters of `tarfile` came with 3.11.4
            target = (folder / member.name).resolve()
            assert target.is_relative_to(folder.resolve()), member.name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(archive.extractfile(member).read())
    core = (folder / "package").rename(folder / "pyodide")
    path = core / "pyodide-lock.json"
    lock = json.loads(path.read_text(encoding="utf-8"))
    wanted = _closure(lock["packages"])
    python = lock["info"]["python"].rpartition(".")[0]
    command = [TOOLS, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:", "--platform", "any"]
    pins = [f"{each['name']}=={each['version']}" for each in wanted]
    subprocess.run([*command, "--python-version", python, "-d", core, *pins], check=True, capture_output=True)
    for each in wanted:  # Pyodide's own copies are compressed anew, so their digests differ
        each["sha256"] = hashlib.sha256((core / each["file_name"]).read_bytes()).hexdigest()
    path.write_text(json.dumps(lock), encoding="utf-8")
    return core


def _closure(packages: dict) -> list[dict]:
    by_name = {name.replace("_", "-").lower(): each for name, each in packages.items()}
    found, todo = {}, list(KERNEL)
    while todo:
        name = todo.pop().replace("_", "-").lower()
        if name not in found:
            found[name] = by_name[name]
            todo += by_name[name]["depends"]
    return [found[name] for name in sorted(found)]


class _Handler(SimpleHTTPRequestHandler):
    extensions_map = SimpleHTTPRequestHandler.extensions_map | {".wasm": "application/wasm", ".mjs": "text/javascript"}

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder on the loopback interface; the address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Handler, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def missing() -> str:
    """Why the site cannot be built for a test here; empty if it can."""
    if os.environ.get("RARLIB_PYODIDE") or shutil.which("npm") is not None:
        return ""
    return "npm is not installed, from whose registry Pyodide's core comes"
