"""CSV text as checked columns: every error names file, row and field."""

import csv
import io
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rarlib.model import limits
from rarlib.model.errors import InputError, nearest, shown
from rarlib.model.jobs import Jobs

_CSV_ERRORS = {
    "unexpected end of data": "a quoted field is never closed",
    "field larger than field limit (131072)": "a field has more than 131,072 characters",
}
"""What Python's csv module says, in other words."""


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
            InputError: not text, no header, a column given twice, a row with fewer or more fields than the header, an
                open quote, or more than the caps of `rarlib.model.limits`.
        """
        data = data.removeprefix(b"\xef\xbb\xbf").rstrip()
        lines = _checked_lines(data, file, names)
        try:
            frame = pd.read_csv(
                io.BytesIO(data), header=None if names is not None else 0, names=names,
                dtype=dict.fromkeys(text, "str"), keep_default_na=False, na_values=[""], low_memory=False,
            )  # fmt: skip
        except (ValueError, pd.errors.ParserError) as error:
            raise InputError(f"not a table: {shown(str(error))}", file=file) from None
        if len(frame) != len(lines) or not isinstance(frame.index, pd.RangeIndex):
            raise InputError("not a table: quotes or line ends that can be read in two ways", file=file)
        return cls(frame, lines, file)

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
            self.fail(wrong, column, f"must be {what}, found {shown(found)}")
        return parsed

    def _filled(self, column: str, values: Any, missing: Any, empty: float | None) -> NDArray[np.float64]:
        if empty is None:
            self.fail(missing, column, "must not be empty")
            return values
        return np.where(missing, empty, values)


def iso(seconds: float) -> str:
    """Calendar time of seconds since 1970, ISO, to the second."""
    return str(np.datetime64(int(seconds), "s"))


def _checked_lines(data: bytes, file: str, names: tuple[str, ...] | None) -> NDArray[np.int64]:
    """The line at which each row begins, shape (rows,), once all have been found to have the header's fields."""
    if b"\0" in data:
        raise InputError("is not text: it holds a NUL", file=file)
    limits.ROWS.check(data.count(b"\n"), file=file)
    reader = csv.reader(io.TextIOWrapper(io.BytesIO(data), encoding="utf-8", newline=""), strict=True)
    width, begin, lines = 0 if names is None else len(names), 1, array("q")
    try:
        for record in reader:
            at, begin = begin, reader.line_num + 1
            if len(record) != width or width == 1:
                if not record or (len(record) == 1 and not record[0].strip()):
                    continue
                if not width:
                    width = _checked_header(record, file, at)
                    continue
                if len(record) != width:
                    many = f"{len(record)} field{'s' if len(record) > 1 else ''}"
                    raise InputError(f"has {many} where {width} are expected", file=file, row=at)
            lines.append(at)
    except UnicodeDecodeError:
        raise InputError("is not UTF-8 text", file=file) from None
    except csv.Error as error:
        raise InputError(_CSV_ERRORS.get(str(error), str(error)), file=file, row=begin) from None
    if not width:
        raise InputError("the file is empty", file=file)
    limits.ROWS.check(len(lines), file=file)
    limits.CELLS.check(len(lines) * width, file=file)
    return np.array(lines, dtype=np.int64)


def _checked_header(record: list[str], file: str, row: int) -> int:
    limits.COLUMNS.check(len(record), file=file, row=row)
    require_unique([name for name in record if name], file, row)
    return len(record)


def require_unique(names: Sequence[str], file: str, row: int) -> None:
    """Refuse a header that names a column twice.

    Raises:
        InputError: naming the column.
    """
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise InputError("the column is given twice", file=file, row=row, field=name)
        seen.add(name)
