"""Timetables: jobs of a group wait for the latest of them, so that their phases stay where a policy has put them.

Each job of a group has a timetable: its iteration n ends `n period_s` after its start. Jobs may be late, which is no
harm as long as all of them are equally late. At the end of an iteration, a job that is ahead of the latest job of its
group by more than `slack_s` waits until it is no longer ahead.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.model.jit import hot_kernel


class Timetable(NamedTuple):
    """Timetable that one job keeps.

    Attributes:
        group: number of its group.
        period_s: seconds of an iteration on its timetable.
        slack_s: seconds that it may be ahead of the latest job of its group.
    """

    group: int
    period_s: float
    slack_s: float


class Timetables(NamedTuple):
    """Timetables of all jobs, shape (jobs,) each, or (0,) if no job keeps one.

    Attributes:
        group: number of the job's group; -1: it keeps no timetable.
        period_s: see `Timetable`.
        slack_s: see `Timetable`.
    """

    group: NDArray[np.int64]
    period_s: NDArray[np.float64]
    slack_s: NDArray[np.float64]


NO_TIMETABLE = Timetables(np.zeros(0, np.int64), np.zeros(0), np.zeros(0))


def timetables(kept: Sequence[Timetable | None]) -> Timetables:
    """Timetables of jobs, from what each of them keeps, if anything."""
    if all(each is None for each in kept):
        return NO_TIMETABLE
    every = [each or Timetable(-1, 0.0, 0.0) for each in kept]
    return Timetables(
        group=np.array([each.group for each in every], dtype=np.int64),
        period_s=np.array([each.period_s for each in every], dtype=np.float64),
        slack_s=np.array([each.slack_s for each in every], dtype=np.float64),
    )


@hot_kernel
def pause_s(timetable: Timetables, late: NDArray[np.float64], job: int) -> float:
    """Seconds that a job waits at the end of an iteration.

    Args:
        timetable: of all jobs.
        late: seconds by which each job is late; -inf: not there.
        job: the job.
    """
    latest = late[job]
    for other in range(len(late)):
        if timetable.group[other] == timetable.group[job]:
            latest = max(latest, late[other])
    ahead = latest - late[job]
    return ahead if ahead > timetable.slack_s[job] else 0.0
