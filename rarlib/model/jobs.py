"""Jobs: the table that every trace becomes, and one row of it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.model import limits
from rarlib.model.errors import InputError


class Column(NamedTuple):
    """One column of the job table (the data dictionary is generated from these)."""

    name: str
    kind: str
    unit: str
    required: bool
    meaning: str


JOB_COLUMNS = (
    Column("job_id", "text", "", False, "Name of the job; without it, its 0-based position by submission."),
    Column("submit_s", "float", "s", True, "Submission, seconds since the first submission of the trace."),
    Column("gpus", "int", "GPU", True, "Gang size the user asked for, at least 1 (0: on CPU task slots only)."),
    Column("duration_s", "float", "s", True, "Running time as recorded, on the requested gang; >= 0."),
    Column("min_gpus", "int", "GPU", False, "Fewest GPUs an elastic job accepts; = gpus when rigid."),
    Column("max_gpus", "int", "GPU", False, "Most GPUs an elastic job can use; = gpus when rigid."),
    Column("application", "text", "", False, "Model or application name; empty when unknown."),
    Column("user", "text", "", False, "Anonymised user; empty when unknown."),
    Column("vc", "text", "", False, "Virtual cluster (tenant queue); empty when unknown."),
    Column("batch_size", "int", "samples", False, "Global batch the user asked for; 0 when unknown."),
    Column("adaptivity", "text", "", False, "What may change: adaptive, scale-gpus or rigid; empty when unknown."),
    Column("cpu_tasks", "int", "slot", False, "CPU task slots asked for beside the GPUs; 0 when none."),
    Column("status", "text", "", False, "How the job ended in the trace: completed, cancelled, failed or empty."),
)


ADAPTIVITIES = ("adaptive", "scale-gpus", "rigid", "")
"""What a job lets a scheduler change: batch size and GPUs, GPUs alone, nothing; or the trace does not say."""

_NO_TEXT = re.compile("[\0\ud800-\udfff]")
_ADAPTIVE = "must be adaptive, scale-gpus, rigid or empty"


class Job(NamedTuple):
    """One job as a scheduler sees it.

    Attributes:
        row: its position in the table, its identity in decisions.
        job_id: as in the trace.
        submit_s: when it was submitted, seconds since the first submission.
        gpus: its gang, as requested.
        duration_s: how long it runs on the requested gang, alone, seconds; a prediction if the run distorts lengths.
        min_gpus: fewest GPUs that it can run on; `gpus` for a rigid job.
        max_gpus: most GPUs.
        application: what it trains; empty if the trace does not say.
        user: who submitted it; empty if the trace does not say.
        vc: the virtual cluster it was submitted to; empty if the trace does not say.
        batch_size: total batch size; 0 if the trace does not say.
        adaptivity: whether batch or gang may change, in a word; empty if the trace does not say.
        cpu_tasks: CPU task slots that it requests.
    """

    row: int
    job_id: str
    submit_s: float
    gpus: int
    duration_s: float
    min_gpus: int
    max_gpus: int
    application: str
    user: str
    vc: str
    batch_size: int
    adaptivity: str
    cpu_tasks: int


@dataclass(frozen=True)
class Jobs:
    """The job table, one array per column of `JOB_COLUMNS`, ordered by (submit_s, row in the input).

    Build it with `Jobs.build`, which checks and orders; position in this order breaks every tie.

    Attributes of shape (jobs,), as those of `Job`: job_id, submit_s (s), gpus, duration_s (s), min_gpus, max_gpus,
    application, user, vc, batch_size, adaptivity, cpu_tasks.

    Attributes:
        status: how the job ended in the trace, shape (jobs,).
        origin_s: the first submission on the trace's own clock, s; `submit_s` counts from there.
    """

    job_id: NDArray[Any]
    submit_s: NDArray[np.float64]
    gpus: NDArray[np.int64]
    duration_s: NDArray[np.float64]
    min_gpus: NDArray[np.int64]
    max_gpus: NDArray[np.int64]
    application: NDArray[Any]
    user: NDArray[Any]
    vc: NDArray[Any]
    batch_size: NDArray[np.int64]
    adaptivity: NDArray[Any]
    cpu_tasks: NDArray[np.int64]
    status: NDArray[Any]
    origin_s: float = 0.0

    def __len__(self) -> int:
        return len(self.gpus)

    @classmethod
    def build(cls, *, file: object = None, rows: NDArray[np.int64] | None = None, **columns: Any) -> "Jobs":
        """Check columns, put them in submission order and fill the optional ones.

        Args:
            file: named in errors.
            rows: 1-based input line of each entry, named in errors (default: position + 1).
            columns: arrays or sequences by column name; `submit_s`, `gpus`, `duration_s` are required.

        Raises:
            InputError: naming file, row, field and the rule that is broken.
        """
        gpus = _whole(columns["gpus"], "gpus", file, rows)
        n = len(gpus)
        where = rows if rows is not None else np.arange(1, n + 1)
        if n == 0:
            raise InputError("the trace holds no job", file=file)
        given = {name: value for name, value in columns.items() if value is not None}
        cols: dict[str, Any] = {"gpus": gpus}
        for name in ("submit_s", "duration_s"):
            cols[name] = np.array(given[name], dtype=np.float64)
            _require(np.isfinite(cols[name]), "must be a finite number", name, file, where)
            _require(cols[name] <= limits.SECONDS.most, f"must be at most {limits.SECONDS.most:g}", name, file, where)
        _require(cols["duration_s"] >= 0, "must not be negative", "duration_s", file, where)
        _require(cols["submit_s"] >= 0, "must not be negative", "submit_s", file, where)
        for name in ("batch_size", "cpu_tasks"):
            cols[name] = _whole(given[name], name, file, rows) if name in given else np.zeros(n, np.int64)
            _require(cols[name] >= 0, "must not be negative", name, file, where)
        fewest = np.where(cols["cpu_tasks"] > 0, 0, 1)
        _require(gpus >= fewest, "must be at least 1", "gpus", file, where)
        for name in ("min_gpus", "max_gpus"):
            cols[name] = _whole(given[name], name, file, rows) if name in given else gpus
        _require(cols["min_gpus"] >= np.minimum(gpus, 1), "must be at least 1", "min_gpus", file, where)
        _require(cols["min_gpus"] <= gpus, "must not exceed gpus", "min_gpus", file, where)
        _require(cols["max_gpus"] >= gpus, "must not be below gpus", "max_gpus", file, where)
        _require((gpus > 0) | (cols["max_gpus"] == 0), "must be 0 where gpus is 0", "max_gpus", file, where)
        unknown = np.full(n, "", dtype=object)
        for name in ("application", "user", "vc", "adaptivity", "status"):
            cols[name] = np.array(given[name], dtype=object) if name in given else unknown
            if name in given:
                _check_text(cols[name].tolist(), name, file, where)
        if "adaptivity" in given:
            _require(np.isin(cols["adaptivity"].astype(str), ADAPTIVITIES), _ADAPTIVE, "adaptivity", file, where)
        order = np.arange(n)
        if (np.diff(cols["submit_s"]) < 0).any():
            order = np.argsort(cols["submit_s"], kind="stable")
            cols = {name: value[order] for name, value in cols.items()}
        origin_s = float(cols["submit_s"][0])
        cols["submit_s"] = cols["submit_s"] - origin_s
        if "job_id" in given:
            ids = np.asarray([str(i) for i in np.asarray(given["job_id"], dtype=object)[order]], dtype=object)
            _check_text(ids.tolist(), "job_id", file, where[order])
            _unique(ids, file, where[order])
        else:
            ids = np.asarray([str(i) for i in range(n)], dtype=object)
        return cls(job_id=ids, **cols, origin_s=origin_s)

    def take(self, index: Any) -> "Jobs":
        """The jobs at `index` (integers, mask or slice), times counted from the first that is left."""
        part = {f.name: getattr(self, f.name)[index] for f in fields(self) if f.name != "origin_s"}
        later = float(part["submit_s"][0]) if len(part["gpus"]) else 0.0
        part["submit_s"] = part["submit_s"] - later
        return type(self)(**part, origin_s=self.origin_s + later)

    @cached_property
    def rows(self) -> tuple[Job, ...]:
        """All jobs as rows, in order (built once; costs about a microsecond per job)."""
        names = Job._fields[1:]
        return tuple(
            Job(i, *values) for i, values in enumerate(zip(*(getattr(self, n).tolist() for n in names), strict=True))
        )

    def __iter__(self) -> Iterator[Job]:
        return iter(self.rows)


def _require(ok: NDArray[np.bool_], rule: str, field: str, file: object, rows: NDArray[np.int64]) -> None:
    if not ok.all():
        raise InputError(rule, file=file, row=int(rows[int(np.argmin(ok))]), field=field)


def _whole(values: Any, field: str, file: object, rows: NDArray[np.int64] | None) -> NDArray[np.int64]:
    numbers = np.asarray(values, dtype=np.float64)
    where = rows if rows is not None else np.arange(1, len(numbers) + 1)
    whole = np.isfinite(numbers) & (numbers == np.floor(numbers))
    _require(whole, "must be a whole number", field, file, where)
    most = limits.JOB_COUNT.most
    _require(np.abs(numbers) <= most, f"must be at most {most:,}", field, file, where)
    return numbers.astype(np.int64)


def _unique(ids: NDArray[Any], file: object, rows: NDArray[np.int64]) -> None:
    seen: set[str] = set()
    for name, row in zip(ids.tolist(), rows.tolist(), strict=True):
        if not name.strip() or name.lower() == "nan":
            raise InputError("must not be empty", file=file, row=int(row), field="job_id")
        if name in seen:
            raise InputError(f"duplicate id {name}", file=file, row=int(row), field="job_id")
        seen.add(name)


def _check_text(values: list[Any], field: str, file: object, rows: NDArray[np.int64]) -> None:
    if max(map(len, map(str, values))) > limits.TEXT.most or _NO_TEXT.search("".join(map(str, values))):
        for value, row in zip(map(str, values), rows.tolist(), strict=True):
            limits.TEXT.check(len(value), file=file, row=int(row), field=field)
            if _NO_TEXT.search(value):
                raise InputError("holds half of a surrogate pair or a NUL", file=file, row=int(row), field=field)
