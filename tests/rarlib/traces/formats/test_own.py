import pytest

from rarlib.model.errors import InputError
from rarlib.traces.formats import own


def test_required_columns_in_any_order() -> None:
    jobs = own.read(b"gpus,duration_s,submit_s\n2,5.5,7\n1,0,3\n", "t.csv").jobs
    assert (jobs.submit_s.tolist(), jobs.gpus.tolist(), jobs.duration_s.tolist()) == ([0, 4], [1, 2], [0, 5.5])
    assert jobs.job_id.tolist() == ["0", "1"]
    assert jobs.max_gpus.tolist() == [1, 2]


def test_optional_columns() -> None:
    # Ids that look like numbers stay text: 007 is not 7.
    text = b"job_id,submit_s,gpus,duration_s,min_gpus,max_gpus,user,status\n007,0,4,9,2,8,,completed\n"
    jobs = own.read(text, "t.csv").jobs
    assert (jobs.job_id.tolist(), jobs.min_gpus.tolist(), jobs.max_gpus.tolist()) == (["007"], [2], [8])
    assert (jobs.user.tolist(), jobs.status.tolist(), jobs.vc.tolist()) == ([""], ["completed"], [""])


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("submit_s,gpus,duration_s,gpu_type\n0,1,1,a\n", "row 1, field gpu_type: unknown column"),
        ("submit_s,gpus\n0,1\n", "row 1, field duration_s: missing column"),
        ("job_id,submit_s,gpus,duration_s\na,0,1,1\na,1,1,1\n", "row 3, field job_id: duplicate id a"),
        ("job_id,submit_s,gpus,duration_s\na,0,1,1\n,1,1,1\n", "row 3, field job_id: must not be empty"),
        ("submit_s,gpus,duration_s\n0,one,1\n", "row 2, field gpus: must be a number, found 'one'"),
        ("submit_s,gpus,duration_s\n", "holds no job"),
        ("submit_s,gpus,duration_s,gpus\n0,1,1,2\n", "row 1, field gpus: the column is given twice"),
        ("submit_s,gpus,duration_s,user\n0,1,1,u\n1,1,1\n", "row 3: has 3 fields where 4 are expected"),
        ("submit_s,gpus,duration_s\n0,1,1\n1,1,1,1\n", "row 3: has 4 fields where 3 are expected"),
        (f"job_id,submit_s,gpus,duration_s\n{'a' * 257},0,1,1\n", "row 2, field job_id: more than 256 characters"),
        ("submit_s,gpus,duration_s\n0,9007199254740993,1\n", "row 2, field gpus: must be at most"),
        ("submit_s,gpus,duration_s\n0,1,1e400\n", "row 2, field duration_s: must be a finite number"),
        ("submit_s,gpus,duration_s\n0,1,\0\n", "is not text: it holds a NUL"),
        (f"submit_s,gpus,duration_s\n0,1,{'x' * 10**5}\n", "row 2, field duration_s: must be a number, found 'x{80}"),
    ],
)
def test_bad_files_are_named(text: str, complaint: str) -> None:
    with pytest.raises(InputError, match=f"t.csv.*{complaint}"):
        own.read(text.encode(), "t.csv")
