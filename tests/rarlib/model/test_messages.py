"""Messages: place and rule, length, the nearest name, text of an input on a terminal."""

import copy
import csv
import errno
import io
import json
import os
from itertools import product
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rarlib.model.errors import (
    DecisionError,
    InputError,
    SchedulerError,
    did_you_mean,
    ending,
    nearest,
    require_numbers,
    shown,
)
from rarlib.model.foreign import as_field, from_field, printable


def numbered(length: int) -> str:
    """Text in which every part tells where it stood."""
    return "".join(f"{k:05d}." for k in range(length // 6 + 1))[:length]


@pytest.mark.parametrize("most", [80, 7])
def test_a_value_is_quoted_up_to_a_length(most: int) -> None:
    """One character more is cut there, and dots say so; the length without one is 80."""
    more = {} if most == 80 else {"most": most}
    for length in (1, most - 1, most):
        assert shown(numbered(length), **more) == repr(numbered(length))
        assert shown(int("9" * length), **more) == "9" * length
    for length in (most + 1, 3 * most):
        assert shown(numbered(length), **more) == repr(numbered(length)[:most] + "...")
        assert shown(int("9" * length), **more) == "9" * most + "..."


def test_a_message_names_the_place_as_far_as_it_is_known() -> None:
    """File, row and field in this order, then the rule; row 0 and empty names are places, too."""
    for file, row, field in product((None, "f.csv", ""), (None, 0, 7), (None, "x", "")):
        error = InputError("is odd", file=file, row=row, field=field)
        parts = [str(file)] * (file is not None) + [f"row {row}"] * (row is not None)
        parts += [f"field {field}"] * (field is not None)
        expected = f"{', '.join(parts)}: is odd" if parts else "is odd"
        assert str(error) == expected
        assert (error.rule, error.file, error.row, error.field) == ("is odd", file, row, field)
        assert error._render_traceback_() == [f"error: {expected}"]


def test_line_breaks_become_spaces_and_other_controls_are_escaped() -> None:
    assert str(InputError("a\tb\nc\rd\x1be", file="f\n")) == r"f : a b c d\x1be"


def raised(error: Exception) -> Exception:
    """An error as a handler gets it, with its traceback."""
    try:
        _below(error)
    except type(error) as caught:
        return caught
    raise AssertionError


def _below(error: Exception) -> None:
    raise error


HERE, LINE = _below.__code__.co_filename, _below.__code__.co_firstlineno + 1


def test_an_error_of_a_scheduler_names_the_line_that_raised_it() -> None:
    """The innermost one; the message is one line, and crosses processes."""
    said = str(SchedulerError("mine", "pass 3", raised(ValueError("two\n  lines"))))
    assert said == f"scheduler mine failed in pass 3: ValueError: two lines ({HERE}, line {LINE})"
    plain = SchedulerError("mine", "pass 3", KeyError())
    assert str(plain) == "scheduler mine failed in pass 3: KeyError: no message"
    with pytest.raises(ValueError, match="Expecting value") as caught:
        json.loads("x")
    inner = caught.tb
    while inner.tb_next is not None:
        inner = inner.tb_next
    file, line = inner.tb_frame.f_code.co_filename, inner.tb_lineno
    assert file != HERE
    assert str(SchedulerError("mine", "pass 3", caught.value)).endswith(f" ({file}, line {line})")
    assert ending(AssertionError().with_traceback(caught.tb)).line.endswith(f" in {file}, line {line}")
    again = copy.copy(plain)
    assert type(again) is SchedulerError and again is not plain and str(again) == str(plain)


@pytest.mark.parametrize(
    ("name", "known", "found"),
    [
        ("DURATION", ["gpus", "Duration_s"], "Duration_s"),
        ("gpsu", ["gpus", "user"], "gpus"),
        ("the_duration_in_s_of_the_job", ["duration", "gpus"], "duration"),
        ("load", ["a_very_long_name_with_load_in_it", "gpus"], "a_very_long_name_with_load_in_it"),
        ("loa", ["a_very_long_name_with_loa_in_it"], ""),
        ("a_very_long_name_with_loa_in_it", ["loa"], ""),
        ("x", ["gpus", "user"], ""),
        ("a" * 100, ["a" * 99], "a" * 99),
        ("a" * 101, ["a" * 99], ""),
        ("x", [], ""),
    ],
)
def test_the_nearest_name(name: str, known: list[str], found: str) -> None:
    """Misspelt, or one within the other if both have more than three letters; nothing for very long names."""
    assert nearest(name, known) == found
    assert did_you_mean(name, known) == (f"; did you mean '{found}'?" if found else "")


@pytest.mark.parametrize("value", [-1.0, float("inf"), float("nan")])
@pytest.mark.parametrize("zero", [True, False])
def test_others_are_refused_by_name(value, zero):
    with pytest.raises(InputError, match="field b: must be a number"):
        require_numbers(SimpleNamespace(a=1.0, b=value), "a", "b", zero=zero)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (InputError("must be a number"), 2),
        (DecisionError("is not waiting"), 2),
        (MemoryError(), 2),
        (PermissionError(errno.EACCES, "Permission denied", "b.csv"), 2),
        (ZeroDivisionError("division by zero"), 70),
        (AssertionError(), 70),
    ],
)
def test_exit_codes_are_those_that_the_questions_page_states(error, code):
    """2 as shells and argument parsers have it, 70 as sysexits.h calls a software error."""
    assert ending(error).code == code
    assert getattr(os, "EX_SOFTWARE", 70) == 70
    assert "\n" not in ending(error).line


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
