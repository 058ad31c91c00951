"""Messages of errors: every combination of place and rule, every length at which one is cut, every kind of ending."""

import copy
import errno
import json
from itertools import product
from types import SimpleNamespace
from typing import Any

import pytest

from rarlib.model.errors import (
    DecisionError,
    InputError,
    SchedulerError,
    did_you_mean,
    ending,
    nearest,
    require_keys,
    require_numbers,
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


def test_collections_are_counted() -> None:
    """Their content may be as long as a file."""
    assert [shown(each) for each in ([1, 2], (1,), {3, 4, 5})] == ["a list of 2", "a list of 1", "a list of 3"]
    assert shown({"a": 1}) == "a mapping of 1"
    assert shown(10**5_000) == "a number of thousands of digits"
    assert (shown(None), shown(1.5), shown(True)) == ("None", "1.5", "True")


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


@pytest.mark.parametrize(("part", "most"), [("rule", 1_200), ("file", 300), ("field", 160)])
def test_the_middle_of_a_long_part_is_left_out(part: str, most: int) -> None:
    """Both ends stay, since a path ends with its name and a rule with what was found."""
    for length in (most - 1, most, most + 1, most + 2, 3 * most):
        text = numbered(length)
        parts: dict[str, Any] = {"rule": "", part: text}
        said = str(InputError(**parts)).removeprefix("field ").removesuffix(": ")
        assert said == (text if length <= most else f"{text[: most // 2]} ... {text[length - most // 2 :]}")


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


def test_the_closest_of_several_is_named() -> None:
    """By the share of letters in common, before one that is only a part; as closest counts from 0.6 on."""
    assert nearest("duratoin", ["dura", "duration", "durations_of_all"]) == "duration"
    # 2 M / T with M letters in common of T: 6 of 10 and 10 of 18.
    assert nearest("abcxx", ["abcyy"]) == "abcyy"
    assert nearest("abcdexxxx", ["abcdeyyyy"]) == ""


def test_keys_of_a_table() -> None:
    """The unknown one is quoted, the known ones are listed in order; what is no table is refused."""
    require_keys({"a": 1, "b": 2}, {"b", "a"}, "f", "x")
    require_keys({}, (), "f", "x")
    with pytest.raises(InputError, match=r"^f, field x: unknown key 'c'; known: a, b$"):
        require_keys({"a": 1, "c": 2}, {"b", "a"}, "f", "x")
    with pytest.raises(InputError, match=r"^f, field x: must be a mapping$"):
        require_keys([1], {"a"}, "f", "x")


def test_numbers_are_refused_with_their_rule() -> None:
    """Every attribute is looked at; 0 is at least 0 and not above it."""
    require_numbers(SimpleNamespace(a=1e-300, b=1), "a", "b")
    for zero, rule in ((False, "must be a number above 0"), (True, "must be a number of at least 0")):
        with pytest.raises(InputError, match=f"^field b: {rule}, found -1$"):
            require_numbers(SimpleNamespace(a=1, b=-1), "a", "b", zero=zero)


def test_how_commands_end() -> None:
    """The user's errors as they are; what the system says with its place; a fault with its line, and 500 characters."""
    for error in (InputError("is odd"), DecisionError("is odd"), raised(DecisionError("is\nodd"))):
        assert ending(error) == (2, str(error).replace("\n", " "))
    assert ending(MemoryError()) == (2, "not enough memory for this input")
    assert ending(PermissionError(errno.EACCES, "Denied", "b.csv")) == (2, "b.csv: Denied")
    assert ending(OSError(errno.EIO, "Bad disk")) == (2, "cannot read or write: Bad disk")
    assert ending(OSError("odd")) == (2, "cannot read or write: odd")
    where = f" in {HERE}, line {LINE}"
    assert ending(raised(ValueError("why"))) == (70, f"a fault of rarlib: ValueError: why{where}")
    assert ending(ValueError(numbered(600))) == (70, f"a fault of rarlib: ValueError: {numbered(500)}")
    for length in (1_999, 2_000, 2_001):
        text = numbered(length)
        assert ending(DecisionError(text)).line == (text if length <= 2_000 else f"{text[:1000]} ... {text[-1000:]}")
    long = ending(OSError(errno.EIO, numbered(1_300), numbered(400))).line
    assert long == f"{numbered(150)} ... {numbered(400)[-150:]}: {numbered(600)} ... {numbered(1_300)[-600:]}"
