"""Translates the final states of a batch system into those of the job table."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarlib.model.errors import shown
from rarlib.traces.table import RawTable

SLURM = {
    "COMPLETED": "completed",
    "CANCELLED": "cancelled",
    "FAILED": "failed",
    "TIMEOUT": "failed",
    "NODE_FAIL": "failed",
    "OUT_OF_MEMORY": "failed",
    "PREEMPTED": "failed",
    "SUSPENDED": "",
    "RUNNING": "",
    "PENDING": "",
}
"""Slurm's states; a job that had not ended when the log was taken has no status."""


def translate(table: RawTable, column: str, words: dict[str, str]) -> NDArray[Any]:
    """A column of states, translated into those of the job table, shape (rows,); one not in `words` is an error."""
    states = table.text(column)
    known = np.array([state in words for state in states], dtype=bool)
    if not known.all():
        found = states[int(np.argmin(known))]
        table.fail(~known, column, f"unknown state {shown(found)}; known: {', '.join(words)}")
    return np.array([words[state] for state in states], dtype=object)
