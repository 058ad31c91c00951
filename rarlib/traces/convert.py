"""A trace as a log in the Standard Workload Format 2.2, and what of it such a log cannot hold.

`rarlib.traces.formats.swf` describes the format and reads the log back: the same jobs in the same order, times rounded
to whole seconds, jobs named by their position from 1 on.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarlib import __version__
from rarlib.model.cluster import Cluster
from rarlib.model.foreign import as_field, printable
from rarlib.model.jobs import Jobs
from rarlib.traces.formats.swf import SWF_FIELDS, SWF_STATUSES
from rarlib.traces.load import Trace

_UNKNOWN = -1
_SPACES = " \t"
_NAMED = {"Queue": "vc", "User": "user", "Executable": "application"}
"""Label of the header lines that give numbers their names -> column of the job table."""


def trace_to_swf(trace: Trace, cluster: Cluster | None = None) -> str:
    """The jobs as text: header comments, then lines of 18 fields in order of submission.

    Args:
        trace: the trace. With a calendar, times count from its first submission, else from the zero of its own clock.
        cluster: the machine, for the header; None: not told.
    """
    jobs, starts = trace.jobs, trace.provenance["starts"]
    numbers = {column: _numbered(getattr(jobs, column)) for column in _NAMED.values()}
    lines = [*_header(trace, cluster), *_name_lines(numbers)]
    status = {word: code for code, word in SWF_STATUSES.items()}
    whole = (
        np.rint(jobs.submit_s + (0.0 if starts else jobs.origin_s)),
        np.rint(jobs.duration_s),
        jobs.gpus,
        [status.get(word, _UNKNOWN) for word in jobs.status],
        *(_codes(getattr(jobs, column), numbers[column]) for column in ("user", "application", "vc")),
    )
    for job, row in enumerate(zip(*(np.asarray(column, dtype=np.int64).tolist() for column in whole), strict=True)):
        submit, run, gpus, code, user, application, vc = row
        fields = swf_line(
            job=job + 1, submit=submit, run_time=run, allocated_processors=gpus, requested_processors=gpus,
            status=code, user=user, executable=application, queue=vc,
        )  # fmt: skip
        lines.append(" ".join(map(str, fields)))
    return "\n".join(lines) + "\n"


def swf_line(**known: int) -> list[int]:
    """The 18 fields of a line by their names in `SWF_FIELDS`; those not named are -1, unknown."""
    return [int(known.get(field, _UNKNOWN)) for field in SWF_FIELDS]


def lost_in_swf(jobs: Jobs) -> list[str]:
    """What of these jobs the format cannot hold, in words; empty if all of it can."""
    checks = {
        "ids (jobs are numbered)": jobs.job_id.tolist() != [str(i + 1) for i in range(len(jobs))],
        "fractions of seconds": bool((jobs.submit_s % 1).any() or (jobs.duration_s % 1).any()),
        "limits of elastic jobs": bool((jobs.min_gpus < jobs.gpus).any() or (jobs.max_gpus > jobs.gpus).any()),
        "batch sizes": bool(jobs.batch_size.any()),
        "adaptivity": any(jobs.adaptivity),
        "CPU task slots": bool(jobs.cpu_tasks.any()),
        "spaces around names": any(
            name != name.strip(_SPACES) for column in _NAMED.values() for name in getattr(jobs, column)
        ),
        "statuses other than completed, cancelled and failed": any(
            word not in SWF_STATUSES.values() for word in jobs.status
        ),
    }
    return [what for what, is_lost in checks.items() if is_lost]


def _header(trace: Trace, cluster: Cluster | None) -> Iterator[str]:
    starts = trace.provenance["starts"]
    yield "; Version: 2.2"
    yield f"; Conversion: rarlib {__version__}"
    yield f"; MaxJobs: {len(trace.jobs)}"
    yield f"; MaxRecords: {len(trace.jobs)}"
    yield "; Preemption: No"
    yield f"; UnixStartTime: {int(np.datetime64(starts, 's').astype(np.int64)) if starts else 0}"
    if cluster is not None:
        yield f"; MaxNodes: {cluster.nodes}"
        yield f"; MaxProcs: {cluster.total_gpus}"
    made_up = "; drawn from statistics, not recorded" if trace.provenance["standin"] else ""
    yield f"; Note: Jobs of {printable(trace.provenance['name'])}; processors are GPUs{made_up}"


def _numbered(values: NDArray[Any]) -> dict[str, int]:
    """Numbers of names from 1 on, in order of their first use; an empty name has none."""
    return {name: number for number, name in enumerate(dict.fromkeys(name for name in values if name), start=1)}


def _codes(values: NDArray[Any], numbers: dict[str, int]) -> list[int]:
    return [numbers.get(name, _UNKNOWN) for name in values]


def _name_lines(numbers: dict[str, dict[str, int]]) -> Iterator[str]:
    for label, column in _NAMED.items():
        for name, number in numbers[column].items():
            yield f"; {label}: {number} {as_field(name)}"
