"""The list of wheels in archive/ belongs to the lock."""

import csv

import pytest

from tools.wheels import COLUMNS, LOCK, WHEELS, locked, serves


def _rows() -> list[dict[str, str]]:
    with WHEELS.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def test_every_file_has_a_digest_that_the_lock_allows() -> None:
    allowed = {(each.name, each.version): each.digests for each in locked(LOCK.read_text(encoding="utf-8"))}
    rows = _rows()
    assert tuple(rows[0]) == COLUMNS
    assert not [row["file"] for row in rows if row["sha256"] not in allowed.get((row["package"], row["version"]), ())]
    assert len({row["file"] for row in rows}) == len(rows)


def test_every_package_of_the_lock_has_a_file_unless_it_is_for_other_systems() -> None:
    text = LOCK.read_text(encoding="utf-8")
    packages = locked(text)
    entries = [line for line in text.splitlines() if line[:1].isalnum()]
    assert len(packages) == len(entries) > 150
    windows = {line.partition("==")[0] for line in entries if line.endswith(("== 'nt' \\", "== 'win32' \\"))}
    missing = {each.name for each in packages} - {row["package"] for row in _rows()}
    assert missing <= windows


@pytest.mark.parametrize(
    ("wheel", "expected"),
    [
        ("tqdm-4.66.0-py3-none-any.whl", True),
        ("numpy-2.4.6-cp311-cp311-manylinux_2_27_x86_64.manylinux_2_28_x86_64.whl", True),
        ("psutil-7.2.2-cp36-abi3-macosx_11_0_arm64.whl", True),
        ("numpy-2.4.6-cp311-cp311-win_amd64.whl", False),
        ("numpy-2.4.6-cp314-cp314t-manylinux_2_27_x86_64.whl", False),
        ("numpy-2.4.6-cp310-cp310-manylinux_2_27_x86_64.whl", False),
        ("numpy-2.4.6-pp311-pypy311_pp73-manylinux_2_27_x86_64.whl", False),
    ],
)
def test_systems(wheel: str, expected: bool) -> None:
    assert serves(wheel) is expected
