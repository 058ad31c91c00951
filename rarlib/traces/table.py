"""CSV text as checked columns: every error names file, row and field."""

import io
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rarlib.model.errors import InputError, nearest
from rarlib.model.jobs import Jobs

_TOO_MANY = re.compile(r"Expected (\d+) fields in line (\d+), saw (\d+)")


class ParsedTrace(NamedTuple):
    """What the reader of a format returns.

    Attributes:
        jobs: the job table.
        read: rows (or entries) of the raw file.
        dropped: reason -> rows left out, as the format's own documentation demands.
        starts: calendar time of the first submission, ISO, without zone; empty when the format has none.
        note: what a user must know about the reading; empty when there is nothing.
    """

    jobs: Jobs
    read: int
    dropped: dict[str, int]
    starts: str = ""
    note: str = ""


@dataclass(frozen=True)
class RawTable:
    """Rows of a CSV file with the line each came from.

    Attributes:
        frame: the columns as read, shape (rows, columns).
        lines: 1-based line of each row, header included, shape (rows,).
        file: named in errors.
    """

    frame: pd.DataFrame
    lines: NDArray[np.int64]
    file: str

    @classmethod
    def parse(cls, data: bytes, file: str, *, text: Iterable[str], names: tuple[str, ...] | None = None) -> "RawTable":
        """Read comma separated values; only an empty field counts as missing.

        Args:
            data: UTF-8 text, with or without byte-order mark; empty lines are skipped.
            file: named in errors.
            text: columns that stay text whatever they look like.
            names: column names of a file that has no header line.

        Raises:
            InputError: not text, no header, a row with more fields than the header, an open quote.
        """
        data = data.removeprefix(b"\xef\xbb\xbf").rstrip()
        header = None if names is not None else 0
        try:
            frame = pd.read_csv(
                io.BytesIO(data), header=header, names=names, dtype=dict.fromkeys(text, "str"),
                keep_default_na=False, na_values=[""], low_memory=False,
            )  # fmt: skip
        except pd.errors.EmptyDataError:
            raise InputError("the file is empty", file=file) from None
        except UnicodeDecodeError:
            raise InputError("is not UTF-8 text", file=file) from None
        except pd.errors.ParserError as error:
            raise _parse_error(str(error), data, file) from None
        if not isinstance(frame.index, pd.RangeIndex):
            raise InputError("holds more fields than the header", file=file, row=1 if names is not None else 2)
        return cls(frame, _lines(data, len(frame), has_header=names is None), file)

    def __len__(self) -> int:
        return len(self.frame)

    def require(self, *columns: str) -> "RawTable":
        """Raise for the first of `columns` that is missing, if any."""
        for column in columns:
            if column not in self.frame.columns:
                near = nearest(column, (str(name) for name in self.frame.columns if name not in columns))
                rule = f"missing column; is it {near!r}?" if near else "missing column"
                raise InputError(rule, file=self.file, row=1, field=column)
        return self

    def keep(self, mask: Any) -> "RawTable":
        """The rows where `mask` holds."""
        return RawTable(self.frame[np.asarray(mask)], self.lines[np.asarray(mask)], self.file)

    def numbers(self, column: str, *, empty: float | None = None) -> NDArray[np.float64]:
        """A numeric column, shape (rows,); `empty` stands for empty fields, which are an error without it."""
        series = self.frame[column]
        if not pd.api.types.is_numeric_dtype(series) or series.dtype == bool:
            series = self._converted(column, pd.to_numeric(series.astype("str"), errors="coerce"), "a number")
        values = series.to_numpy(np.float64)
        return self._filled(column, values, np.isnan(values), empty)

    def seconds(self, column: str, form: str, *, empty: float | None = None) -> NDArray[np.float64]:
        """A calendar column as seconds since 1970, shape (rows,); times without zone are taken as they stand.

        Args:
            column: its name.
            form: `strptime` pattern, or `ISO8601` for times with a zone.
            empty: stands for empty fields, which are an error without it.
        """
        parsed = pd.to_datetime(self.frame[column], format=form, utc=form == "ISO8601", errors="coerce")
        parsed = self._converted(column, parsed, "a time such as 2020-04-01 00:10:00")
        values = (parsed.to_numpy("datetime64[us]") - np.datetime64(0, "us")) / np.timedelta64(1, "s")
        return self._filled(column, values, np.isnan(values), empty)

    def text(self, column: str) -> NDArray[Any]:
        """A text column, shape (rows,); empty fields (or a missing column) are empty text."""
        if column not in self.frame.columns:
            return np.full(len(self), "", dtype=object)
        return self.frame[column].fillna("").to_numpy(object)

    def fail(self, bad: Any, column: str, rule: str) -> None:
        """Raise for the first row where `bad` holds, if any."""
        index = np.flatnonzero(np.asarray(bad))
        if len(index):
            raise InputError(rule, file=self.file, row=int(self.lines[index[0]]), field=column)

    def jobs(self, **columns: tuple[str, Any]) -> Jobs:
        """The job table from these rows.

        Args:
            columns: column of the job table -> (the file's own name for it, values); errors use the file's name.

        Raises:
            InputError: as `Jobs.build`.
        """
        try:
            return Jobs.build(
                file=self.file, rows=self.lines, **{name: values for name, (_, values) in columns.items()}
            )
        except InputError as error:
            named = columns[error.field][0] if error.field in columns else error.field
            raise InputError(error.rule, file=error.file, row=error.row, field=named) from None

    def _converted(self, column: str, parsed: Any, what: str) -> Any:
        wrong = parsed.isna().to_numpy() & self.frame[column].notna().to_numpy()
        if wrong.any():
            found = self.frame[column].iloc[int(np.argmax(wrong))]
            self.fail(wrong, column, f"must be {what}, found {found!r}")
        return parsed

    def _filled(self, column: str, values: Any, missing: Any, empty: float | None) -> NDArray[np.float64]:
        if empty is None:
            self.fail(missing, column, "must not be empty")
            return values
        return np.where(missing, empty, values)


def iso(seconds: float) -> str:
    """Calendar time of seconds since 1970, ISO, to the second."""
    return str(np.datetime64(int(seconds), "s"))


def _lines(data: bytes, rows: int, *, has_header: bool) -> NDArray[np.int64]:
    newlines = data.count(b"\n") or data.count(b"\r")
    if newlines + 1 == rows + has_header:
        return np.arange(1 + has_header, rows + 1 + has_header)
    filled = [i for i, line in enumerate(data.splitlines(), 1) if line.strip()][has_header:]
    # A quoted field may span lines; rows are then numbered by the lines that are not empty.
    return np.array(filled[:rows], dtype=np.int64)


def _parse_error(message: str, data: bytes, file: str) -> InputError:
    match = _TOO_MANY.search(message)
    if match:
        return InputError(f"has {match[3]} fields where {match[1]} are expected", file=file, row=int(match[2]))
    row = len(data.splitlines()) if "EOF inside string" in message else None
    return InputError("a quoted field is never closed" if row else message.strip(), file=file, row=row)
