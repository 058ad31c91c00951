"""A run in the Standard Workload Format, version 2.2, of the Parallel Workloads Archive.

Format: Feitelson, https://www.cs.huji.ac.il/labs/parallel/workload/swf.html. Processors are GPUs. Points in time are
rounded to whole seconds, not lengths, so that intervals neither overlap nor drift. A preempted job has one line for the
whole job (status 1, GPUs of its first interval), followed by a line for each interval in which it ran (status 2, the
last one 3). Only the first of these has a submission time; the others give the wait since the previous interval. Fields
that a run does not know (memory, users, requested time) are -1.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarlib import __version__
from rarlib.model.foreign import printable
from rarlib.records.read import Record
from rarlib.traces.convert import swf_line

WHOLE, CONTINUED, _LAST = 1, 2, 3
_UNKNOWN = -1


def to_swf(record: Record) -> str:
    """The run as text: header comments, then lines of 18 fields in order of submission."""
    lines = [" ".join(map(str, fields)) for fields in _lines(record)]
    return "\n".join([*_header(record, len(lines)), *lines]) + "\n"


def _header(record: Record, lines: int) -> Iterator[str]:
    facts = record.facts
    yield "; Version: 2.2"
    yield f"; Computer: simulated cluster {printable(facts.get('cluster', ''))}".rstrip()
    yield f"; Conversion: rarlib {__version__}"
    yield f"; MaxJobs: {len(record.jobs)}"
    yield f"; MaxRecords: {lines}"
    yield "; Preemption: Yes" if (record.jobs["restarts"] > 0).any() else "; Preemption: No"
    yield "; UnixStartTime: 0"
    yield f"; MaxNodes: {len(record.gpus)}"
    yield f"; MaxProcs: {record.total_gpus}"
    yield f"; Note: Scheduler {printable(facts.get('scheduler', 'unknown'))}; processors are GPUs; simulated, not a log"


def _lines(record: Record) -> Iterator[list[int]]:
    jobs, holds = record.jobs, record.holds
    submit, start, asked = (_whole(jobs[name].to_numpy()) for name in ("submit_s", "start_s", "gpus"))
    begin, end, held = (_whole(holds[name].to_numpy()) for name in ("start_s", "end_s", "gpus"))
    first = np.searchsorted(holds["job"].to_numpy(), np.arange(len(jobs) + 1))
    for job, submitted in enumerate(submit.tolist()):
        a, b = int(first[job]), int(first[job + 1])
        run = int((end[a:b] - begin[a:b]).sum()) if b > a else 0
        yield _fields(job, submitted, start[job] - submitted, run, held[a] if b > a else asked[job], asked[job], WHOLE)
        since = submitted
        for i in range(a, b if b - a > 1 else a):
            at, status = (submitted if i == a else _UNKNOWN), (_LAST if i == b - 1 else CONTINUED)
            yield _fields(job, at, begin[i] - since, end[i] - begin[i], held[i], asked[job], status)
            since = end[i]


def _fields(job: int, submit: int, wait: int, run: int, held: int, asked: int, status: int) -> list[int]:
    """The 18 fields of a line; memory, CPU time, requested time, user, program, queue and the like are unknown."""
    return swf_line(
        job=job + 1, submit=submit, wait=wait, run_time=run, allocated_processors=held, requested_processors=asked,
        status=status,
    )  # fmt: skip


def _whole(values: NDArray[Any]) -> NDArray[np.int64]:
    return np.rint(values).astype(np.int64)
