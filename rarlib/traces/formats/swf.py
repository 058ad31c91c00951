"""Standard Workload Format 2.2 of the Parallel Workloads Archive (Feitelson): lines of 18 numbers, comments with `;`.

Format: https://www.cs.huji.ac.il/labs/parallel/workload/swf.html; -1 is unknown. A processor is a GPU. A log of a
machine without GPUs can be read with other counts: a header line `; GPUsPerProcessor: 0.25` makes four processors one
GPU, and sums are rounded up.

Fields used: 1 job, 2 submission, 4 run time, 8 requested processors (5, allocated ones, if unknown), 11 status, 12
user, 14 program, 15 queue (16, partition, if unknown). Users, programs and queues are numbers; header lines such as
`; Queue: 3 night` (also Partition, User, Executable) give them names. Lines with status 2, 3 or 4 are intervals of a
job that has a line of its own; they are dropped and counted, as are jobs of unknown run time or size. The calendar is
UnixStartTime, in UTC; zero is none.
"""

import io
import re
from array import array
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rarlib.model import limits
from rarlib.model.errors import InputError, shown
from rarlib.model.foreign import from_field
from rarlib.traces.table import ParsedTrace, RawTable, iso

FORMAT = "swf"
SWF_FIELDS = (
    "job", "submit", "wait", "run_time", "allocated_processors", "cpu_time", "used_memory", "requested_processors",
    "requested_time", "requested_memory", "status", "user", "group", "executable", "queue", "partition",
    "preceding_job", "think_time",
)  # fmt: skip
"""The fields of a line in their order; errors use these names."""
SWF_STATUSES = {-1: "", 0: "failed", 1: "completed", 5: "cancelled"}
"""Status -> that of the job table; 2, 3 and 4 are intervals of a job."""
SWF_NAMES = {"Queue": "queue", "Partition": "partition", "User": "user", "Executable": "executable"}
"""Labels of header lines that name a number -> the field of the number; the last two are ours."""
GPUS_PER_PROCESSOR = "GPUsPerProcessor"

_INTERVALS = (2, 3, 4)
_UNKNOWN = -1
_LABEL = re.compile(r";\s*(\w+):\s*(.*?)\s*$", re.ASCII)
_NAMED = re.compile(r"(\d+)\s+(.+)", re.ASCII)


def fits_swf(data: bytes) -> bool:
    """Whether the first line that is not empty is a comment or has 18 numbers."""
    line = data[:4096].removeprefix(b"\xef\xbb\xbf").lstrip().partition(b"\n")[0]
    words = line.replace(b"-", b"").split()
    return line.startswith(b";") or (len(words) == len(SWF_FIELDS) and all(word.isdigit() for word in words))


def read(data: bytes, file: str) -> ParsedTrace:
    """Read the log; the module's docstring says what is dropped."""
    table, header = _parsed(data, file)
    ratio, starts_s = _positive(header, GPUS_PER_PROCESSOR, 1.0, file), _positive(header, "UnixStartTime", 0.0, file)
    status = table.numbers("status")
    table.fail(~np.isin(status, [*SWF_STATUSES, *_INTERVALS]), "status", "must be a status from -1 to 5")
    kept = table.keep(~np.isin(status, _INTERVALS))
    dropped = {"interval of a stopped job": len(table) - len(kept)}
    run, processors = kept.numbers("run_time"), _first_known(kept, "requested_processors", "allocated_processors")
    timed, sized = run != _UNKNOWN, processors > 0
    dropped |= {"unknown run time": int((~timed).sum()), "unknown number of processors": int((timed & ~sized).sum())}
    kept, run, processors = kept.keep(timed & sized), run[timed & sized], processors[timed & sized]
    if not len(kept):
        raise InputError("holds no job of known run time and size", file=file)
    names = _names(header)
    submit = kept.numbers("submit")
    jobs = kept.jobs(
        job_id=("job", kept.text("job")),
        submit_s=("submit", submit),
        gpus=("requested_processors", np.ceil(processors * ratio - 1e-9)),
        duration_s=("run_time", run),
        application=("executable", _named(kept.text("executable"), names["Executable"])),
        user=("user", _named(kept.text("user"), names["User"])),
        vc=("queue", _queues(kept, names)),
        status=("status", [SWF_STATUSES[int(each)] for each in kept.numbers("status")]),
    )
    starts = iso(starts_s + submit.min()) if starts_s else ""
    reasons = {reason: count for reason, count in dropped.items() if count}
    return ParsedTrace(jobs, len(table), reasons, starts=starts, note=_note(header, ratio))


def _parsed(data: bytes, file: str) -> tuple[RawTable, list[tuple[int, str, str]]]:
    """The lines of numbers, and (line, label, text) of each header line."""
    if b"\0" in data:
        raise InputError("is not text: it holds a NUL", file=file)
    limits.TABLE_ROWS.check(data.count(b"\n"), file=file)
    body, lines, header = io.BytesIO(), array("q"), []
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").splitlines(), start=1):
        words = line.split()
        if not words:
            continue
        if words[0].startswith(b";"):
            label = _LABEL.match(line.strip().decode("utf-8", "replace"))
            header += [(number, label[1], label[2])] if label else []
            continue
        if len(words) != len(SWF_FIELDS):
            many = f"{len(words)} field{'s' if len(words) > 1 else ''}"
            raise InputError(f"has {many} where {len(SWF_FIELDS)} are expected", file=file, row=number)
        body.write(b" ".join(words) + b"\n")
        lines.append(number)
    if not lines:
        raise InputError("holds no job", file=file)
    limits.CELLS.check(len(lines) * len(SWF_FIELDS), file=file)
    body.seek(0)
    text = dict.fromkeys(("job", "user", "executable", "queue", "partition"), "str")
    frame = pd.read_csv(
        body, sep=" ", header=None, names=list(SWF_FIELDS), dtype=text, keep_default_na=False, na_values=[],
        quoting=3, encoding_errors="replace", low_memory=False,
    )  # fmt: skip
    return RawTable(frame, np.array(lines, dtype=np.int64), file), header


def _positive(header: list[tuple[int, str, str]], label: str, otherwise: float, file: str) -> float:
    """The number of a header line, at least 0 (above 0 if that is not what stands without the line)."""
    found = [(row, text) for row, name, text in header if name == label]
    if not found:
        return otherwise
    row, text = found[-1]
    try:
        value = float(text.split()[0])
    except (ValueError, IndexError):
        value = float("nan")
    least = value > 0 if otherwise > 0 else value >= 0
    if not (least and value <= limits.SECONDS.most):
        rule = f"must be a number {'above' if otherwise > 0 else 'of at least'} 0, found {shown(text)}"
        raise InputError(rule, file=file, row=row, field=label)
    return value


def _first_known(table: RawTable, *fields: str) -> NDArray[np.float64]:
    """The first of some fields that is above 0, shape (rows,); the last one if none is."""
    values = [table.numbers(field) for field in fields]
    return np.select([each > 0 for each in values], values, values[-1])


def _names(header: list[tuple[int, str, str]]) -> dict[str, dict[str, str]]:
    """Names of the numbers of each field that has any, by the label of their header lines."""
    found: dict[str, dict[str, str]] = {label: {} for label in SWF_NAMES}
    for _, label, text in header:
        named = _NAMED.fullmatch(text)
        if label in found and named:
            found[label][named[1]] = from_field(named[2])
    return found


def _named(numbers: NDArray[Any], names: dict[str, str]) -> list[str]:
    return ["" if number == str(_UNKNOWN) else names.get(number, number) for number in numbers]


def _queues(table: RawTable, names: dict[str, dict[str, str]]) -> list[str]:
    queues, partitions = (_named(table.text(SWF_NAMES[label]), names[label]) for label in ("Queue", "Partition"))
    return [queue or partition for queue, partition in zip(queues, partitions, strict=True)]


def _note(header: list[tuple[int, str, str]], ratio: float) -> str:
    return "; ".join(_remarks(header, ratio))


def _remarks(header: list[tuple[int, str, str]], ratio: float) -> Iterator[str]:
    yield f"{ratio:g} GPUs per processor" if ratio != 1.0 else "processors are GPUs"
    for label in ("Computer", "MaxNodes", "MaxProcs"):
        text = next((text for _, name, text in header if name == label and text), "")
        if text:
            yield f"{label} {shown(text)[1:-1]}"
