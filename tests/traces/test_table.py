import pytest

from rarlib.model.errors import InputError
from rarlib.traces.table import RawTable


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
