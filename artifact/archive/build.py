"""Build a deposit: its folder and archives."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from artifact.archive.contents import Deposit, Subject, collect
from artifact.archive.crate_facts import crate_facts
from artifact.archive.packing import as_tar, as_zip
from artifact.archive.swhid import SourceFile
from artifact.run.commit import TREE_FILE
from rarlib.model.errors import InputError
from rarlib.model.files import written
from rarlib.model.project import ROOT

CRATE_PYTHON = "RARLIB_CRATE_PYTHON"
"""Environment variable: a Python with the package rocrate; without it that of .venv-archive, else the running one."""


def build_deposit(subject: Subject, results: Path, folder: Path, endings: Sequence[str]) -> str:
    """Write the folder and the archives of a deposit; a line about them.

    The same source, results, packages and rarlib give the same bytes.

    Args:
        subject: whose results they are.
        results: folder that a whole run has filled.
        folder: where to write.
        endings: of the archives, `.zip` or `.tar.zst`.

    Raises:
        InputError: as `collect`, or when the crate cannot be described or nothing can be compressed.
    """
    python = _python_with_rocrate()
    deposit = collect(subject, results)
    made = _run([str(python), "archive/crate.py"], json.dumps(crate_facts(subject, deposit)).encode())
    deposit.files["ro-crate-metadata.json"] = SourceFile(made)
    deposit.finish()
    _write(deposit, folder / subject.name)
    for ending in endings:
        with written(folder / f"{subject.name}{ending}") as part:
            part.write_bytes(_packed(deposit, subject, ending))
    root = json.loads(deposit.files[TREE_FILE].data)["root"]
    made_of = f"commit {subject.source.commit}, " if subject.source.commit else ""
    files = f"{len(deposit.files)} files of {made_of}{subject.source.directory}"
    return f"{folder / subject.name}: {files}, root digest {root}"


def _packed(deposit: Deposit, subject: Subject, ending: str) -> bytes:
    if ending == ".zip":
        return as_zip(deposit.files, subject.name, subject.source.seconds)
    tar = as_tar(deposit.files, subject.name, subject.source.seconds)
    # One thread: with several, the bytes depend on their number.
    return _run(["zstd", "-q", "-10", "--single-thread", "-c"], tar)


def _write(deposit: Deposit, folder: Path) -> None:
    """Write the files of a deposit into a folder, in place of what is there."""
    shutil.rmtree(folder, ignore_errors=True)
    for name, file in sorted(deposit.files.items()):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.data)
        path.chmod(0o755 if file.executable else 0o644)


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


def _run(command: list[str], data: bytes) -> bytes:
    # Variables such as ZSTD_CLEVEL would change the bytes.
    environment = {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        ended = subprocess.run(command, input=data, check=True, capture_output=True, env=environment, cwd=ROOT)
    except FileNotFoundError:
        raise InputError(
            f"needs {command[0]}: make archive builds .venv-archive, zstd is a package of every system"
        ) from None
    except subprocess.CalledProcessError as error:
        raise InputError(f"{' '.join(command)}: {error.stderr.decode(errors='replace')[-500:]}") from None
    return ended.stdout
