"""AITurbo's workload study (Zhao et al., HPDC'21): `dataset.xlsx`, one sheet, one row per job.

Columns used: Job type (1..27), Running time (s), GPU (of the whole job). The study records no arrivals, so all jobs
are submitted at 0, in the order of the sheet; arrivals must come from elsewhere. Rows with GPU 0 are CPU-only jobs
and are dropped and counted. The workload study reads all rows and all columns with `read_study`.
"""

import io
import warnings
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pandas as pd

from rarlib.model import limits
from rarlib.model.errors import InputError, shown
from rarlib.traces.archive import DAMAGED
from rarlib.traces.table import ParsedTrace, RawTable, require_unique

FORMAT = "aiturbo"
NOTE = "no arrival times in this format: every job is submitted at 0"
_COLUMNS = ("Job type", "Running time", "GPU")

STUDY_COLUMNS = {
    "Job type": "type",
    "Running time": "running_s",
    "Ps": "servers",
    "Worker": "workers",
    "Epoch": "epochs",
    "Accuracy": "accuracy",
    "Loss": "loss",
    "GPU": "gpus",
    "Memory": "memory_gb",
    "CPU": "cpus",
    "Batch Size": "batch",
    "Learning rate": "learning_rate",
    "Step": "steps",
    "Throughput": "throughput",
    "Resubmit": "first",
    "Predictability": "unpredictable",
}
"""Column of the sheet -> of the study. `first` is 1 for a first submission, 0 for a repeated one."""


def read(data: bytes, file: str) -> ParsedTrace:
    """Read the first sheet; CPU-only jobs are dropped."""
    table = _sheet(data, file).require(*_COLUMNS)
    on_gpu = table.numbers("GPU") != 0
    kept = table.keep(on_gpu)
    if not len(kept):
        raise InputError("holds no job that uses a GPU", file=file)
    kinds = kept.numbers("Job type")
    jobs = kept.jobs(
        submit_s=("", [0.0] * len(kept)),
        gpus=("GPU", kept.numbers("GPU")),
        duration_s=("Running time", kept.numbers("Running time")),
        application=("Job type", [f"type-{kind:g}" for kind in kinds]),
    )
    cpu_only = len(table) - len(kept)
    return ParsedTrace(jobs, len(table), {"CPU only (GPU 0)": cpu_only} if cpu_only else {}, note=NOTE)


def read_study(data: bytes, file: str) -> pd.DataFrame:
    """All rows, CPU-only jobs included, with the columns of `STUDY_COLUMNS` as numbers; an empty PS count is 0.

    Raises:
        InputError: a missing column, or a value that is no number or not of its kind, with its row.
    """
    table = _sheet(data, file).require(*STUDY_COLUMNS)
    for column in STUDY_COLUMNS:
        values = table.numbers(column, empty=0.0 if column == "Ps" else None)
        table.fail(values < 0, column, "must not be negative")
        if column in ("Resubmit", "Predictability"):
            table.fail(~np.isin(values, (0, 1)), column, "must be 0 or 1")
    return pd.DataFrame({name: table.numbers(column, empty=0.0) for column, name in STUDY_COLUMNS.items()})


def _sheet(data: bytes, file: str) -> RawTable:
    """The first sheet; rows that the file leaves out count, so that errors name them as a spreadsheet numbers them."""
    import openpyxl  # noqa: PLC0415 - slow to import, and no other format needs it

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what openpyxl says about styles and extensions
            book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
            sheet = book.worksheets[0]
            sheet.reset_dimensions()  # what a sheet claims as its size would cut off rows
            rows = _filled_rows(sheet.iter_rows(values_only=True), file)
            lines, head = next(rows, (0, ()))
            found = list(rows)
    except (*DAMAGED, SyntaxError, TypeError, AttributeError) as error:
        reason = f"not a readable xlsx workbook (truncated?): {shown(str(error))[1:-1]}"
        raise InputError(reason, file=file) from None
    names = [str(name) for name in head]
    if not found:
        raise InputError("the trace holds no job", file=file)
    require_unique([name for name in names if name != "None"], file, lines)
    for line, row in found:
        if any(value is not None for value in row[len(names) :]):
            raise InputError("holds more fields than the header", file=file, row=line)
    cells = [(*row[: len(names)], *[None] * (len(names) - len(row))) for _, row in found]
    frame = pd.DataFrame(cells, columns=names)
    return RawTable(frame, np.array([line for line, _ in found], dtype=np.int64), file)


def _filled_rows(rows: Iterable[tuple[Any, ...]], file: str) -> Iterator[tuple[int, tuple[Any, ...]]]:
    """Rows with their 1-based numbers; those without a value, which a sheet may claim by the million, are left out."""
    cells = 0
    for number, row in enumerate(rows, 1):
        limits.BOOK_ROWS.check(number, file=file)
        if any(value is not None for value in row):
            cells += len(row)
            limits.BOOK_CELLS.check(cells, file=file)
            limits.COLUMNS.check(len(row), file=file, row=number)
            yield number, row
