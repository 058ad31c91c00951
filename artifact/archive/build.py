"""Build a deposit: its folder, and the same files as a zip archive."""

import io
import json
import os
import shutil
import subprocess
import sys
import time
import zipfile
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from artifact.archive.contents import Deposit, collect
from artifact.archive.crate_facts import crate_facts
from artifact.archive.documents import deposit_name
from artifact.archive.source import Commit
from artifact.archive.swhid import SourceFile
from artifact.run.commit import TREE_FILE
from rarlib.model.errors import InputError
from rarlib.model.files import written
from rarlib.model.project import ROOT

CRATE_PYTHON = "RARLIB_CRATE_PYTHON"
"""Environment variable: a Python with the package rocrate; without it that of .venv-archive, else the running one."""


_UNIX = 3
_EARLIEST = 315532800
"""1980-01-01: a zip file knows no earlier time."""


def build_deposit(source: Commit, edition: str, results: Path, folder: Path) -> str:
    """Write the folder and the archive of a deposit; a line about them.

    The same source, results, packages and rarlib give the same bytes.
    """
    python = _python_with_rocrate()
    deposit, name = collect(source, edition, results), deposit_name(edition)
    deposit.files["ro-crate-metadata.json"] = SourceFile(_described(python, crate_facts(source, edition, deposit)))
    deposit.finish()
    _write(deposit, folder / name)
    with written(folder / f"{name}.zip") as part:
        part.write_bytes(as_zip(deposit.files, name, source.seconds))
    root = json.loads(deposit.files[TREE_FILE].data)["root"]
    files = f"{len(deposit.files)} files of commit {source.commit}, {source.directory}"
    return f"{folder / name}: {files}, root digest {root}"


def as_zip(files: Mapping[str, SourceFile], top: str, seconds: int) -> bytes:
    """A zip archive with the same bytes everywhere: sorted names, one time, no owner, two modes.

    Files are unpacked to the folder `top`; `seconds` is the time of all, since 1970.
    """
    packed = io.BytesIO()
    moment = time.gmtime(max(seconds, _EARLIEST))[:6]
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(f"{top}/{name}", moment)
            entry.create_system, entry.compress_type = _UNIX, zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100000 | _mode(files[name])) << 16
            archive.writestr(entry, files[name].data)
    return packed.getvalue()


def _mode(file: SourceFile) -> int:
    return 0o755 if file.executable else 0o644


def _write(deposit: Deposit, folder: Path) -> None:
    """Write the files of a deposit into a folder, in place of what is there."""
    shutil.rmtree(folder, ignore_errors=True)
    for name, file in sorted(deposit.files.items()):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.data)
        path.chmod(_mode(file))


def crate_python(root: Path) -> Path:
    """Python of the environment that has the package rocrate."""
    return Path(os.environ.get(CRATE_PYTHON) or root / ".venv-archive/bin/python")


def _python_with_rocrate() -> Path:
    named = crate_python(ROOT)
    if named.is_file():
        return named
    if os.environ.get(CRATE_PYTHON) or not find_spec("rocrate"):
        raise InputError(f"this needs rocrate: `make archive` in the checkout builds {named}")
    return Path(sys.executable)


def _described(python: Path, facts: dict[str, Any]) -> bytes:
    """The RO-Crate's metadata."""
    command = [str(python), "workflow/archive/crate.py"]
    environment = {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        ended = subprocess.run(
            command, input=json.dumps(facts).encode(), check=True, capture_output=True, env=environment, cwd=ROOT
        )
    except subprocess.CalledProcessError as error:
        raise InputError(f"{' '.join(command)}: {error.stderr.decode(errors='replace')[-500:]}") from None
    return ended.stdout
