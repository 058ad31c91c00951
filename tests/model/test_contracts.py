"""What schedulers may ask, decide and declare, as the descriptions of the contract have it."""

from types import SimpleNamespace
from typing import Any

from rarlib.model.scheduler import Running, in_system


def test_jobs_in_the_system_are_those_that_wait_and_run_by_row() -> None:
    """Each once, whichever list it is in."""
    jobs: list[Any] = [SimpleNamespace(row=row) for row in range(5)]
    view: Any = SimpleNamespace(
        waiting=[jobs[3], jobs[0]], running=[Running(jobs[4], ((0, 1),), 0.0), Running(jobs[1], ((1, 2),), 2.0)]
    )
    assert [job.row for job in in_system(view)] == [0, 1, 3, 4]
