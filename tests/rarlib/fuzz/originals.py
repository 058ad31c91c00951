"""Files that are whole: samples of every format, made up, and heads of recorded files where a mirror has some."""

import io
import json
import zipfile
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import openpyxl

from rarlib.model.errors import InputError
from rarlib.model.project import ROOT
from rarlib.traces import places
from rarlib.traces.load import load_trace
from tests.rarlib.traces.test_load import SAMPLES

PAI = {
    "pai_job_table.csv": b"a,i1,u,Terminated,1,5\nb,i2,u,Failed,2,9\nc,i3,u,Running,3,\n",
    "pai_task_table.csv": b"a,w,1,Terminated,2,5,600,1,100,V100\nb,w,2,Failed,3,9,600,1,50,T4\n"
    b"b,ps,1,Failed,3,9,9,1,,\n",
    "pai_group_tag_table.csv": b"i1,u,,g,bert\ni2,u,,g,\n",
}
OWN = (
    b"job_id,submit_s,gpus,duration_s,min_gpus,max_gpus,application,user,vc,batch_size,adaptivity,cpu_tasks,status\n"
    b"a,0,1,24.75,1,2,bert,u,v,48,adaptive,0,completed\nb,42.5,2,11,1,4,cifar10,w,v,256,scale-gpus,0,\n"
    b"c,42.5,4,3600,4,4,vgg-16,u,w,0,rigid,0,failed\n"
)
GRAPH = (
    b"node1 -- Input -- forward_compute_time=0.0, backward_compute_time=0.0, activation_size=512.0, "
    b"parameter_size=0.0\n"
    b"node2 -- Conv -- forward_compute_time=2.5, backward_compute_time=5.0, activation_size=[256.0; 256.0], "
    b"parameter_size=1024.0\n"
    b"node3 -- Linear -- forward_compute_time=1.5, backward_compute_time=3.0, activation_size=64.0, parameter_size=9.0 "
    b"-- stage_id=1\n\tnode1 -- node2\n\tnode2 -- node3\n"
)
PROFILE = {
    "placements-aws": b"placement,local_bsz,step_time,sync_time\n1,32,0.5,0\n1,64,0.75,0\n2,32,0.625,0.125\n"
    b"11,32,1,0.5\n",
    "scalability-aws": b"num_nodes,num_replicas,local_bsz,step_time,sync_time\n2,8,32,1.5,0.75\n4,16,32,2,1.25\n",
    "validation-32": b"progress,iteration,grad_sqr,grad_var\n1,10,0.5,2\n2,20,0.25,3\n3,30,0.125,4\n",
    "validation-64": b"progress,iteration,grad_sqr,grad_var\n1,5,0.5,2\n2,10,0.25,3\n3,15,0.125,4\n",
}
CLUSTER = {
    "nodes": [{"count": 2, "gpus": 8, "type": "a100", "rack": "l"}, {"gpus": 4, "type": "t4", "rack": "r"}],
    "types": {"a100": {"speed": 2.5}},
    "racks": {"l": {"uplink_gbps": 100}, "r": {}},
    "links": {"node_gbps": 25},
}
SPECS = ("20x8", "t4:6x4,rtx:3x8,a100:2x8", "1x1", "2x4", "t4:2x4,cpu:1x4")
STANDINS = ROOT / "data" / "standin"

_HEAD_BYTES, _HEAD_ROWS, _MOST_HEADS = 200_000, 25, 40


@cache
def workbook() -> bytes:
    """AITurbo's study of jobs, made up; without the time at which it was made, which would differ between cases."""
    book, made, timeless = openpyxl.Workbook(), io.BytesIO(), io.BytesIO()
    rows = [("Job type", "Running time", "Ps", "GPU"), *((i + 1, 100 * i + 5, i % 2 or None, i % 3) for i in range(6))]
    for row in rows:
        book.active.append(row)
    book.save(made)
    with zipfile.ZipFile(made) as old, zipfile.ZipFile(timeless, "w") as new:
        for name in old.namelist():
            if name != "docProps/core.xml":
                new.writestr(zipfile.ZipInfo(name), old.read(name), zipfile.ZIP_DEFLATED)
    return timeless.getvalue()


@cache
def traces() -> tuple[tuple[str | None, bytes], ...]:
    """Format, or None where it is to be recognised, and content of traces that can be read."""
    made_up = [(name, text.encode()) for name, text in SAMPLES.items()]
    return (*made_up, ("rarlib", OWN), *((None, head) for head in _heads("*.csv") if _is_readable(head)))


@cache
def graphs() -> tuple[bytes, ...]:
    """Layer profiles."""
    return (GRAPH, *_heads("graph.txt"))


@cache
def profiles() -> tuple[object, ...]:
    """Statistics from which stand-ins are drawn, as JSON holds them."""
    found = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(STANDINS.glob("*.json"))]
    return tuple(each for each in found if "kinds" in each)


def _heads(pattern: str) -> list[bytes]:
    """First rows of recorded files; at most so many, spread over all that there are."""
    files = [path for folder in places.mirrors() for path in sorted(folder.rglob(pattern)) if path.is_file()]
    some = files[:: max(1, len(files) // _MOST_HEADS)]
    return [_head(path) for path in some]


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return b"".join(file.read(_HEAD_BYTES).splitlines(keepends=True)[:_HEAD_ROWS])


def _is_readable(head: bytes) -> bool:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "t.csv"
        path.write_bytes(head)
        try:
            return bool(load_trace(path, network=False))
        except InputError:
            return False
