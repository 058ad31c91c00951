"""The record of a run on disk: jobs.csv, allocations.csv, details.csv, run.json."""

import json
import platform
import shutil
import tempfile
from collections.abc import Callable, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import pandas as pd

from rarlib import __version__
from rarlib.model.errors import InputError
from rarlib.model.foreign import as_fields
from rarlib.records.link_use import link_load_as_columns, links_as_rows
from rarlib.records.tidy import sha256
from rarlib.simulator.run import Run

FLOAT_FORMAT = "%.6f"
RUN_FILES = ("run.json", "jobs.csv", "allocations.csv", "details.csv")
"""Files of a run's folder."""
_PART = 1 << 17
"""Rows that are written at once."""
_PACKAGES = ("numpy", "pandas", "numba", "scipy", "ortools")


def write_run(run: Run, folder: Path, facts: Mapping[str, Any]) -> None:
    """Write the files of a run; each file appears complete or not at all.

    Args:
        run: the run.
        folder: created if missing; files of an earlier run in it are replaced.
        facts: content of `run.json` besides counters, digests and versions: scheduler, parameters, seed, cluster,
            cost model, provenance of the trace.

    Raises:
        InputError: when `folder` cannot be written.
    """
    part = _beside(folder)
    try:
        jobs, rows = len(run.jobs), len(run.alloc_job)
        _write_table(part / "jobs.csv", run.jobs_frame, jobs)
        _write_table(part / "allocations.csv", run.allocations_frame, rows)
        _write_table(part / "details.csv", run.details_frame, jobs)
        record = {
            **facts,
            "counters": run.counters,
            "digests": {name: sha256(part / name) for name in RUN_FILES[1:]},
            "versions": versions(),
        }
        if run.links is not None:
            record["links"] = links_as_rows(run.links)
        if run.link_load is not None:
            record["link_load"] = link_load_as_columns(run.link_load)
        text = json.dumps(record, indent=2, sort_keys=True, allow_nan=False)
        (part / "run.json").write_text(text + "\n", encoding="utf-8", newline="\n")
        # run.json comes first: whatever is left behind when this is interrupted is known as a run, and as a broken one.
        for name in RUN_FILES:
            (part / name).replace(folder / name)
    except OSError as error:
        raise InputError(f"cannot write there: {error.strerror}", file=error.filename or folder) from None
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _write_table(path: Path, frame: Callable[[slice], pd.DataFrame], rows: int) -> None:
    """Write a table, six decimals and LF line ends; a part at a time, since text takes far more memory than numbers.

    Ids and GPU types become fields that no spreadsheet takes for formulas.
    """
    with path.open("w", encoding="utf-8", newline="") as file:
        for begin in range(0, max(rows, 1), _PART):
            part = frame(slice(begin, begin + _PART))
            texts = {name: as_fields(part[name]) for name in ("job_id", "gpu_type") if name in part}
            part.assign(**texts).to_csv(
                file, index=False, header=not begin, float_format=FLOAT_FORMAT, lineterminator="\n"
            )


def versions() -> dict[str, str]:
    """Versions of the software that a result may depend on."""
    found = {"rarlib": __version__, "python": platform.python_version()}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def _beside(folder: Path) -> Path:
    """A temporary folder on the same file system, so that renaming is atomic."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return Path(tempfile.mkdtemp(prefix=".part-", dir=folder))
    except OSError as error:
        raise InputError(f"cannot write there: {error.strerror}", file=folder) from None
