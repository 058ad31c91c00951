from collections.abc import Callable

import numpy as np
import pytest

from rarlib.model.errors import InputError
from rarlib.traces.formats import philly_table
from rarlib.traces.load import Trace

HEAD = "timestamp,duration,num_gpus,gpu_time,cluster\n"


def _read(rows: str) -> philly_table.ParsedTrace:
    return philly_table.read((HEAD + rows).encode(), "p.csv")


def test_order_ties_twins_and_trailing_newline() -> None:
    # Rows come unsorted, with exact twins and an extra newline at the end: none may be lost, ties keep file order.
    row = "2017-10-09 07:01:55,66.0,1,66.0,103959\n"
    reading = _read(
        row + "2017-10-09 06:13:03,2951.0,2,5902.0,6214e9\n" + row + "2017-10-09 07:01:55,7.0,1,7.0,6214e9\n\n"
    )
    jobs = reading.jobs
    assert jobs.submit_s.tolist() == [0, 2932, 2932, 2932]
    assert jobs.duration_s.tolist() == [2951, 66, 66, 7]
    assert jobs.job_id.tolist() == ["0", "1", "2", "3"]
    assert jobs.vc.tolist() == ["6214e9", "103959", "103959", "6214e9"]
    assert (reading.read, reading.dropped, reading.starts) == (4, {}, "2017-10-09T06:13:03")


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        ("2017-10-09 07:01:55,-1.0,1,1,a", "row 3, field duration: must not be negative"),
        ("2017-10-09 07:01:55,5,0,1,a", "row 3, field num_gpus: must be at least 1"),
        ("2017-10-09 07:01:55,5,1.5,1,a", "row 3, field num_gpus: must be a whole number"),
        ("2017-10-09 07:01,5,1,1,a", "row 3, field timestamp: must be a time"),
        ("2017-10-09 07:01:55,5,1,1,a,b", "row 3: has 6 fields where 5 are expected"),
    ],
)
def test_bad_rows_are_named(row: str, complaint: str) -> None:
    with pytest.raises(InputError, match=rf"p.csv, {complaint}"):
        _read(f"2017-10-09 06:13:03,1.0,1,1.0,a\n{row}\n")


def test_missing_column_and_empty_trace() -> None:
    with pytest.raises(InputError, match="row 1, field num_gpus: missing column"):
        philly_table.read(b"timestamp,duration,cluster\n2017-10-09 07:01:55,1,a\n", "p.csv")
    with pytest.raises(InputError, match="holds no job"):
        _read("")


@pytest.mark.real
def test_published_facts(real: Callable[[str], Trace]) -> None:
    # Counts and quantiles measured independently on this file; a dropped or misread row would move them.
    trace = real("philly-pollux")
    jobs = trace.jobs
    assert len(jobs) == trace.provenance["read"] == 82_247
    sizes = dict(zip(*np.unique(jobs.gpus, return_counts=True), strict=True))
    assert sizes == {1: 76627, 2: 1818, 4: 1870, 8: 1643, 12: 7, 16: 199, 24: 7, 32: 67, 64: 6, 128: 3}
    assert round((jobs.gpus * jobs.duration_s).sum() / 3600) == 978_078
    np.testing.assert_allclose(np.quantile(jobs.duration_s, [0.05, 0.25, 0.5, 0.75]), [48, 115, 1144, 2932])
    assert jobs.duration_s.max() == 4_628_226
    assert trace.provenance["starts"] == "2017-09-04T10:30:41"
    hour = (jobs.submit_s + 10 * 3600 + 30 * 60 + 41) // 3600
    assert np.bincount((hour % 24).astype(int))[:3].tolist() == [4367, 3374, 3835]
    assert np.bincount(hour.astype(int)).max() == 1031
    vcs = dict(zip(*np.unique(jobs.vc.astype(str), return_counts=True), strict=True))
    assert (len(vcs), vcs["6214e9"], vcs["795a4c"]) == (15, 41_226, 3)
