"""Messages of errors: every combination of place and rule, every length at which one is cut."""

import copy
import json
from itertools import product

import pytest

from rarlib.model.errors import (
    InputError,
    SchedulerError,
    did_you_mean,
    ending,
    nearest,
    shown,
)


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
    """So that a message is one line."""
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
