"""Numbers that a person sets: which are refused, and how they are named; how a command ends."""

import errno
import os
from types import SimpleNamespace

import pytest

from rarlib.model.errors import DecisionError, InputError, ending, require_numbers


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
