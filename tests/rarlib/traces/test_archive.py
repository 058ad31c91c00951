"""Archives and tables: the same content from every wrapping, hostile members, rows as an editor numbers them."""

import gzip
import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from rarlib.model.errors import InputError
from rarlib.traces.archive import member_bytes
from rarlib.traces.table import RawTable

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


def _parse(text: str, *columns: str) -> RawTable:
    return RawTable.parse(text.encode(), "t.csv", text=columns)


def test_rows_are_named_as_an_editor_numbers_them() -> None:
    # An error would point a user to the wrong line; empty lines and a trailing newline must not shift the count.
    table = _parse("a\n1\n\n2\n\n\nx\n\n", "a")
    assert table.lines.tolist() == [2, 4, 7]
    with pytest.raises(InputError, match=r"t.csv, row 7, field a: must be a number, found 'x'"):
        table.numbers("a")


def test_windows_line_ends_and_byte_order_mark() -> None:
    # A file saved by a spreadsheet would lose its first column or its row numbers.
    table = RawTable.parse(b"\xef\xbb\xbfa,b\r\n1,2\r\n\r\n3,?\r\n", "t.csv", text=())
    assert table.numbers("a").tolist() == [1, 3]
    with pytest.raises(InputError, match="row 4, field b"):
        table.numbers("b")


@pytest.mark.parametrize(
    ("text", "row"), [("a,b\n1,2\n1,2,3\n", 3), ("a,b\n1,2,3\n1,2,3\n", 2), ("a,b\n1,2\n\n1,2,3\n", 4)]
)
def test_too_many_fields(text: str, row: int) -> None:
    # A stray comma would shift every later column of the row.
    with pytest.raises(InputError, match=f"row {row}"):
        _parse(text)


def test_too_few_fields() -> None:
    # A row that was cut off would pass for one with empty fields.
    with pytest.raises(InputError, match="row 3: has 1 field where 2 are expected"):
        _parse("a,b\n1,2\n3\n")


def test_open_quote_and_binary_and_nothing() -> None:
    with pytest.raises(InputError, match="row 3: a quoted field is never closed"):
        _parse('a,b\n1,2\n3,"4\n')
    with pytest.raises(InputError, match="not UTF-8"):
        RawTable.parse(b"a,b\n1,\xff\xfe\n", "t.csv", text=("b",))
    with pytest.raises(InputError, match="empty"):
        _parse("\n\n")


def test_times_are_read_as_they_stand_or_by_their_zone() -> None:
    # Zone-less times must not be moved; zoned ones must (Acme mixes +08:00 and +00:00).
    plain = _parse("t\n1970-01-02 00:00:01\n", "t").seconds("t", "%Y-%m-%d %H:%M:%S")
    zoned = _parse("t\n1970-01-02 08:00:01+08:00\n1970-01-02 00:00:01+00:00\n", "t").seconds("t", "ISO8601")
    assert plain.tolist() == [86401.0]
    assert zoned.tolist() == [86401.0, 86401.0]
    with pytest.raises(InputError, match=r"row 2, field t: must be a time.*'1970-02-30 00:00:00'"):
        _parse("t\n1970-02-30 00:00:00\n", "t").seconds("t", "%Y-%m-%d %H:%M:%S")
