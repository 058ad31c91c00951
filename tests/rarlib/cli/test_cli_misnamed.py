"""A misnamed column, scheduler or parameter is answered with the nearest known name."""

import pytest

from rarlib.model.errors import InputError
from rarlib.traces.load import load_trace


@pytest.mark.parametrize(
    ("header", "format", "answer"),
    [
        ("submit,gpus,duration_s", None, "nearly rarlib, but without column submit_s (is it 'submit'?)"),
        ("submit_s,GPUs,duration", None, "duration_s (is it 'duration'?), gpus (is it 'GPUs'?)"),
        ("submit_s,gpus,duration_s,applicaton", None, "did you mean 'application'?"),
        ("timestmp,duration,num_gpus,cluster", "philly-table", "field timestamp: missing column; is it 'timestmp'?"),
        ("job_id,user,vc,gpu_num,state,submit_tme,duration", "helios", "missing column; is it 'submit_tme'?"),
    ],
)
def test_columns(tmp_path, header, format, answer):
    path = tmp_path / "jobs.csv"
    path.write_text(header + "\n" + ",".join("1" for _ in header.split(",")) + "\n")
    with pytest.raises(InputError) as refused:
        load_trace(path, format)
    assert answer in str(refused.value)


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (["--scheduler", "gadgt"], "did you mean 'gadget'?"),
        (["--scheduler", "las", "--param", "level=5"], "did you mean 'levels'?"),
    ],
)
def test_schedulers_and_parameters(tmp_path, words, answer, refused):
    (tmp_path / "jobs.csv").write_text("submit_s,gpus,duration_s\n0,1,1\n")
    usual = ("--trace", tmp_path / "jobs.csv", "--cluster", "1x1", "--out", tmp_path / "out")
    assert answer in refused("simulate", *usual, *words)
