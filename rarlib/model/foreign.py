r"""Text that an input chose, such as the id of a job: as a field of a table, and as part of a line on the terminal.

A spreadsheet runs a field that begins with `=`, `+`, `-` or `@` as a formula, and control characters move the cursor of
a terminal or change the direction of writing. In tables such text is *quoted*: an apostrophe, then the text with each
backslash doubled and each control character as `\xNN` or `\uNNNN`. All other text stays as it is, and reading a field
gives the text back.
"""

import re
from collections.abc import Iterable

_MARK = "'"
_FORMULA = ("=", "+", "-", "@")
# C0 and C1, line and paragraph separators, marks that reorder text, halves of surrogate pairs.
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_ESCAPED = re.compile(r"\\(?:(\\)|x([0-9a-f]{2})|u([0-9a-f]{4}))|\\")


def printable(text: object) -> str:
    r"""Text for a terminal: each control character, line breaks included, becomes `\xNN` or `\uNNNN`."""
    return _CONTROL.sub(_code, str(text))


def as_field(text: str) -> str:
    """Text as a table holds it; `from_field` gives it back."""
    mistakable = text.startswith(_MARK) and from_field(text) != text
    if not (mistakable or text.startswith(_FORMULA) or _CONTROL.search(text)):
        return text
    return _MARK + printable(text.replace("\\", "\\\\"))


def from_field(field: str) -> str:
    """Text of a field that `as_field` wrote; a field that it cannot have written stays as it is."""
    if not field.startswith(_MARK):
        return field
    text = _ESCAPED.sub(_character, field[1:])
    return text if as_field(text) == field else field


def as_fields(texts: Iterable[str]) -> list[str]:
    """`as_field` of each text."""
    return [as_field(text) for text in texts]


def from_fields(fields: Iterable[str]) -> list[str]:
    """`from_field` of each field."""
    return [from_field(field) for field in fields]


def _code(found: re.Match[str]) -> str:
    number = ord(found[0])
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}"


def _character(found: re.Match[str]) -> str:
    backslash, byte, unit = found.groups()
    return backslash or (chr(int(byte or unit, 16)) if byte or unit else found[0])
