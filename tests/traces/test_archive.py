import gzip
import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from rarlib.model.errors import InputError
from rarlib.traces.archive import member_bytes

TEXT = b"a,b\n1,2\n" * 500


def _zip(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


def _tar(path: Path, members: dict[str, bytes]) -> Path:
    with tarfile.open(path, "w:gz") as archive:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return path


def test_same_content_from_every_wrapping(tmp_path: Path) -> None:
    # A reader would see other jobs in an archive than in the file it was made from.
    (tmp_path / "t.csv").write_bytes(TEXT)
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(TEXT))
    wrapped = [_zip(tmp_path / "t.zip", {"t.csv": TEXT}), _tar(tmp_path / "t.tar.gz", {"./t.csv": TEXT})]
    for path in [tmp_path / "t.csv", tmp_path / "t.csv.gz", *wrapped]:
        assert member_bytes(path) == TEXT


@pytest.mark.parametrize("name", ["t.zip", "t.tar.gz", "t.csv.gz"])
def test_truncated_archive_is_an_error(tmp_path: Path, name: str) -> None:
    # Half a download would pass for a short trace.
    whole = tmp_path / name
    text = bytes(range(256)) * 2000
    if name == "t.zip":
        _zip(whole, {"t.csv": text})
    elif name == "t.tar.gz":
        _tar(whole, {"t.csv": text})
    else:
        whole.write_bytes(gzip.compress(text))
    whole.write_bytes(whole.read_bytes()[:-40])
    with pytest.raises(InputError, match=f"{name}.*truncated or damaged"):
        member_bytes(whole)


def test_flipped_byte_in_a_zip_is_an_error(tmp_path: Path) -> None:
    # Damage inside a member would reach the reader as data.
    path = tmp_path / "t.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("t.csv", TEXT)
    data = bytearray(path.read_bytes())
    data[100] ^= 1
    path.write_bytes(bytes(data))
    with pytest.raises(InputError, match="damaged"):
        member_bytes(path)


@pytest.mark.parametrize("make", [_zip, _tar])
def test_hostile_member_writes_nothing(tmp_path: Path, make: object) -> None:
    # A member named ../x would overwrite a user's file.
    inner = tmp_path / "inner"
    inner.mkdir()
    name = "t.zip" if make is _zip else "t.tar.gz"
    path = make(inner / name, {"../escaped.csv": TEXT})  # type: ignore[operator]
    assert member_bytes(path) == TEXT
    assert [p.name for p in tmp_path.rglob("*") if p.is_file()] == [name]


def test_member_larger_than_the_bound_is_refused(tmp_path: Path) -> None:
    # A small archive that unpacks to all of the memory would take the machine down.
    path = _zip(tmp_path / "bomb.zip", {"t.csv": b"0" * 10_000_000})
    assert path.stat().st_size < 20_000
    with pytest.raises(InputError, match="unpacks to more than 1,000,000 bytes"):
        member_bytes(path, max_bytes=1_000_000)


def test_member_is_chosen_by_the_end_of_its_path(tmp_path: Path) -> None:
    # The wrong cluster's log would be read.
    path = _zip(tmp_path / "data.zip", {"data/Venus/cluster_log.csv": b"venus", "data/Earth/cluster_log.csv": b"earth"})
    assert member_bytes(path, "Venus/cluster_log.csv") == b"venus"
    with pytest.raises(InputError, match="exactly one job log, found 2"):
        member_bytes(path)
    with pytest.raises(InputError, match=r"Mars/cluster_log.csv, found 0"):
        member_bytes(path, "Mars/cluster_log.csv")


def test_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nowhere.csv: no such file"):
        member_bytes(tmp_path / "nowhere.csv")
