"""The sdist and the wheel: the same bytes from the same files, all that the package reads, nothing twice."""

import os
import shutil
import subprocess
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.rarlib.library.clean import ROOT, Clean, built


@pytest.mark.release
def test_the_same_files_give_the_same_bytes(builder: Clean, distributions: list[Path], tmp_path: Path) -> None:
    """Another folder, other times and rights of files: whoever builds the release again can compare it."""
    names = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True)
    for name in names.stdout.decode().splitlines():
        copied = tmp_path / "another place" / name
        copied.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, copied)
        copied.chmod(0o600)
        os.utime(copied, (1e9, 1e9))
    again = built(builder, tmp_path / "another place", tmp_path / "again")
    assert [path.name for path in again] == [path.name for path in distributions]
    assert [path.name for path, other in zip(again, distributions, strict=True) if not same(path, other)] == []


def same(first: Path, second: Path) -> bool:
    return first.read_bytes() == second.read_bytes()


@pytest.mark.release
def test_the_sdist_builds_the_wheel(builder: Clean, distributions: list[Path], tmp_path: Path) -> None:
    """A file that the sdist lacks is missed by whoever builds from it."""
    packed = next(path for path in distributions if path.name.endswith(".tar.gz"))
    with tarfile.open(packed) as archive:
        archive.extractall(tmp_path, filter="data")
    (folder,) = tmp_path.iterdir()
    (wheel,) = built(builder, folder, tmp_path / "wheel", ["wheel"])
    (ours,) = [path for path in distributions if path.suffix == ".whl"]
    assert same(wheel, ours)


def test_the_wheel_holds_the_library_alone(wheel: Path) -> None:
    """Every file of the package that git knows, and nothing of the artifact or the project's other folders."""
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    listed = subprocess.run(["git", "ls-files", "rarlib"], cwd=ROOT, check=True, capture_output=True, text=True)
    assert names == set(listed.stdout.split())
