"""`python -m tools.sockets`: run the trials that have no row yet, or accept the last whole set of rows.

python -m tools.sockets [--only WORD ...] [--accept | --page]

Rows go to build/sockets/rows.csv, trial by trial, so a run that was stopped goes on where it was. They hold the digest
of the code that measured; rows of other code are not counted. `--accept` writes results/expected/sockets.csv and the
section of docs/fabric.md, if no trial is missing; `--page` writes the section again from the accepted table.
"""

import argparse
import fcntl
import hashlib
import os
import platform
import signal
import sys
import time
from pathlib import Path

import pandas as pd

from rarlib.model.errors import InputError
from rarlib.model.files import write_text
from rarlib.model.project import ROOT
from tools.sockets.compare import compared, trials_of
from tools.sockets.link import require
from tools.sockets.measure import JobRow, run_trial
from tools.sockets.plan import Trial, plan
from tools.sockets.table import SECTION, TABLE, render

ROWS = ROOT / "build/sockets/rows.csv"
_MEASURES = ("plan.py", "link.py", "ring.py", "measure.py")
_TRIES = 3
_NICE = -5


def code_digest() -> str:
    """Digest of the code that measures."""
    digest = hashlib.sha256()
    for name in _MEASURES:
        digest.update((Path(__file__).parent / name).read_bytes())
    return digest.hexdigest()[:12]


def read_rows(path: Path, code: str) -> pd.DataFrame:
    """Rows that this code has measured, in the order of the plan."""
    columns = ["code", "kernel", *Trial._fields, *JobRow._fields]
    if not path.exists():
        return pd.DataFrame(columns=columns)
    found = pd.read_csv(path)
    return found[found["code"] == code].reset_index(drop=True)


def missing_trials(rows: pd.DataFrame) -> list[Trial]:
    """Trials of the plan that have no rows."""
    done = set(trials_of(rows))
    return [trial for trial in plan() if trial not in done]


def measure(path: Path, only: list[str]) -> None:
    """Run all trials that are missing; rows of a trial are written when all of them are there.

    Raises:
        InputError: a trial fails three times, another process measures, or the code was changed meanwhile.
    """
    code = code_digest()
    path.parent.mkdir(parents=True, exist_ok=True)
    with (path.parent / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise InputError("another process is measuring", file=path) from error
        rows = read_rows(path, code)
        left = [trial for trial in missing_trials(rows) if not only or {trial.queue, trial.phases} & set(only)]
        seconds, began = sum(trial.span_s + 1.5 for trial in left), time.monotonic()
        print(f"{len(left)} of {len(plan())} trials are left: about {seconds / 60:.0f} minutes.", flush=True)
        for number, trial in enumerate(left, 1):
            found = _tried(trial)
            if code_digest() != code:
                raise InputError("the code was changed while it measured: start again", file=path)
            new = pd.DataFrame([(code, platform.release(), *trial, *row) for row in found], columns=rows.columns)
            rows = pd.concat([rows, new.round(6)], ignore_index=True) if len(rows) else new.round(6)
            write_text(path, rows.to_csv(index=False, lineterminator="\n"))
            print(
                f"{number} of {len(left)}, {(time.monotonic() - began) / 60:.1f} min: {_said(trial, found)}", flush=True
            )


def _tried(trial: Trial) -> list[JobRow]:
    for number in range(1, _TRIES + 1):
        try:
            return run_trial(trial)
        except InputError as error:
            if number == _TRIES:
                raise
            print(f"again: {error}", file=sys.stderr, flush=True)
    raise AssertionError


def _said(trial: Trial, rows: list[JobRow]) -> str:
    times = " ".join(f"{row.iteration_s:.3f}" for row in rows)
    return (
        f"{trial.queue} {trial.phases} jobs={trial.jobs} duty={trial.duty:g} shift={trial.shift:g}: {times} s, "
        f"load {rows[0].load:.0%}"
    )


def accept() -> None:
    """Write the accepted table and the section of the page.

    Raises:
        InputError: trials are missing.
    """
    rows = read_rows(ROWS, code_digest())
    if left := missing_trials(rows):
        raise InputError(f"{len(left)} of {len(plan())} trials are missing: python -m tools.sockets", file=ROWS)
    table = compared(rows.drop(columns="code"))
    write_text(TABLE, table.to_csv(index=False, lineterminator="\n", float_format="%.6f"))
    write_page()


def write_page() -> None:
    """Write the section of docs/fabric.md from the accepted table."""
    SECTION.write(render(pd.read_csv(TABLE)))


def main(arguments: list[str] | None = None) -> int:
    """Measure or accept; exit code 2 with one line where that cannot be."""
    parser = argparse.ArgumentParser(description="Ring all-reduces on real sockets, beside the exact mode.")
    parser.add_argument("--only", nargs="+", default=[], metavar="WORD", help="queues or kinds of phases, no others")
    parser.add_argument("--accept", action="store_true", help="run nothing; accept the rows, if all are there")
    parser.add_argument("--page", action="store_true", help="run nothing; the section again from the accepted table")
    given = parser.parse_args(arguments)
    try:
        if given.accept:
            accept()
        elif given.page:
            write_page()
        else:
            require()
            signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that the link is taken down
            os.nice(_NICE)
            measure(ROWS, given.only)
    except InputError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
