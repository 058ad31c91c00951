"""Two users, two folders, another locale, zone, umask and order of files: the same bytes."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

_PROGRAM = Path(__file__).with_name("pack_once.py")
_OTHERS = {
    "TZ": "Asia/Kathmandu", "LC_ALL": "tr_TR.UTF-8", "PYTHONHASHSEED": "12345", "HOME": "/nonexistent",
    "USER": "somebody", "COLUMNS": "7", "RARLIB_OFFLINE": "1",
}  # fmt: skip


def packed(results: Path, folder: Path, umask: int, **environment: str) -> dict[str, bytes]:
    folder.mkdir()
    command = [sys.executable, str(_PROGRAM), str(results), str(folder)]
    kept = {"PATH": os.environ["PATH"]}
    subprocess.run(command, check=True, cwd=folder, umask=umask, env={**kept, **environment}, capture_output=True)
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def backwards(results: Path, folder: Path) -> Path:
    """A copy whose files were written in the opposite order, now, with other modes."""
    for path in sorted((path for path in results.rglob("*") if path.is_file()), reverse=True):
        target = folder / path.relative_to(results)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
        target.chmod(0o600)
    return folder


@pytest.mark.release
def test_a_deposit_is_the_same_everywhere(results, tmp_path):
    one = packed(results, tmp_path / "one", 0o022, TZ="UTC", PYTHONHASHSEED="0")
    other = packed(backwards(results, tmp_path / "copy"), tmp_path / "a folder with spaces", 0o077, **_OTHERS)
    assert one == other
    assert sorted(one) == ["deposit.zip"]
