"""AITurbo's workload study (Zhao et al., HPDC'21): `dataset.xlsx`, one sheet, one row per job.

Columns used: Job type (1..27), Running time (s), GPU (of the whole job). The study records no arrivals, so all jobs
are submitted at 0, in the order of the sheet; arrivals must come from elsewhere. Rows with GPU 0 are CPU-only jobs
and are dropped and counted. The workload study reads all rows and all columns with `read_study`.
"""

import io
import zipfile
from typing import Any

import numpy as np
import pandas as pd

from rarlib.model.errors import InputError
from rarlib.traces.table import ParsedTrace, RawTable

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
    import openpyxl  # noqa: PLC0415 - slow to import, and no other format needs it

    try:
        book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
        rows: list[tuple[Any, ...]] = list(book.worksheets[0].iter_rows(values_only=True))
    except (zipfile.BadZipFile, KeyError, ValueError, EOFError, OSError) as error:
        raise InputError(f"not a readable xlsx workbook (truncated?): {error}", file=file) from None
    if len(rows) < 2:
        raise InputError("the trace holds no job", file=file)
    frame = pd.DataFrame(rows[1:], columns=[str(name) for name in rows[0]])
    filled = frame.notna().any(axis=1).to_numpy()
    lines = pd.RangeIndex(2, len(rows) + 1).to_numpy()
    return RawTable(frame, lines, file).keep(filled)
