"""From raw to clean traces: what was read, kept and dropped, and statistics of the kept jobs."""

import json
from pathlib import Path

import numpy as np
import pandas as pd

from rarlib.model import limits
from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError
from rarlib.model.files import write_text
from rarlib.model.foreign import as_fields
from rarlib.model.jobs import JOB_COLUMNS
from rarlib.traces.load import Trace


def audit(trace: Trace, cluster: Cluster | None = None) -> pd.DataFrame:
    """Tidy facts of a trace, one per row: columns trace, quantity, value, unit.

    Rows read, kept and dropped (one row per reason), jobs cut by --limit, then span, GPU-hours, mean and median
    duration, and the shares of jobs and of GPU time by GPU count. With a cluster also the jobs it can never hold
    and the offered load: GPU-seconds requested per GPU-second of the cluster between first and last submission.
    """
    facts, jobs = trace.provenance, trace.jobs
    rows: list[tuple[str, float, str]] = [("rows read", facts["read"], "rows"), ("rows kept", facts["kept"], "rows")]
    rows += [(f"rows dropped: {reason}", count, "rows") for reason, count in facts["dropped"].items()]
    asked = jobs.gpus * jobs.duration_s
    span = float(jobs.submit_s[-1])
    rows += [
        ("jobs cut by limit", facts["kept"] - len(jobs), "jobs"),
        ("jobs", len(jobs), "jobs"),
        ("span", span, "s"),
        ("GPU time", asked.sum() / 3600, "GPU h"),
        ("mean duration", jobs.duration_s.mean(), "s"),
        ("median duration", float(np.median(jobs.duration_s)), "s"),
    ]
    for count in np.unique(jobs.gpus).tolist():
        mine = jobs.gpus == count
        rows.append((f"share of jobs, {count} GPU", mine.mean(), ""))
        rows.append((f"share of GPU time, {count} GPU", asked[mine].sum() / asked.sum() if asked.any() else 0.0, ""))
    if cluster is not None:
        load = asked.sum() / (span * cluster.total_gpus) if span else np.inf
        rows.append((f"offered load on {cluster.spec}", load, ""))
        rows.append((f"jobs larger than {cluster.spec}", int((jobs.gpus > cluster.total_gpus).sum()), "jobs"))
    frame = pd.DataFrame(rows, columns=["quantity", "value", "unit"])
    frame.insert(0, "trace", facts["name"])
    return frame


def write_clean(trace: Trace, path: Path, first_s: float = 0.0) -> None:
    """Write the jobs as our own CSV and the provenance beside it (`<path>.json`), each through a temporary file.

    The same trace gives the same bytes; whole numbers are written without a decimal point.

    Args:
        trace: the trace.
        path: of the CSV.
        first_s: time of the first submission in the file.

    Raises:
        InputError: if a submission would be later than a trace may hold.
    """
    columns = {c.name: getattr(trace.jobs, c.name) for c in JOB_COLUMNS}
    columns["submit_s"] = columns["submit_s"] + first_s
    last_s = float(columns["submit_s"].max())
    if not last_s <= limits.SECONDS.most:
        rule = f"the last submission would be at {last_s:.6g} s; a trace holds at most {limits.SECONDS.most:g}"
        raise InputError(rule, file=path, field="submit_s")
    frame = pd.DataFrame({name: _plain(values) for name, values in columns.items()})
    frame = frame.assign(**{c.name: as_fields(columns[c.name]) for c in JOB_COLUMNS if c.kind == "text"})
    write_text(path, frame.to_csv(index=False, lineterminator="\n"))
    write_text(path.with_name(path.name + ".json"), json.dumps(trace.provenance, indent=2, sort_keys=True) + "\n")


def is_standin(file: Path) -> bool:
    """Whether a data file, with its provenance beside it (`<file>.json`), was drawn from statistics."""
    return bool(json.loads(file.with_name(f"{file.name}.json").read_text(encoding="utf-8"))["standin"])


def _plain(values: np.ndarray) -> np.ndarray:
    whole = values.dtype.kind == "f" and bool(np.all(values == np.floor(values)))
    return values.astype(np.int64) if whole else values
