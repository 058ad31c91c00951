"""Mean iteration times over the lives of jobs that come and go, by the law for each set of jobs that run together."""

import numpy as np
from numpy.typing import NDArray

from rarlib.fabric.case import SharedCase
from rarlib.fabric.law import law_space, law_times
from rarlib.fabric.sharing import enter, everybody, leave, sharing_of
from rarlib.model.errors import InputError


def mean_times(case: SharedCase) -> NDArray[np.float64]:
    """Mean iteration time of each job of a case by the law, s, shape (jobs,).

    If jobs stay, all of them share the links for ever. If they leave, a job advances by 1/T iterations a second, with T
    of the set of jobs that are there.

    Raises:
        InputError: the jobs have different priorities; the law has none.
    """
    if len({job.priority for job in case.jobs}) > 1:
        raise InputError("the law knows no priorities; use the grade flow", field=f"priority of instance {case.id}")
    here = np.zeros(len(case.jobs), dtype=bool)
    if not case.leave:
        sharing = everybody(case)
        return law_times(sharing, ~here, law_space(sharing))
    sharing = sharing_of(case)
    space = law_space(sharing)
    start = np.array([job.start_s for job in case.jobs])
    left = np.array([float(job.iterations) for job in case.jobs])
    finish = np.full(len(left), np.nan)
    now = float(start.min())
    while np.isnan(finish).any():
        before, here = here, (start <= now) & np.isnan(finish)
        for job in np.flatnonzero(before & ~here):
            leave(sharing, int(job))
        for job in np.flatnonzero(here & ~before):
            enter(sharing, int(job))
        times = law_times(sharing, here, space)
        ends = np.where(here, now + left * times, np.inf)
        then = min(ends.min(), start[start > now].min(initial=np.inf))
        left[here] -= (then - now) / times[here]
        finish[here & (ends <= then)] = then
        now = then
    mean_s = (finish - start) / np.array([job.iterations for job in case.jobs])
    # Differences of large times may round below what an iteration takes alone.
    return np.maximum(mean_s, sharing.compute_s + sharing.send_s)
