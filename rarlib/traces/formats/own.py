"""Our own CSV: the columns of the job table, in any order; required ones must be there, unknown ones are an error."""

from typing import Any

import numpy as np

from rarlib.model.errors import InputError, did_you_mean
from rarlib.model.foreign import from_fields
from rarlib.model.jobs import JOB_COLUMNS
from rarlib.traces.table import ParsedTrace, RawTable

FORMAT = "rarlib"
HEADER = frozenset(c.name for c in JOB_COLUMNS if c.required)
_TEXT = tuple(c.name for c in JOB_COLUMNS if c.kind == "text")
_NAMES = tuple(c.name for c in JOB_COLUMNS)


def read(data: bytes, file: str) -> ParsedTrace:
    """Read the table; nothing is dropped."""
    table = RawTable.parse(data, file, text=_TEXT).require(*(c.name for c in JOB_COLUMNS if c.required))
    for name in table.frame.columns:
        if name not in _NAMES:
            near = did_you_mean(str(name), _NAMES)
            raise InputError(f"unknown column{near}; known: {', '.join(_NAMES)}", file=file, row=1, field=str(name))
    columns: dict[str, Any] = {
        name: np.array(from_fields(table.text(name)), object) if name in _TEXT else table.numbers(name)
        for name in _NAMES
        if name in table.frame.columns
    }
    if "job_id" in columns:
        table.fail(columns["job_id"] == "", "job_id", "must not be empty")
    return ParsedTrace(table.jobs(**{name: (name, values) for name, values in columns.items()}), len(table), {})
