import io
from collections.abc import Callable
from typing import Any

import numpy as np
import openpyxl
import pytest

from rarlib.model.errors import InputError
from rarlib.traces.formats import aiturbo
from rarlib.traces.load import Trace


def _book(*rows: tuple[Any, ...], head: tuple[str, ...] = ("Job type", "Running time", "Ps", "GPU")) -> bytes:
    book = openpyxl.Workbook()
    for row in (head, *rows):
        book.active.append(row)
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def test_all_at_once_in_sheet_order_without_cpu_jobs() -> None:
    # An empty PS count is no reason to drop a row; GPU 0 is.
    reading = aiturbo.read(_book((3, 605, 2, 0), (9, 1528, None, 6), (10, 40, 1, 1)), "d.xlsx")
    assert reading.dropped == {"CPU only (GPU 0)": 1}
    assert reading.jobs.application.tolist() == ["type-9", "type-10"]
    assert reading.jobs.gpus.tolist() == [6, 1]
    assert reading.jobs.submit_s.tolist() == [0, 0]
    assert "no arrival times" in reading.note


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (_book((3, "long", 2, 1)), "row 2, field Running time: must be a number, found 'long'"),
        (_book((3, None, 2, 1)), "row 2, field Running time: must not be empty"),
        (_book((3, -1, 2, 1)), "row 2, field Running time: must not be negative"),
        (_book((3, 1), head=("Job type", "Running time")), "row 1, field GPU: missing column"),
        (_book(), "holds no job"),
        (_book((3, 605, 2, 1))[:-200], "not a readable xlsx workbook"),
    ],
)
def test_bad_sheets_are_named(data: bytes, complaint: str) -> None:
    with pytest.raises(InputError, match=f"d.xlsx.*{complaint}"):
        aiturbo.read(data, "d.xlsx")


def _study(**changed: Any) -> bytes:
    job = {**dict.fromkeys(aiturbo.STUDY_COLUMNS, 1), **changed}
    return _book(tuple(job.values()), head=tuple(job))


def test_the_study_keeps_cpu_jobs_and_every_column() -> None:
    # The shares of CPU-only jobs are a finding of the study.
    frame = aiturbo.read_study(_study(GPU=0, Ps=None, Loss=0.25), "d.xlsx")
    assert list(frame) == list(aiturbo.STUDY_COLUMNS.values())
    assert frame.loc[0, ["gpus", "servers", "loss"]].tolist() == [0, 0, 0.25]


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (_study(Predictability=2), "row 2, field Predictability: must be 0 or 1"),
        (_study(Resubmit=0.5), "row 2, field Resubmit: must be 0 or 1"),
        (_study(Accuracy=None), "row 2, field Accuracy: must not be empty"),
        (_study(CPU=-4), "row 2, field CPU: must not be negative"),
        (_book((3, 1, 2, 1)), "row 1, field Worker: missing column"),
    ],
)
def test_a_bad_study_is_named(data: bytes, complaint: str) -> None:
    with pytest.raises(InputError, match=f"d.xlsx.*{complaint}"):
        aiturbo.read_study(data, "d.xlsx")


@pytest.mark.real
def test_published_facts(real: Callable[[str], Trace]) -> None:
    # GPUs per job published as shares of all 8,692 rows, CPU-only ones included.
    trace = real("aiturbo")
    assert trace.provenance["read"] == 8692
    for gpus, share in ((6, 0.415), (1, 0.216), (8, 0.132), (2, 0.095), (4, 0.024)):
        assert np.sum(trace.jobs.gpus == gpus) / 8692 == pytest.approx(share, abs=0.0006)
    assert trace.jobs.duration_s.max() / 3600 == pytest.approx(24.8, abs=0.05)
