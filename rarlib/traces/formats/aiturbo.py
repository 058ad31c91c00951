"""AITurbo's workload study (Zhao et al., HPDC'21): `dataset.xlsx`, one sheet, one row per job.

Columns used: Job type (1..27), Running time (s), GPU (of the whole job). The study records no arrivals, so all jobs
are submitted at 0, in the order of the sheet; arrivals must come from elsewhere. Rows with GPU 0 are CPU-only jobs
and are dropped and counted.
"""

import io
import zipfile
from typing import Any

import pandas as pd

from rarlib.model.errors import InputError
from rarlib.traces.table import Reading, Table

FORMAT = "aiturbo"
NOTE = "no arrival times in this format: every job is submitted at 0"
_COLUMNS = ("Job type", "Running time", "GPU")


def read(data: bytes, file: str) -> Reading:
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
    return Reading(jobs, len(table), {"CPU only (GPU 0)": cpu_only} if cpu_only else {}, note=NOTE)


def _sheet(data: bytes, file: str) -> Table:
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
    return Table(frame, lines, file).keep(filled)
