"""Files made to take all memory or time: each is refused in seconds, and the message is one line."""

import gzip
import io
import os
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import openpyxl
import pytest

from rarlib.model.errors import InputError
from rarlib.traces.load import load_trace
from tests.circles import first
from tests.measured_run import measured_run

HEADER = b"submit_s,gpus,duration_s\n"


def _gzip(start: bytes, part: bytes, times: int) -> bytes:
    """A gzip file of a part many times over, which this process never holds."""
    stream = io.BytesIO()
    with gzip.GzipFile(fileobj=stream, mode="wb", compresslevel=1) as packed:
        packed.write(start)
        block = part * max(1, 2**20 // len(part))
        for _ in range(times // (len(block) // len(part))):
            packed.write(block)
    return stream.getvalue()


def _gzip_bomb() -> bytes:
    return _gzip(HEADER, b"0", 3 * 2**29)


def _row_bomb() -> bytes:
    return _gzip(HEADER, b"0,1,5\n", 2**26)


def _zip(member: bytes, method: int = zipfile.ZIP_DEFLATED, name: str = "t.csv") -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method, compresslevel=1) as archive:
        archive.writestr(name, member)
    return stream.getvalue()


def _zip_bomb() -> bytes:
    stream = io.BytesIO()
    packed = zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=1)
    with packed as archive, archive.open("t.csv", "w") as member:
        for _ in range(1_500):
            member.write(b"0" * 2**20)
    return stream.getvalue()


def _many_members() -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz", compresslevel=1) as archive:
        for number in range(60_000):
            archive.addfile(tarfile.TarInfo(str(number)))
    return stream.getvalue()


def _wide(columns: int) -> bytes:
    header = HEADER.strip() + b"," + b",".join(b"c%d" % i for i in range(columns))
    return header + b"\n0,1,5," + b",".join([b"1"] * columns) + b"\n"


def _with_sheet(change: Callable[[bytes], bytes]) -> bytes:
    """A workbook of two jobs whose sheet is changed as XML."""
    book, made, changed = openpyxl.Workbook(), io.BytesIO(), io.BytesIO()
    for row in (("Job type", "Running time", "GPU"), (1, 10, 1), (2, 20, 2)):
        book.active.append(row)
    book.save(made)
    with zipfile.ZipFile(made) as old, zipfile.ZipFile(changed, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            part = old.read(name)
            new.writestr(name, change(part) if name.endswith("sheet1.xml") else part)
    return changed.getvalue()


def _renumbered() -> bytes:
    return _with_sheet(lambda sheet: sheet.replace(b'<row r="3"', b'<row r="2000000000"'))


def _two_million_cells() -> bytes:
    row = b"<row>" + b'<c t="n"><v>1</v></c>' * 100 + b"</row>"
    return _with_sheet(lambda sheet: sheet.replace(b"</sheetData>", row * 20_000 + b"</sheetData>"))


def _deep_json() -> bytes:
    return b'[{"jobid": ' + b"[" * 100_000 + b"]" * 100_000 + b"}]"


BOMBS = {
    "bomb.csv.gz": (_gzip_bomb, "unpacks to more than"),
    "rows.csv.gz": (_row_bomb, "unpacks to more than|more than 10,000,000 rows"),
    "bomb.zip": (_zip_bomb, "unpacks to more than"),
    "many.tar.gz": (_many_members, "more than 10,000 members"),
    "wide.csv": (lambda: _wide(10**6), "more than 1,000 columns"),
    "renumbered.xlsx": (_renumbered, "more than 1,048,576 rows"),
    "cells.xlsx": (_two_million_cells, "more than 400,000 cells"),
    "deep.json": (_deep_json, "nested too deeply"),
    "lists.json": (lambda: b'[{"jobid": [' + b"[]," * 30_000_000 + b"[]]}]", "4,194,304 characters"),
    "quotes.csv": (lambda: HEADER + b'"' + b"a\n" * 10**7, "more than"),
    "name.csv": (lambda: HEADER.replace(b"gpus", b"g" * 10**7) + b"0,1,5\n", "not recognised"),
    "field.csv": (lambda: HEADER + b"0," + b"x" * 10**7 + b",5\n", "row 2"),
    "many_names.csv": (lambda: b",".join(b"%dgpus" % i for i in range(900)) + b"\n" + b"1," * 900, "not recognised"),
}


@pytest.mark.parametrize("name", first(6, BOMBS))
def test_a_bomb_is_refused_in_seconds(tmp_path: Path, name: str) -> None:
    # A file of some kilobytes that takes the memory or the evening of whoever opens it.
    make, rule = BOMBS[name]
    path = tmp_path / name
    path.write_bytes(make())
    outcome = measured_run("load_trace(given)", path)
    assert any(part in outcome.said for part in rule.split("|")), outcome
    assert str(path) in outcome.said
    assert outcome.small, outcome


@pytest.mark.parametrize("format", [None, "pai", "helios"])
def test_what_is_no_regular_file_is_refused_at_once(tmp_path: Path, format: str | None) -> None:
    # A pipe would be waited for, a device read without end.
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    for path, rule in ((pipe, "not a regular file"), (Path("/dev/zero"), "not a regular file|should hold")):
        outcome = measured_run(f"load_trace(given, {format!r})", path)
        assert any(part in outcome.said for part in (*rule.split("|"), "should hold")), outcome
        assert outcome.small


@pytest.mark.parametrize("name", ["a" * 5_000, "nul\0name", "x/" * 3_000])
def test_a_name_that_no_file_can_have(name: str) -> None:
    with pytest.raises(InputError, match="neither a file nor a source's name") as caught:
        load_trace(name)
    assert len(str(caught.value)) < 500
    assert "\0" not in str(caught.value)


def test_a_link_in_a_loop(tmp_path: Path) -> None:
    (tmp_path / "a.csv").symlink_to(tmp_path / "b.csv")
    (tmp_path / "b.csv").symlink_to(tmp_path / "a.csv")
    with pytest.raises(InputError, match=r"a.csv: cannot be read: too many levels of symbolic links"):
        load_trace(tmp_path / "a.csv")


def test_packed_in_a_way_that_cannot_be_read(tmp_path: Path) -> None:
    # Encrypted members and unknown methods are no damage that Python's module calls one.
    whole = bytearray(_zip(HEADER, zipfile.ZIP_STORED))
    for place, value, rule in ((6, 1, "encrypted"), (8, 99, "compression")):
        data, directory = bytearray(whole), whole.index(b"PK\x01\x02")
        data[place] = data[directory + place + 2] = value
        (tmp_path / "t.zip").write_bytes(data)
        with pytest.raises(InputError, match=rf"t.zip: truncated or damaged archive: .*{rule}"):
            load_trace(tmp_path / "t.zip")
