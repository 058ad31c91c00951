"""What a real Slurm prints, and what its users write into it: the input of `rarlib drive`."""

from pathlib import Path
from typing import Any
from unittest.mock import patch

from rarlib.declared import scheduler_names
from tests.rarlib.fuzz import mutate
from tests.rarlib.fuzz.case import Files, Target
from tests.rarlib.fuzz.draw import Draw
from tests.rarlib.fuzz.targets.commands import run_command
from tests.rarlib.fuzz.targets.own_runs import short_search

_TOKEN = b"TOKEN"
"""Stands for the token of the driver, which no user can know."""
_QUEUE = b"""\
TOKEN|1|PENDING|JobHeldUser|0|4|main||N/A|2026-01-01T00:00:00|5:00||rarlib seconds=90 gpus=2-8 application=bert
TOKEN|2|RUNNING|None|9|4|main|n4|2026-01-01T00:01:00|2026-01-01T00:00:10|1-00:00:00|(null)|(null)
TOKEN|3|PENDING|JobHeldUser|0|2|main||N/A|2026-01-01T00:02:00|UNLIMITED||rarlib seconds=1e4
TOKEN|4_[1-4]|PENDING|Resources|7|1|main||N/A|2026-01-01T00:02:00|10:00||(null)
TOKEN|5|RUNNING|None|9|2|all|n5|2026-01-01T00:01:00|2026-01-01T00:00:10|1:00|(null)|(null)
TOKEN|6|PENDING|JobHeldUser|0|1|main||N/A|2026-01-01T00:03:00|30:00||(null)
"""
_NODES = b"""\
NodeName=n1 CPUAlloc=0 CPUTot=8 Gres=gpu:a100:4(S:0-1) State=MIXED+DRAIN Partitions=main,all CfgTRES=cpu=8,gres/gpu=4
NodeName=n4 CPUAlloc=0 CPUTot=8 Gres=gpu:2 State=MIXED Partitions=main CfgTRES=cpu=8,gres/gpu=2
NodeName=n5 CPUAlloc=0 CPUTot=8 Gres=gpu:a100:4 State=IDLE Partitions=main,all CfgTRES=cpu=8,gres/gpu=4
"""
_JOB = b"""\
JobId=2 JobName=train
   NodeList=n4
     Nodes=n4 CPU_IDs=0-3 Mem=0 GRES=gpu:2(IDX:0-1)
   Comment=(null)
"""
_CONFIGURATION = b"ClusterName             = ours\n"
_NOTES = (
    b"",
    b"rarlib asked=4 submitted=1767225600.000 done=30.000 held=120.000 until=1767225900.000",
    b"rarlib asked=2 submitted=1767225600.000 done=0.000 held=0.000 at=n4*1+n5*1 since=1767225700.000",
)
_LIES = (b"     Nodes=n4 CPU_IDs=0-3 Mem=0 GRES=gpu:2", b"     Nodes=n[1-99999999] CPU_IDs=0-9 Mem=0 GRES=")
"""What the name of a job may hold to deceive the driver."""
_FILES = {"queue": _QUEUE, "nodes": _NODES, "job": _JOB, "configuration": _CONFIGURATION}
_SEPARATORS = b"|,=:[-] \n"


class _Said:
    """Stands for the client programs: each prints the content of a file."""

    inputs: Path

    def call(self, program: str, *arguments: str, text: str = "") -> str:
        """What the program prints, read as `artifact.slurm.client.Slurm` reads it."""
        if program == "squeue":
            wide = "--Format" in arguments[-1]
            token = arguments[-1].partition("=")[2].partition("|")[0].encode()
            return self._text("wide") if wide else self._text("queue", token)
        return self._text({"node": "nodes", "job": "job", "config": "configuration"}[arguments[1]])

    def _text(self, name: str, token: bytes = _TOKEN) -> str:
        return (self.inputs / name).read_bytes().replace(_TOKEN, token).decode("utf-8", "replace")


def _drive(draw: Draw) -> tuple[Files, Any]:
    files = _FILES | {"wide": b"".join(_wide(draw, number) for number in range(1, 7))}
    if draw.chance(0.4):
        files["queue"] = _with_words_of_users(draw)
    elif draw.chance(0.3):
        files["job"] = _JOB.replace(b"train", b"x\n" + mutate.bytes_of(draw, draw.one(_LIES), separators=b"=-[ ,"))
    else:
        name = draw.one(["queue", "queue", "queue", "nodes", "nodes", "job", "wide", "configuration"])
        change = mutate.table if draw.chance(0.6) else mutate.bytes_of
        comma = {"queue": b"|", "nodes": b" ", "job": b" "}.get(name, b"=")
        if change is mutate.table:
            files[name] = mutate.table(draw, files[name], comma)
        else:
            files[name] = mutate.bytes_of(draw, files[name], separators=_SEPARATORS)
    words = ["--unit", draw.one(["cpu", "cpu", "gpu"]), "--patience", draw.one(["60", "1", "1e9"])]
    name = draw.one(scheduler_names()) if draw.chance(0.5) else "fifo"
    return files, [name, *words, *short_search(name)]


def _with_words_of_users(draw: Draw) -> bytes:
    """Comments of jobs, in which anything may stand."""
    lines = _QUEUE.splitlines()
    at = draw.one([0, 2, 5])
    head, _, _ = lines[at].rpartition(b"|")
    words = [draw.one([b"seconds=", b"gpus=", b"application=", b"rarlib ", b""]) + draw.token() for _ in range(3)]
    lines[at] = head + b"|" + b" ".join([draw.one([b"rarlib", b"", b"x"]), *words[: draw.one([1, 2, 3])]])
    return b"\n".join(lines) + b"\n"


def _wide(draw: Draw, number: int) -> bytes:
    note = draw.one(_NOTES)
    if draw.chance(0.2):
        note = mutate.bytes_of(draw, note, separators=b" =*+")
    return b"%-20d%-300s%-1500s\n" % (number, b"cpu=4,node=1,gres/gpu=2", note.replace(b"\n", b" "))


def _orders(inputs: Path, given: Any) -> None:
    said = _Said()
    said.inputs = inputs
    words = ["drive", "--scheduler", given[0], "--cluster-name", "ours", "--partition", "main", "--slurm", *given[1:]]
    with patch("artifact.slurm.client.Slurm", lambda: said):
        run_command(words)


TARGETS = (Target("drive", _drive, _orders, 1.0),)
