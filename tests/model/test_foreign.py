"""Text of an input in tables and on the terminal: harmless there, and the same when it is read back."""

import csv
import io
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from rarlib.model.foreign import as_field, from_field, printable


@given(st.text(st.characters()))
def test_reading_gives_the_text_back_and_no_field_is_a_formula(text):
    field = as_field(text)
    assert from_field(field) == text
    assert not field.startswith(("=", "+", "-", "@", "\t", "\r"))
    written = io.StringIO(newline="")
    csv.writer(written).writerow([field, ""])
    assert next(csv.reader(io.StringIO(written.getvalue(), newline=""))) == [field, ""]
    written.getvalue().encode()


def test_every_short_text_of_the_signs_of_the_rule_comes_back():
    """Apostrophes, backslashes and codes that look like escapes are where a rule of quoting goes wrong."""
    texts = ["".join(signs) for length in range(6) for signs in product("'=\\\nx0", repeat=length)]
    assert [from_field(as_field(text)) for text in texts] == texts
    assert len({as_field(text) for text in texts}) == len(texts)


@given(st.text(st.characters()))
def test_nothing_moves_the_cursor_or_turns_the_line(text):
    assert not set(printable(text)) & {chr(n) for n in (*range(32), *range(0x7F, 0xA0), 0x2028, 0x202E, 0x2066)}
