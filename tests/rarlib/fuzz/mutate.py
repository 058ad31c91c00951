"""Small damage to a file that is whole: in its bytes, in the fields of its table, in the tree that it holds."""

import copy
import io
import json
import re
import zipfile
from collections.abc import Iterator
from typing import Any

from tests.rarlib.fuzz.draw import Draw


def bytes_of(draw: Draw, data: bytes, *, separators: bytes = b", :") -> bytes:
    """One to six changes of single bytes, stretches or fields."""
    for _ in range(draw.one([1, 1, 1, 2, 3, 6])):
        data = _one_change(draw, data, separators)
    return data


def _one_change(draw: Draw, data: bytes, separators: bytes) -> bytes:
    at = draw.below(len(data) + 1)
    kind = draw.below(10)
    if kind < 2 and data:
        return data[: at - 1] + bytes([draw.below(256)]) + data[at:] if at else data
    if kind < 5:
        return data[:at] + draw.token() + data[at:]
    if kind == 5:
        return data[:at] + data[at + draw.one([1, 2, 8, 64, 999]) :]
    if kind == 6:
        return data[:at]
    if kind == 7:
        return data[:at] + data[at : at + 500] + data[at:]
    separator = bytes([draw.one(separators)])
    fields = data.split(separator)
    fields[draw.below(len(fields))] = draw.token()
    return separator.join(fields)


def table(draw: Draw, data: bytes, comma: bytes = b",") -> bytes:
    """Changes of the fields, columns and rows of a table; sometimes of its bytes."""
    if draw.chance(0.3):
        return bytes_of(draw, data)
    rows = [row.split(comma) for row in data.split(b"\n")]
    for _ in range(draw.one([1, 1, 1, 1, 1, 2, 4])):
        _change_rows(draw, rows)
    return b"\n".join(comma.join(row) for row in rows)


def _change_rows(draw: Draw, rows: list[list[bytes]]) -> None:
    row = draw.one(rows)
    column, kind = draw.below(len(row)), draw.below(10)
    if kind < 5:
        row[column] = draw.plain() if draw.chance(0.4) else draw.token()
    elif kind == 5 and len(row) > 1:
        del row[column]
    elif kind == 6:
        row.insert(column, draw.token())
    elif kind == 7:
        token = draw.token()
        for each in rows[draw.below(2) :]:
            if column < len(each):
                each[column] = token
    elif kind == 8:
        rows[0][draw.below(len(rows[0]))] = draw.one(rows[0])
    else:
        rows.insert(draw.below(len(rows)), list(row))


def tree(draw: Draw, value: Any) -> Any:
    """Changes of one to three entries of lists and mappings."""
    value = copy.deepcopy(value)
    for _ in range(draw.one([1, 1, 1, 2, 3])):
        places = [place for place in _places(value) if place]
        if not places:
            return draw.tree()
        shallow = [place for place in places if len(place) <= 2]
        _change_entry(draw, value, draw.one(places if draw.chance(0.6) else shallow or places))
    return value


def _change_entry(draw: Draw, value: Any, place: tuple[Any, ...]) -> None:
    for key in place[:-1]:
        value = value[key]
    kind = draw.below(10)
    if kind < 6:
        value[place[-1]] = draw.tree()
    elif kind < 8:
        del value[place[-1]]
    elif isinstance(value, dict):
        value[draw.one(["", "gpus", draw.text()])] = draw.tree()
    else:
        value.append(draw.tree())


_ORDINARY = (0, 1, 2, 3, 8, 64, 0.5, 0.1, 1.5, 1e-3, 1e-9, 1e-300, 60, 3_600, 1e5, 1e6, 1e9, 1e10)


def numbers(draw: Draw, value: Any) -> Any:
    """Ordinary numbers, small and large ones in the place of one to three others; the rest stays whole."""
    value = copy.deepcopy(value)
    places = _numbers(value)
    for place in draw.random.sample(places, min(len(places), draw.one([1, 1, 2, 3]))):
        holder = value
        for key in place[:-1]:
            holder = holder[key]
        holder[place[-1]] = draw.one(_ORDINARY)
    return value


def _numbers(value: Any) -> list[tuple[Any, ...]]:
    """Places of numbers."""
    found = []
    for place in _places(value):
        at = value
        for key in place:
            at = at[key]
        if isinstance(at, int | float) and not isinstance(at, bool):
            found.append(place)
    return found


def _places(value: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield place
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inner:
        yield from _places(each, (*place, key))


def json_bytes(draw: Draw, value: Any) -> bytes:
    """JSON of a changed value; sometimes with changed bytes as well."""
    data = json.dumps(tree(draw, value)).encode()
    return bytes_of(draw, data) if draw.chance(0.2) else data


_XML = ('r="A1048576000"', 'r="ZZZZ1"', "<v>", "</c>", 't="s"', 't="b"', 't="d"', 't="inlineStr"', 's="9999"',
        "&x;", '<!DOCTYPE a [<!ENTITY b "c">]>', "A1:XFD1048576", "<row r='5000000'/>", "<row r='0'/>",
        "<row r='x'/>")  # fmt: skip
_PACKED = zipfile.ZIP_DEFLATED
_PIECE = re.compile(rb'"[^"]*"|>[^<]+<|<[/\w:]+')


def book(draw: Draw, data: bytes) -> bytes:
    """Changes in one part of a workbook, or in its bytes."""
    if draw.chance(0.3):
        return bytes_of(draw, data)
    part = draw.one(["sheet1", "sheet1", "sheet1", "workbook", "Content", "sharedStrings", "styles", "rels"])
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(stream, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            new.writestr(zipfile.ZipInfo(name), _xml(draw, content) if part in name else content, _PACKED)
    return stream.getvalue()


def _xml(draw: Draw, content: bytes) -> bytes:
    for _ in range(draw.one([1, 1, 2, 3])):
        token = draw.one(_XML).encode() if draw.chance(0.5) else draw.token()
        pieces = list(_PIECE.finditer(content))
        if draw.chance(0.6) and pieces:
            piece = draw.one(pieces)
            start, end = piece[0][:1], piece[0][-1:]
            put = start + token.replace(b'"', b"") + (end if start != b"<" else b"")
            content = content[: piece.start()] + put + content[piece.end() :]
        else:
            at = draw.below(len(content) + 1)
            content = content[:at] + token + content[at + draw.one([0, 0, 1, 50]) :]
    return content or b" "
