"""The errors that a user sees when an input or a decision is wrong."""

import difflib
import math
import traceback
from collections.abc import Iterable
from typing import Any, NamedTuple

from rarlib.model.extras import advice
from rarlib.model.foreign import printable

BAD_INPUT, FAULT = 2, 70
"""Exit codes: something the user can mend, and a fault of this project."""

_LONGEST_LINE, _LONGEST_RULE, _LONGEST_PLACE = 2_000, 1_200, 300


def shown(value: object, most: int = 80) -> str:
    """A value as a message quotes it: one line, `most` characters or so, control characters escaped."""
    if isinstance(value, str):
        return repr(value if len(value) <= most else f"{value[:most]}...")
    if isinstance(value, list | tuple | set):
        return f"a list of {len(value)}"
    if isinstance(value, dict):
        return f"a mapping of {len(value)}"
    try:
        text = repr(value)
    except ValueError:  # Python prints no integer of thousands of digits
        return "a number of thousands of digits"
    return text if len(text) <= most else f"{text[:most]}..."


def _one_line(text: str, most: int) -> str:
    """Text without control characters, the middle left out if it is too long."""
    if len(text) > most:
        text = f"{text[: most // 2]} ... {text[-most // 2 :]}"
    return printable(text.translate(dict.fromkeys(map(ord, "\t\n\r"), " ")))


class InputError(Exception):
    """A bad input, described in one line: where it is, which rule it breaks.

    Whatever the parts hold, the message is one line of bounded length without control characters.

    Args:
        rule: what was expected and what was found instead.
        file: the file (or option) that holds the bad value.
        row: 1-based line of the file, header included, as an editor shows it.
        field: the column, key or option.
    """

    def __init__(self, rule: str, *, file: object = None, row: int | None = None, field: str | None = None) -> None:
        self.rule, self.file, self.row, self.field = _one_line(rule, _LONGEST_RULE), file, row, field
        where = [_one_line(str(file), _LONGEST_PLACE)] if file is not None else []
        where += [f"row {row}"] if row is not None else []
        where += [f"field {_one_line(field, 2 * 80)}"] if field is not None else []
        super().__init__(": ".join([", ".join(where), self.rule] if where else [self.rule]))

    def _render_traceback_(self) -> list[str]:
        """What a notebook shows: one line, since the user's input is at fault and not the code."""
        return [f"error: {self}"]


class NoProgressError(InputError):
    """Under these parameters a scheduler restarts jobs before they get beyond their last restart, for ever."""


class DecisionError(Exception):
    """A scheduler asked for something impossible; the message names scheduler, time, job, node and rule."""


class SchedulerError(Exception):
    """A scheduler's own code raised an exception; the message is one line that names its file, line and pass.

    Args:
        scheduler: its name.
        when: the pass and its time, in words.
        error: what was raised.
    """

    def __init__(self, scheduler: str, when: str, error: Exception) -> None:
        frames = traceback.extract_tb(error.__traceback__)
        where = f" ({frames[-1].filename}, line {frames[-1].lineno})" if frames else ""
        message = " ".join(str(error).split()) or "no message"
        super().__init__(f"scheduler {scheduler} failed in {when}: {type(error).__name__}: {message}{where}")

    def __reduce__(self) -> tuple[Any, ...]:
        """Errors cross processes by their message."""
        return (_rebuilt, (str(self),))


def _rebuilt(message: str) -> SchedulerError:
    error = SchedulerError.__new__(SchedulerError)
    Exception.__init__(error, message)
    return error


class InfeasibleError(InputError):
    """A planner found no schedule that ends within its horizon."""


def nearest(name: str, known: Iterable[str]) -> str:
    """The known name that is most like this one, case ignored; empty if none is near.

    A name also counts as near if one of both is part of the other, such as `duration` of `duration_s`.
    """
    if len(name) > 100:
        return ""
    of = {each.lower(): each for each in known}
    near = difflib.get_close_matches(name.lower(), of, n=1, cutoff=0.6)
    near += [each for each in of if min(len(each), len(name)) > 3 and (each in name.lower() or name.lower() in each)]
    return of[near[0]] if near else ""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """What a message about an unknown name adds: the nearest known one, if any is near."""
    near = nearest(name, known)
    return f"; did you mean {near!r}?" if near else ""


def require_keys(table: Any, known: Iterable[str], file: object, field: str) -> None:
    """Refuse a table read from YAML that is not a mapping or has an unknown key.

    Raises:
        InputError: naming the key and the known ones.
    """
    if not isinstance(table, dict):
        raise InputError("must be a mapping", file=file, field=field)
    for key in table:
        if key not in known:
            raise InputError(f"unknown key {shown(key)}; known: {', '.join(sorted(known))}", file=file, field=field)


def require_numbers(holder: object, *names: str, zero: bool = False) -> None:
    """Refuse attributes that are not finite numbers above 0.

    Args:
        holder: object with the attributes.
        names: names of the attributes.
        zero: whether 0 is allowed as well.

    Raises:
        InputError: naming the attribute.
    """
    rule = "must be a number of at least 0" if zero else "must be a number above 0"
    for name in names:
        value = getattr(holder, name)
        if not (math.isfinite(value) and (value > 0.0 or (zero and value == 0.0))):
            raise InputError(f"{rule}, found {value}", field=name)


class Ending(NamedTuple):
    """How a command or a job ends on an error.

    Attributes:
        code: exit code: `BAD_INPUT`, which the user can mend, or `FAULT`.
        line: what is said.
    """

    code: int
    line: str


def ending(error: BaseException) -> Ending:
    """The exit code and the one line for an error; anything that is not known to be the user's is a fault of ours."""
    if isinstance(error, InputError | DecisionError | SchedulerError):
        return Ending(BAD_INPUT, _one_line(str(error), _LONGEST_LINE))
    if isinstance(error, ImportError) and (sentence := advice(error)):
        return Ending(BAD_INPUT, sentence)
    if isinstance(error, MemoryError):
        return Ending(BAD_INPUT, "not enough memory for this input")
    if isinstance(error, OSError):
        where = _one_line(str(error.filename or "cannot read or write"), _LONGEST_PLACE)
        return Ending(BAD_INPUT, f"{where}: {_one_line(str(error.strerror or error), _LONGEST_RULE)}")
    frames = traceback.extract_tb(error.__traceback__)
    where = f" in {frames[-1].filename}, line {frames[-1].lineno}" if frames else ""
    return Ending(FAULT, f"a fault of rarlib: {type(error).__name__}: {str(error)[:500]}{where}")
