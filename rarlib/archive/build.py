"""Build the deposit: its folder and archives."""

import json
import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rarlib.archive.contents import Deposit, collect
from rarlib.archive.crate_facts import crate_facts
from rarlib.archive.documents import deposit_name, documents
from rarlib.archive.packing import as_tar, as_zip
from rarlib.archive.source import Commit, read_source
from rarlib.archive.swhid import SourceFile
from rarlib.model.errors import InputError
from rarlib.model.files import written
from rarlib.model.project import ROOT

CRATE_PYTHON = "RARLIB_CRATE_PYTHON"
"""Environment variable: a Python with the packages of archive/tools.lock; without it that of .venv-archive."""


def build_deposit(root: Path, results: Path, folder: Path, edition: str) -> tuple[Commit, Deposit]:
    """Write the deposit's folder, `.tar.zst` and `.zip`; the same commit and results give the same bytes.

    Args:
        root: the project's folder, a checkout without changes.
        results: folder that a whole run of the pipeline has filled.
        folder: where to write.
        edition: which configuration made the results, see `edition_of`.

    Raises:
        InputError: as `read_source` and `collect`, or when nothing can be compressed.
    """
    source = read_source(root)
    deposit = collect(root, results, source)
    name = deposit_name(edition)
    deposit.files |= documents(source, edition)
    finish_with_crate(deposit, crate_facts(deposit, source, edition), crate_python(root))
    write_deposit(deposit, folder / name)
    tar = as_tar(deposit.files, name, source.seconds)
    for packed, data in (
        (f"{name}.tar.zst", _compressed(tar)),
        (f"{name}.zip", as_zip(deposit.files, name, source.seconds)),
    ):
        with written(folder / packed) as part:
            part.write_bytes(data)
    return source, deposit


def finish_with_crate(deposit: Deposit, facts: Mapping[str, Any], python: Path) -> None:
    """Add the RO-Crate metadata and the tree of digests.

    Args:
        deposit: complete but for these two.
        facts: what `archive/crate.py` describes.
        python: an interpreter that has the package rocrate.

    Raises:
        InputError: when that program cannot be run.
    """
    made = _run([str(python), "archive/crate.py"], json.dumps(facts).encode(), ROOT)
    deposit.files["ro-crate-metadata.json"] = SourceFile(made)
    deposit.finish()


def write_deposit(deposit: Deposit, folder: Path) -> None:
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


def _compressed(data: bytes) -> bytes:
    # One thread: with several, the bytes depend on their number.
    return _run(["zstd", "-q", "-10", "--single-thread", "-c"], data, ROOT)


def _run(command: list[str], data: bytes, folder: Path) -> bytes:
    # Variables such as ZSTD_CLEVEL would change the bytes.
    environment = {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        ended = subprocess.run(command, input=data, check=True, capture_output=True, env=environment, cwd=folder)
    except FileNotFoundError:
        raise InputError(
            f"needs {command[0]}: make archive builds .venv-archive, zstd is a package of every system"
        ) from None
    except subprocess.CalledProcessError as error:
        raise InputError(f"{' '.join(command)}: {error.stderr.decode(errors='replace')[-500:]}") from None
    return ended.stdout
