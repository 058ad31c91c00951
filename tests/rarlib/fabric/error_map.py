"""How far the law is from the exact mode, by number of sharers and duty, over random cases."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from rarlib.fabric.case import SharedCase, job_times, run_case
from rarlib.fabric.law import mean_times
from rarlib.fabric.sharing import everybody
from tests.rarlib.fabric.drawn import fabric_case, one_link_case

DUTIES = ((0.05, 0.15), (0.15, 0.3), (0.3, 0.5), (0.5, 0.7), (0.7, 0.9))
SHARERS = ((2, 2), (3, 4), (5, 6), (7, 8), (9, 12), (13, 40))


class LawError(NamedTuple):
    """Relative errors for one job of a case.

    Attributes:
        sharers: jobs that share a link with it, itself included.
        duty: share of its time that it sends when it is alone.
        law: relative error of the fast law.
        counted: that of c + k s, with k the jobs on a link, on the link where this takes longest.
    """

    sharers: int
    duty: float
    law: float
    counted: float


def case_errors(case: SharedCase) -> Iterator[LawError]:
    """Errors of all jobs of a case that share a link with another one."""
    exact = [times.mean_iteration_s for times in job_times(case, run_case(case))]
    law = mean_times(case)
    sharing = everybody(case)
    for job, truth in enumerate(exact):
        links = slice(sharing.begin[job], sharing.end[job])
        on = sharing.link[links]
        users, first = sharing.users[on], sharing.first_user[on]
        near = {*np.concatenate([sharing.user[a : a + n] for a, n in zip(first, users, strict=True)])}
        if len(near) < 2:
            continue
        compute_s = case.jobs[job].compute_s
        seconds = sharing.times[links] * sharing.size[job] / sharing.capacity[on]
        counted = compute_s + float((users * seconds).max())
        send_s = sharing.send_s[job]
        yield LawError(len(near), send_s / (compute_s + send_s), law[job] / truth - 1.0, counted / truth - 1.0)


def one_link_errors(seed: int, cases: int) -> list[LawError]:
    """Errors on one link, that many cases for each number of sharers and range of duties."""
    many = [n for low, high in SHARERS[:5] for n in range(low, high + 1)]
    drawn = (one_link_case(seed, i, n, duties) for n in many for duties in DUTIES for i in range(cases))
    return _all(drawn)


def several_links_errors(seed: int, cases: int) -> list[LawError]:
    """Errors over several links, that many cases for each number of jobs and range of duties."""
    drawn = (fabric_case(seed, i, n, duties) for n in (4, 6, 8, 12, 24) for duties in DUTIES for i in range(cases))
    return _all(drawn)


def _all(cases: Iterable[SharedCase]) -> list[LawError]:
    return [error for case in cases for error in case_errors(case)]


def spread_of(errors: Iterable[float]) -> tuple[float, float]:
    """Median and 95th percentile of the sizes of errors; nan if there are none."""
    sizes = np.abs(list(errors))
    return (float(np.median(sizes)), float(np.quantile(sizes, 0.95))) if len(sizes) else (np.nan, np.nan)
