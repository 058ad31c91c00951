"""A trace through the data layer: formats, sources, stand-ins, and sets of profiles."""

import json
import logging
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from rarlib.model.errors import InputError
from rarlib.traces.load import load_trace
from rarlib.traces.profile_sets import ProfileSet, read_profile_set

HELIOS = "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue\n"
ACME = "job_id,user,node_num,gpu_num,cpu_num,type,state,submit_time,start_time,end_time,duration,queue,gpu_time\n"
HYDRA = ",job_name,norm_job_submit_time,ddl,T4,P100,V100\n"
TIRESIAS = "job_id,num_gpu,submit_time,iterations,model_name,duration,interval\n"
PHILLY = "timestamp,duration,num_gpus,gpu_time,cluster\n"


def _log_entry(name: str, second: int, lasted: int, gpus: int) -> dict[str, object]:
    attempt = {
        "start_time": "2017-10-09 07:01:00",
        "end_time": f"2017-10-09 07:01:0{lasted}",
        "detail": [{"ip": "m1", "gpus": [f"gpu{i}" for i in range(gpus)]}],
    }
    submitted = f"2017-10-09 07:00:5{second}"
    return {
        "jobid": name, "status": "Pass", "vc": "v", "user": "u", "submitted_time": submitted, "attempts": [attempt]
    }  # fmt: skip


SAMPLES = {
    "rarlib": "submit_s,gpus,duration_s\n4,1,5\n0,2,6\n",
    "philly-table": PHILLY + "2017-10-09 07:01:59,5,1,5,a\n2017-10-09 07:01:55,6,2,12,a\n",
    "sia": "name,time,application,num_replicas,batch_size\nb,4,bert,1,1\na,0,ncf,2,1\n",
    "helios": HELIOS + "1,u,v,1,1,1,FAILED,2020-04-01 00:00:04,,,5,1\n2,u,v,2,1,1,FAILED,2020-04-01 00:00:00,,,6,1\n",
    "acme": ACME + "1,u,1,1,1,t,FAILED,2023-04-01 00:00:04Z,2023-04-01 00:00:05Z,2023-04-01 00:00:10Z,5,1,1\n"
    "2,u,1,2,1,t,FAILED,2023-04-01 00:00:00Z,2023-04-01 00:00:05Z,2023-04-01 00:00:11Z,6,1,1\n",
    "hydra": HYDRA + "0,a,4.0,inf,5,4,3\n1,b,0.0,100,6,5,4\n",
    "tiresias": TIRESIAS + "1,1,4,9,vgg,5,1\n2,2,0,9,vgg,6,1\n",
    "swf": "; Version: 2.2\n1 4 0 5 1 -1 -1 1 -1 -1 1 -1 -1 -1 -1 -1 -1 -1\n"
    "2 0 0 6 2 -1 -1 2 -1 -1 0 3 -1 -1 1 -1 -1 -1\n",
    "philly": json.dumps([_log_entry("1", 9, 5, 1), _log_entry("2", 5, 6, 2)]),
}


@pytest.mark.parametrize("format", SAMPLES)
@pytest.mark.parametrize("named", [False, True])
def test_every_format_is_recognised_and_gives_the_same_jobs(tmp_path: Path, format: str, named: bool) -> None:
    # The same two jobs in each format: 2 GPUs at 0, 1 GPU at 4 s.
    path = tmp_path / "trace"
    path.write_text(SAMPLES[format])
    trace = load_trace(path, format if named else None)
    assert trace.provenance["format"] == format
    assert trace.jobs.submit_s.tolist() == [0, 4]
    assert trace.jobs.gpus.tolist() == ([1, 1] if format == "hydra" else [2, 1])
    if format != "sia":
        assert trace.jobs.duration_s.tolist() == [6, 5]


def test_named_format_that_does_not_fit_says_what_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "trace.csv"
    path.write_text(SAMPLES["rarlib"])
    with pytest.raises(InputError, match=r"trace.csv, row 1, field duration: missing column"):
        load_trace(path, "helios")


def test_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    odd = tmp_path / "odd.csv"
    odd.write_text("x,y\n1,2\n")
    with pytest.raises(InputError, match=r"odd.csv: format not recognised; name one of acme"):
        load_trace(odd)
    odd.write_text(" \n")
    with pytest.raises(InputError, match=r"odd.csv: the file is empty"):
        load_trace(odd)
    with pytest.raises(InputError, match="no-such-trace: neither a file nor a source's name"):
        load_trace("no-such-trace")
    with pytest.raises(InputError, match="unknown format 'slurm'"):
        load_trace(odd, "slurm")
    with pytest.raises(InputError, match="philly-machines: this source is a table"):
        load_trace("philly-machines")


def test_limit_keeps_the_first_by_submission(tmp_path: Path) -> None:
    path = tmp_path / "trace.csv"
    path.write_text(SAMPLES["rarlib"])
    trace = load_trace(path, limit=1)
    assert trace.jobs.gpus.tolist() == [2]
    assert (trace.provenance["kept"], trace.provenance["limit"]) == (2, 1)
    assert len(load_trace(path, limit=9).jobs) == 2
    with pytest.raises(InputError, match="--limit: must be at least 1"):
        load_trace(path, limit=0)


def test_standin_takes_over_loudly(offline: Path, caplog: pytest.LogCaptureFixture) -> None:
    # A made-up trace must never pass for the real one.
    with caplog.at_level(logging.WARNING):
        trace = load_trace("philly-pollux", limit=100)
    assert "STAND-IN for philly-pollux" in caplog.text
    assert trace.provenance["standin"] is True
    assert trace.provenance["format"] == trace.origin == "stand-in"
    assert "not a record of real jobs" in trace.provenance["note"]


def test_member_of_a_source_is_taken_from_its_archive(
    write_list: Callable, make_source: Callable, tmp_path: Path
) -> None:
    # One zip holds the logs of four clusters; a name must give its own cluster's.
    with zipfile.ZipFile(tmp_path / "data.zip", "w") as archive:
        archive.writestr("data/Earth/cluster_log.csv", SAMPLES["helios"].replace("FAILED", "COMPLETED"))
        archive.writestr("data/Venus/cluster_log.csv", SAMPLES["helios"])
    data = (tmp_path / "data.zip").read_bytes()
    home = write_list(
        make_source(data, name=n, format="helios", file="h/data.zip", member=f"{n}/cluster_log.csv")
        for n in ("Venus", "Earth")
    )
    (home / "raw" / "h").mkdir(parents=True)
    (home / "raw" / "h" / "data.zip").write_bytes(data)
    assert load_trace("Venus").jobs.status.tolist() == ["failed", "failed"]
    assert load_trace("Earth").jobs.status.tolist() == ["completed", "completed"]


MEASURED = ProfileSet({"a": {"x": 1}}, {"name": "set", "standin": False, "profiles": {"a": {}}}, "raw")


def test_what_is_written_is_read(tmp_path: Path) -> None:
    joined = MEASURED.beside("workloads", {"w": [1]}, {"w": {"standin": False}}, ["raw"])
    path = tmp_path / "set.json"
    path.write_text(json.dumps(joined.data), encoding="utf-8")
    assert read_profile_set(path, "profiles", "workloads") == joined.data
    with pytest.raises(InputError, match=r"set\.json, field traces"):
        read_profile_set(path, "profiles", "traces")


@pytest.mark.parametrize(
    ("text", "rule"), [("{", "not valid JSON"), ("[]", "a mapping"), ('{"profiles": 1}', "profiles")]
)
def test_another_file_is_refused(tmp_path: Path, text: str, rule: str) -> None:
    path = tmp_path / "set.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=rule):
        read_profile_set(path, "profiles")
    with pytest.raises(InputError, match="no such file"):
        read_profile_set(tmp_path / "none.json")
